import { expect, type Page } from '@playwright/test'
import { expectGoodLooksInBothThemes, expectLightLooks } from './expect-good-looks.ts'
import { listenForComplaints } from './listen-for-complaints.ts'
import { FORMS, OPEN_FORMS, pathOf, SCREENS, type Screen } from './pages.ts'
import { test as signedIn, signedOut } from './session.ts'

const WITHOUT_TOKEN = {
  path: '/reset-password',
  heading: 'Choose a new password',
  texts: ['Invalid or missing reset token. Please request a new password reset.'],
}

const SHIFT_MAX = 0.02
/** The browser hands over the shifts since the page was opened before it draws the next picture. */
const ADD_UP_SHIFTS = `new Promise((resolve) => {
  let sum = 0
  const add = (list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) sum += entry.value })
  new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() => resolve(sum)))
})`

for (const screen of SCREENS) {
  const name = pathOf(screen, { leadLoid: '{loid}', dealLoid: '{loid}', newLoid: '{loid}' })
  signedIn(`${name} is complete and accessible in both themes`, async ({ page, demo }) => {
    await expectComplete(page, pathOf(screen, demo), screen, expectGoodLooksInBothThemes)
  })
}

signedIn(
  'on a phone the pages are complete and cause no errors or warnings in the browser',
  { tag: '@mobile' },
  async ({ page, demo }) => {
    for (const screen of SCREENS) await expectComplete(page, pathOf(screen, demo), screen)
  },
)

signedOut('/reset-password without a token is complete and accessible in both themes', async ({ page }) => {
  await expectComplete(page, WITHOUT_TOKEN.path, WITHOUT_TOKEN, expectGoodLooksInBothThemes)
})

signedOut(
  'the forms for signed-out visitors are complete and accessible, and cause no errors or warnings in the browser',
  { tag: '@everywhere' },
  async ({ page }) => {
    for (const form of OPEN_FORMS) await expectComplete(page, String(form.path), form, expectLightLooks)
  },
)

signedIn(
  'the forms for signed-in people are complete and accessible, and cause no errors or warnings in the browser',
  { tag: '@everywhere' },
  async ({ page, demo }) => {
    for (const form of FORMS) await expectComplete(page, pathOf(form, demo), form, expectLightLooks)
  },
)

for (const { path, width, held, waiting, below } of [
  { path: '/team', width: 390, held: '**/api/team', waiting: 'Loading the team', below: 'Roles' },
  {
    path: '/webhook',
    width: 820,
    held: '**/api/dashboard/webhook-logs*',
    waiting: 'Loading webhook log',
    below: 'How deliveries work',
  },
]) {
  signedIn(`a list of ${path} that comes late moves nothing below it`, async ({ page, demo: _ }) => {
    await page.setViewportSize({ width, height: 1_180 })
    const { promise, resolve: answer } = Promise.withResolvers<void>()
    await page.route(held, async (route) => {
      await promise
      await route.continue()
    })
    await page.goto(path)
    await expect(page.getByRole('status', { name: waiting })).toBeVisible()
    await page.evaluate(ADD_UP_SHIFTS)
    answer()
    await expect(page.getByRole('status', { name: waiting })).toHaveCount(0)
    await expect(page.getByRole('heading', { name: below })).toBeVisible()
    expect(await page.evaluate<number>(ADD_UP_SHIFTS)).toBeLessThanOrEqual(SHIFT_MAX)
  })
}

async function expectComplete(
  page: Page,
  path: string,
  { heading, texts, isRefused }: Screen,
  also?: (page: Page) => Promise<void>,
): Promise<void> {
  const complaints = listenForComplaints(page)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
  await expect(page.getByRole('status', { name: /^(Loading|Searching)/ })).toHaveCount(0)
  const main = page.getByRole('main')
  for (const text of texts) {
    const found = main.getByText(text).or(main.getByLabel(text)).filter({ visible: true })
    await expect(found.first(), text).toBeVisible()
  }
  expect(await page.evaluate<number>(ADD_UP_SHIFTS), `layout shift of ${path}`).toBeLessThanOrEqual(SHIFT_MAX)
  await also?.(page)
  const unexpected = complaints.filter((text) => !isRefused || !text.startsWith('Failed to load resource'))
  expect(unexpected, path).toEqual([])
}
