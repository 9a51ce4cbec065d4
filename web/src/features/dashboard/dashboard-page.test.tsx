import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { storeToken } from '../../api/token.ts'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure, serve } from '../../testing/server.ts'
import { QUIET_INBOX } from '../../testing/signed-in.ts'

const stats = {
  total_leads: 12,
  active_leads: 7,
  total_deals: 3,
  won_deals: 1,
  total_deal_value: 1_250_000,
  avg_deal_size: 416_667,
  conversion_rate: 0.2567,
}
const pipeline = [
  { stage: 'Pending Approval', count: 2, value: 900_000, percentage: 66.7 },
  { stage: 'Funded', count: 1, value: 350_000, percentage: 33.3 },
]
const lead = {
  id: 'l1',
  loid: 'LO-7K3M9QWX',
  business_name: 'Harbour Freight',
  lead_name: 'Ava Nguyen',
  lead_status: 'Not Qualified',
  loan_amount: 250_000,
}
const deal = {
  id: 'd1',
  loid: 'LO-9D3M9QWX',
  deal_name: 'Bondi fit-out',
  contact_name: 'Ben Lee',
  stage: 'Funded',
  amount: null,
}
const now = new Date().toISOString()
const activity = {
  id: 'a1',
  title: 'Lead submitted',
  description: 'Harbour Freight',
  loid: 'LO-7K3M9QWX',
  about: 'lead',
  created_at: now,
}
const trends = {
  period: 'week',
  points: [
    { start: '2026-11-02', leads: 0, deals: 0, deal_value: 0, conversions: 0 },
    { start: '2026-11-09', leads: 5, deals: 2, deal_value: 132_000, conversions: 1 },
    { start: '2026-11-16', leads: 1, deals: 0, deal_value: 0, conversions: 0 },
  ],
  comparison: {
    leads: { current: 6, previous: 8 },
    deals: { current: 2, previous: 0 },
    deal_value: { current: 132_000, previous: null },
    conversion_rate: { current: 0.2567, previous: 0.2 },
  },
}
const page = { page: 1, limit: 5, has_more: false }

function serveDashboard(changes: Parameters<typeof serve>[0] = {}) {
  return serve({
    'POST /auth/verify': () => ({
      body: data({ partnerId: 'p1', businessName: 'Acme', partnerEmail: 'a@acme.example' }),
    }),
    ...QUIET_INBOX,
    'GET /dashboard/stats': () => ({ body: data(stats) }),
    'GET /dashboard/pipeline': () => ({ body: data({ pipeline }) }),
    'GET /dashboard/trends': () => ({ body: data(trends) }),
    'GET /dashboard/recent-activity': () => ({
      body: data({
        activities: [
          activity,
          { ...activity, id: 'a2', title: 'Deal updated', loid: 'LO-9D3M9QWX', about: 'deal' },
          { ...activity, id: 'a3', title: 'Lead removed by the lender', loid: 'LO-2B3M9QWX', about: null },
        ],
      }),
    }),
    'GET /dashboard/leads': () => ({ body: { ...data({ leads: [{ ...lead, created_at: now }] }), pagination: page } }),
    'GET /dashboard/deals': () => ({ body: { ...data({ deals: [{ ...deal, created_at: now }] }), pagination: page } }),
    ...changes,
  })
}

beforeEach(() => storeToken('token'))

test('each card shows a main figure and a second figure', async () => {
  serveDashboard()
  openApp('/dashboard')
  const cards = within(await screen.findByRole('region', { name: 'Key figures' }))
  for (const text of ['12', '7 active', '3', '1 won', '$1,250,000', 'Avg $416,667', '25.7%']) {
    expect(cards.getByText(text)).toBeDefined()
  }
})

test('where there is enough data, the cards compare their figures with the previous 30 days', async () => {
  serveDashboard()
  openApp('/dashboard')
  const cards = within(await screen.findByRole('region', { name: 'Key figures' }))
  expect(await cards.findByText('6 new, 25% fewer than the 30 days before')).toBeDefined()
  expect(cards.getByText('2 new, none in the 30 days before')).toBeDefined()
  expect(cards.getByText('$132,000 new in 30 days, too soon to compare')).toBeDefined()
  expect(cards.getByText('5.7 points higher than 30 days ago')).toBeDefined()
})

test('each week’s figure can be read in the chart, with the keyboard and in a table', async () => {
  serveDashboard()
  const user = openApp('/dashboard')
  const chart = within(await screen.findByRole('group', { name: 'Leads by week' }))
  expect(screen.getByText('6 leads in the last 3 weeks, the most in the week of Nov 9 (5).')).toBeDefined()
  expect(chart.getAllByRole('img').map((bar) => bar.getAttribute('aria-label'))).toEqual([
    'Week of Nov 2: 0 leads',
    'Week of Nov 9: 5 leads',
    'Week of Nov 16, so far: 1 lead',
  ])
  const latest = chart.getByRole('img', { name: 'Week of Nov 16, so far: 1 lead' })
  act(() => latest.focus())
  await user.keyboard('{ArrowLeft}')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Week of Nov 9: 5 leads')
  await user.keyboard('{Home}{ArrowLeft}')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Week of Nov 2: 0 leads')

  await user.click(screen.getByRole('radio', { name: 'Deal Value $132,000' }))
  expect(screen.getByRole('img', { name: 'Week of Nov 9: $132,000' })).toBeDefined()
  await user.click(screen.getByText('Show as a table'))
  expect(screen.getByRole('row', { name: 'Nov 9 5 2 $132,000 1' })).toBeDefined()
})

test('the chart can show months', async () => {
  const monthly = { ...trends, period: 'month', points: [{ ...trends.points[1], start: '2026-11-01' }] }
  const server = serveDashboard({
    'GET /dashboard/trends': ({ query }) => ({ body: data(query['period'] === 'month' ? monthly : trends) }),
  })
  const user = openApp('/dashboard')
  await screen.findByRole('group', { name: 'Leads by week' })
  await user.click(screen.getByRole('radio', { name: 'Months' }))
  expect(await screen.findByRole('img', { name: 'Nov 2026, so far: 5 leads' })).toBeDefined()
  const asked = server.seen.filter(({ path }) => path === '/dashboard/trends').map(({ query }) => query['period'])
  expect(asked).toEqual(['week', 'month'])
})

test('if the trends fail to load, the cards stay, and Try Again fetches the chart', async () => {
  let isBroken = true
  serveDashboard({
    'GET /dashboard/trends': () =>
      isBroken ? { status: 403, body: failure('Not now', 'FORBIDDEN') } : { body: data(trends) },
  })
  const user = openApp('/dashboard')
  expect(await screen.findByText('Failed to fetch trends')).toBeDefined()
  expect(screen.getByText('7 active')).toBeDefined()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByRole('group', { name: 'Leads by week' })).toBeDefined()
})

test('the pipeline shows each stage’s count and value, and its share of the value as a bar', async () => {
  serveDashboard()
  openApp('/dashboard')
  const stages = within(await screen.findByRole('list', { name: 'Deals by stage' })).getAllByRole('listitem')
  expect(stages.map((stage) => stage.textContent)).toEqual([
    'Pending Approval72.0%2 deals$900,000',
    'Funded28.0%1 deal$350,000',
  ])
})

test('the pipeline’s value leaves out won deals, and a stage links to its deals', async () => {
  serveDashboard({
    'GET /dashboard/deals': () => ({
      body: { ...data({ deals: [] }), pagination: { page: 1, limit: 20, has_more: false } },
    }),
  })
  const user = openApp('/dashboard')
  const value = (await screen.findByText('Pipeline value')).closest('div')
  expect(value?.textContent).toBe('Pipeline value$900,0002 deals')
  expect(screen.getByText('Won').closest('div')?.textContent).toBe('Won$350,0001 deal')
  await user.click(screen.getByRole('link', { name: /Pending Approval/ }))
  await waitFor(() => expect(window.location.search).toBe('?stage=Pending+Approval'))
})

test('without deals there is no pipeline', async () => {
  serveDashboard({ 'GET /dashboard/pipeline': () => ({ body: data({ pipeline: [] }) }) })
  openApp('/dashboard')
  await screen.findByText('Harbour Freight', { selector: 'a *' })
  expect(screen.queryByText('Deal Pipeline')).toBeNull()
})

test('recent leads and deals link to their pages, and an activity links to its lead or deal', async () => {
  const server = serveDashboard()
  openApp('/dashboard')
  const leadLink = await screen.findByRole('link', { name: /Harbour Freight/ })
  expect(leadLink.getAttribute('href')).toBe('/leads/LO-7K3M9QWX')
  expect(within(leadLink).getByText('Not Qualified').parentElement?.dataset['variant']).toBe('error')
  const dealLink = screen.getByRole('link', { name: /Bondi fit-out/ })
  expect(dealLink.getAttribute('href')).toBe('/deals/LO-9D3M9QWX')
  expect(within(dealLink).getByText('—')).toBeDefined()
  expect(screen.getByRole('link', { name: 'View all leads' }).getAttribute('href')).toBe('/leads')
  expect(screen.getByRole('link', { name: 'LO-7K3M9QWX' }).getAttribute('href')).toBe('/leads/LO-7K3M9QWX')
  expect(screen.getByRole('link', { name: 'LO-9D3M9QWX' }).getAttribute('href')).toBe('/deals/LO-9D3M9QWX')
  expect(screen.getByText('LO-2B3M9QWX').closest('a')).toBeNull()
  expect(screen.getByRole('link', { name: 'View all activity' }).getAttribute('href')).toBe('/activity')
  expect(screen.getByText('Nothing needs your attention')).toBeDefined()
  expect(screen.getByText(/^Nothing new since you were here/)).toBeDefined()
  expect(server.seen.find(({ path }) => path === '/dashboard/leads')?.query).toEqual({ page: '1', limit: '5' })
})

test('while nothing changes, the page keeps updating how long ago things happened', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse(now) })
  serveDashboard()
  openApp('/dashboard')
  const times = await screen.findAllByText('Just now')
  await act(() => vi.advanceTimersByTimeAsync(5 * 60_000))
  expect(new Set(times.map((time) => time.textContent))).toEqual(new Set(['5 minutes ago']))
})

test('a part that fails to load says so and can be fetched again, and the other parts stay', async () => {
  let isBroken = true
  serveDashboard({
    'GET /dashboard/stats': () =>
      isBroken ? { status: 404, body: failure('Not now', 'NOT_FOUND') } : { body: data(stats) },
  })
  const user = openApp('/dashboard')
  expect(await screen.findByText('Failed to fetch dashboard stats')).toBeDefined()
  expect(await screen.findByRole('link', { name: /Harbour Freight/ })).toBeDefined()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('7 active')).toBeDefined()
})

test('a partner without leads sees three steps and the figures, and no empty charts', async () => {
  const none = { total_leads: 0, active_leads: 0, total_deals: 0, won_deals: 0, total_deal_value: 0, avg_deal_size: 0 }
  serveDashboard({ 'GET /dashboard/stats': () => ({ body: data({ ...none, conversion_rate: 0 }) }) })
  openApp('/dashboard')
  const steps = within(await screen.findByRole('list', { name: 'Your first steps' })).getAllByRole('listitem')
  expect(steps.map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('Confirm your email address'),
    expect.stringContaining('Submit your first lead'),
    expect.stringContaining('invite a colleague'),
  ])
  expect(screen.getByText('0 active')).toBeDefined()
  for (const title of ['Deal Pipeline', 'Leads and Deals Over Time', 'Recent Leads']) {
    expect(screen.queryByRole('heading', { name: title })).toBeNull()
  }
})
