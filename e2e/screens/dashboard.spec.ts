import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { readPipeline, readStats } from '../../contract/src/dashboard.ts'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { readPictureTexts } from '../picture-texts.ts'
import { test as demoTest } from '../session.ts'
import { breakAnswers, holdAnswers, keepUninformed } from '../trouble.ts'

const FIGURES = /\/api\/dashboard\/(stats|pipeline|recent-activity|trends|leads|deals)(\?|$)/

/** The stats come last: once they load, the page of a partner without leads shows nothing else. */
const FAILURES = [
  'Failed to fetch trends',
  'Failed to fetch pipeline data',
  'Failed to load leads',
  'Failed to load deals',
  'Failed to fetch recent activity',
  'Failed to fetch dashboard stats',
]

demoTest('the README’s picture shows what one gets (`npm run screens` takes it again)', async ({ page }) => {
  await page.goto('/dashboard')
  const shown = path.join(import.meta.dirname, 'dashboard-1440-light.txt')
  // Payments are in the menu once the portal has said that the person sees them.
  await expect.poll(() => readPictureTexts(page)).toBe(readFileSync(shown, 'utf8'))
})

test('/dashboard shows loading, empty and failed states, and recovers', async ({ page }) => {
  await keepUninformed(page)
  const release = await holdAnswers(page, FIGURES)
  await page.goto('/dashboard')
  await expect(page.getByRole('status', { name: 'Loading stats' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Loading pipeline' })).toBeVisible()
  await expectGoodLooks(page)
  release()
  await expectCards(page, {
    'Total Leads': ['0', '0 active'],
    'Total Deals': ['0', '0 won'],
    'Deal Value': ['$0', 'Avg $0'],
    'Conversion Rate': ['0.0%'],
  })
  await expect(page.getByRole('list', { name: 'Your first steps' }).getByRole('listitem')).toHaveCount(3)
  for (const name of ['Deal Pipeline', 'Leads and Deals Over Time', 'Recent Leads', 'Recent Activity']) {
    await expect(page.getByRole('heading', { name })).toHaveCount(0)
  }
  await expectGoodLooks(page)

  const mend = await breakAnswers(page, FIGURES, { status: 500, error: 'The database is away' })
  await page.reload()
  const failures = page.getByRole('alert')
  await expect(failures).toHaveCount(FAILURES.length)
  for (const text of FAILURES) {
    await expect(failures.filter({ hasText: text })).toContainText('The database is away')
  }
  await expectGoodLooks(page)
  await mend()
  for (const text of FAILURES) {
    if (text === FAILURES.at(-1)) {
      for (const empty of ['No leads yet', 'No deals yet', 'No activity yet']) {
        await expect(page.getByText(empty)).toBeVisible()
      }
    }
    const failure = failures.filter({ hasText: text })
    await failure.getByRole('button', { name: 'Try Again' }).click()
    await expect(failure).toHaveCount(0)
  }
  await expect(failures).toHaveCount(0)
  await expect(page.getByText('0 active')).toBeVisible()
  await page.getByRole('link', { name: 'Submit Your First Lead' }).click()
  await expect(page).toHaveURL('/leads/new')
})

test('/dashboard shows a spinner while the recent activity is loading', async ({ page, partner }) => {
  await partner.submitLead()
  const release = await holdAnswers(page, '**/api/dashboard/recent-activity')
  await page.goto('/dashboard')
  await expect(page.getByText('1 active')).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Loading activity' })).toBeVisible()
  release()
  await expect(page.getByRole('region', { name: 'Recent Activity' }).getByText('Lead submitted')).toBeVisible()
})

test('/dashboard shows a new lead at once and links to it', async ({ page, partner }) => {
  const loid = await partner.submitLead({ loanAmount: 85_000 })
  await page.goto('/dashboard')
  await expectCards(page, { 'Total Leads': ['1', '1 active'], 'Conversion Rate': ['0.0%'] })
  const recent = page.getByRole('region', { name: 'Recent Activity' })
  const activity = recent.getByRole('listitem').filter({ hasText: 'Lead submitted' })
  await expect(activity).toContainText('Saltbush Transport')
  await expect(activity.getByText('Just now')).toBeVisible()
  await activity.getByRole('link', { name: loid }).click()
  await expect(page).toHaveURL(`/leads/${loid}`)
  await page.goBack()
  const lead = page.getByRole('link', { name: /^Saltbush Transport/ })
  await expect(lead).toContainText(/\$85,000Jo Marsh · Just nowNew Lead/)
  await lead.click()
  await expect(page).toHaveURL(`/leads/${loid}`)
})

demoTest('/dashboard shows the same figures as the API', async ({ page, demo, request }) => {
  const ask = async (path: string) => {
    const answer = await request.get(`/api/dashboard/${path}`, { headers: { authorization: `Bearer ${demo.token}` } })
    return (await answer.json()).data
  }
  const stats = readStats.answer.parse(await ask('stats'))
  const { pipeline } = readPipeline.answer.parse(await ask('pipeline'))
  expect(stats.total_deals).toBeGreaterThan(5)

  await page.goto('/dashboard')
  await expectCards(page, {
    'Total Leads': [`${stats.total_leads}`, `${stats.active_leads} active`],
    'Total Deals': [`${stats.total_deals}`, `${stats.won_deals} won`],
    'Deal Value': [dollars(stats.total_deal_value), `Avg ${dollars(stats.avg_deal_size)}`],
    'Conversion Rate': [`${(stats.conversion_rate * 100).toFixed(1)}%`],
  })
  await expect(page.getByRole('heading', { name: 'Deal Pipeline' })).toBeVisible()
  const total = pipeline.reduce((sum, { value }) => sum + value, 0)
  await expect(page.getByRole('list', { name: 'Deals by stage' }).getByRole('listitem')).toHaveText(
    pipeline.map(({ stage, count, value }) =>
      [stage, `${((value / total) * 100).toFixed(1)}%`, count === 1 ? '1 deal' : `${count} deals`, dollars(value)].join(
        '',
      ),
    ),
  )
  await expect(page.getByRole('img', { name: /percent of the value$/ })).toHaveCount(pipeline.length)
  const activity = page.getByRole('region', { name: 'Recent Activity' }).getByRole('listitem')
  await expect(activity.first()).toBeVisible()
  expect(await activity.count()).toBeLessThanOrEqual(5)
  for (const kind of ['leads', 'deals']) {
    const recent = page.getByRole('region', { name: `Recent ${kind}` })
    await expect(recent.locator(`li a[href^="/${kind}/LO-"]`)).toHaveCount(5)
    await page.getByRole('link', { name: `View all ${kind}` }).click()
    await expect(page).toHaveURL(`/${kind}`)
    await page.goBack()
  }
  const deal = page.locator('main li a[href^="/deals/LO-"]').first()
  const address = (await deal.getAttribute('href')) ?? ''
  await deal.click()
  await expect(page).toHaveURL(address)
})

test('/dashboard shows large figures in full, even on a phone', async ({ page }) => {
  const figures = {
    total_leads: 128_456,
    active_leads: 98_123,
    total_deals: 45_123,
    won_deals: 20_123,
    total_deal_value: 1_234_567_890,
    avg_deal_size: 12_345_678,
    conversion_rate: 0.3513,
  }
  const stage = 'With Southern Cross Equipment Finance and Leasing'
  const pipeline = [{ stage, count: 45_123, value: 1_234_567_890, percentage: 100 }]
  await page.route('**/api/dashboard/stats', (route) => route.fulfill({ json: { success: true, data: figures } }))
  await page.route('**/api/dashboard/pipeline', (route) =>
    route.fulfill({ json: { success: true, data: { pipeline } } }),
  )
  for (const width of [1440, 1280, 390, 360]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/dashboard')
    const cards = page.getByRole('region', { name: 'Key figures' })
    for (const text of [
      cards.getByText('$1,234,567,890'),
      cards.getByText('Avg $12,345,678'),
      page.getByRole('list', { name: 'Deals by stage' }).getByText(stage),
    ]) {
      await expect(text).toBeVisible()
      expect(await text.evaluate((element) => element.scrollWidth - element.clientWidth), `at ${width}`).toBeLessThan(1)
    }
  }
})

demoTest('on a phone Reply begins where the name above begins', { tag: '@mobile' }, async ({ page }) => {
  await page.goto('/dashboard')
  const item = page.getByRole('list', { name: 'What needs attention' }).getByRole('listitem').first()
  const name = await item.getByRole('link').first().boundingBox()
  const reply = await item.getByRole('button', { name: /^Reply/ }).boundingBox()
  expect(Math.abs((reply?.x ?? 0) - (name?.x ?? 100))).toBeLessThan(2)
})

/** The room below the text of each figure's change, in lines of 16 pixels. */
const EMPTY_BELOW = `[...document.querySelectorAll('[aria-label="Key figures"] dd:last-child')].map((one) => {
  const text = document.createRange()
  text.selectNodeContents(one)
  return Math.floor((one.getBoundingClientRect().bottom - text.getBoundingClientRect().bottom) / 16 + 0.5)
})`

demoTest('on a tablet the figures keep no room for a second line that they do not need', async ({ page }) => {
  await page.setViewportSize({ width: 820, height: 1180 })
  await page.goto('/dashboard')
  const changes = page.getByRole('region', { name: 'Key figures' }).locator('dd:last-child')
  await expect(changes.filter({ hasText: 'days' })).toHaveCount(4)
  expect(await page.evaluate(EMPTY_BELOW)).toEqual([0, 0, 0, 0])
})

/** Expects the cards with these names to show these figures. */
async function expectCards(page: Page, cards: Record<string, string[]>) {
  const region = page.getByRole('region', { name: 'Key figures' })
  for (const [name, figures] of Object.entries(cards)) {
    const card = region.locator('dl > div').filter({ hasText: name })
    for (const figure of figures) await expect(card.getByText(figure, { exact: true })).toBeVisible()
  }
}

function dollars(amount: number): string {
  return `$${Math.round(amount).toLocaleString('en-US')}`
}
