import { expect } from '@playwright/test'
import { expectFont, test } from './session.ts'

const PAGES = [
  '/dashboard',
  '/leads',
  '/leads/new',
  '/deals',
  '/search?q=transport',
  '/webhook',
  '/api-keys',
  '/team',
  '/profile',
  '/profile/security',
  '/profile/notifications',
]

/** The app loads its code for live events this long after its start. That code is not part of a page. */
const LIVE_AFTER_MS = 1_000

/** The panel of documents loads after its page. */
const LATER = /\/assets\/(documents-panel|download)-/

test('the HTML document of each page names all scripts that the page loads', async ({ page, request, demo }) => {
  for (const path of [...PAGES, `/leads/${demo.leadLoid}`, `/deals/${demo.dealLoid}`]) {
    const html = await (await request.get(path)).text()
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
    const scripts = await page.evaluate((liveAfterMs) => {
      const loaded = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
      const app = loaded.find(({ name }) => name.includes('/assets/index-'))
      const liveFrom = app ? app.startTime + app.duration + liveAfterMs : 0
      return loaded.filter(({ startTime }) => startTime < liveFrom).map(({ name }) => new URL(name).pathname)
    }, LIVE_AFTER_MS)
    expect(scripts.length, path).toBeGreaterThan(5)
    expect(
      scripts.filter((script) => !html.includes(script) && !LATER.test(script)),
      path,
    ).toEqual([])
  }
})

test('sign-in, the dashboard, the lists and the records load without schemas', async ({ request, demo }) => {
  const lists = ['/leads', '/deals', '/activity', '/search?q=a']
  for (const path of ['/login', '/dashboard', ...lists, `/leads/${demo.leadLoid}`, `/deals/${demo.dealLoid}`]) {
    const html = await (await request.get(path)).text()
    expect(html, path).toContain('/assets/vendor-')
    expect(html, path).not.toContain('schemas-')
  }
})

test('names with macrons load one small extra font', async ({ page }) => {
  await expectFont(page)
  await page.goto('/deals')
  await expect(page.getByText('Pōhutukawa Cafe Group').first()).toBeVisible()
  await page.evaluate('document.fonts.ready')
  const fonts = await page.evaluate(() =>
    performance.getEntriesByType('resource').flatMap(({ name }) => /([\w-]+)-[\w-]{8}\.woff2$/.exec(name)?.[1] ?? []),
  )
  expect(fonts.toSorted()).toEqual(['latin', 'maori'])
})

test('a page’s calls begin when the pointer is on a link to the page', async ({ page }) => {
  await page.goto('/profile')
  const answer = page.waitForResponse(/\/api\/dashboard\/leads\?/)
  await page.getByRole('link', { name: /^Leads/ }).hover()
  await answer
  await expect(page).toHaveURL('/profile')
  let callsAfter = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/dashboard/leads')) callsAfter++
  })
  await page.getByRole('link', { name: /^Leads/ }).click()
  await expect(page.getByRole('row')).toHaveCount(21)
  expect(callsAfter).toBe(0)
})
