import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { dealOf } from '../../testing/records.ts'
import { failure } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'
import { dealFiltersOf } from './deals.queries.ts'

test('the cards sum up the page’s deals, and Sort by Amount sorts the deals', async () => {
  serveSignedIn({
    'GET /dashboard/deals': () => ({
      body: paged({
        deals: [
          dealOf({ loid: 'LO-AAAAAAA1', deal_name: 'Small', amount: 50_000, stage: 'Approved' }),
          dealOf({ loid: 'LO-AAAAAAA2', deal_name: 'Unknown', amount: null, stage: 'Pending Approval' }),
          dealOf({ loid: 'LO-AAAAAAA3', deal_name: 'Large', amount: 250_000, stage: 'Funded' }),
        ],
      }),
    }),
  })
  const user = openApp('/deals')
  const table = await screen.findByRole('table', { name: 'Deals' })
  const summary = document.querySelector('dl')?.textContent
  expect(summary).toBe(
    'Total Deals3 on this pageWon Deals1 33.3% win rateTotal Value$300,000 on this pageAvg Deal Size$150,000 per deal',
  )
  await user.click(screen.getByRole('button', { name: 'Sort by Amount' }))
  const names = () =>
    within(table)
      .getAllByRole('row')
      .slice(1)
      .map((row) => within(row).getAllByRole('link')[0]?.textContent)
  await waitFor(() => expect(names()).toEqual(['Large', 'Small', 'Unknown']))
})

test('unknown parameters in the address are not sent to the server', async () => {
  const server = serveSignedIn({ 'GET /dashboard/deals': () => ({ body: paged({ deals: [dealOf()] }) }) })
  openApp('/deals?utm_source=mail&source=Web&minAmount=5k')
  await screen.findByRole('table', { name: 'Deals' })
  const asked = server.seen.find(({ path }) => path === '/dashboard/deals')
  expect(asked?.query).toEqual({ limit: '20', minAmount: '5000' })
})

test.each(['abc', '50-60k', '-5', '0.001', '1e12', '1e400'])('the minimum %s in an address is dropped', (minAmount) => {
  expect(dealFiltersOf({ minAmount, sort: '-amount' })).toEqual({})
})

test('two filters that change at once are both applied', async () => {
  serveSignedIn({ 'GET /dashboard/deals': () => ({ body: paged({ deals: [dealOf()] }) }) })
  openApp('/deals')
  await screen.findByRole('table', { name: 'Deals' })
  fireEvent.change(screen.getByLabelText('Stage'), { target: { value: 'Approved' } })
  fireEvent.change(screen.getByLabelText('Date To'), { target: { value: '2026-05-01' } })
  await waitFor(() => expect(window.location.search).toBe('?stage=Approved&dateTo=2026-05-01'))
})

test('a partner without deals gets a link to the leads', async () => {
  serveSignedIn({ 'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }) })
  openApp('/deals')
  expect(await screen.findByText('No deals have been created from your leads yet')).toBeDefined()
  expect(screen.getByRole('link', { name: 'View Your Leads' }).getAttribute('href')).toBe('/leads')
})

test('the amount filter shows a typed amount in full and drops an invalid one', async () => {
  serveSignedIn({ 'GET /dashboard/deals': () => ({ body: paged({ deals: [dealOf()] }) }) })
  const user = openApp('/deals')
  await user.click(await screen.findByRole('button', { name: 'Filters' }))
  const field = screen.getByLabelText<HTMLInputElement>('Min Amount')
  for (const nothing of ['a lot', '0', '9999999999999']) {
    await user.type(field, `${nothing}{Enter}`)
    expect(field.value).toBe('')
  }
  await user.type(field, '50k{Enter}')
  expect(field.value).toBe('$50,000')
  await waitFor(() => expect(window.location.search).toBe('?minAmount=50000'))
})

test('the cards stay when the list cannot be fetched again', async () => {
  let isUp = true
  const server = serveSignedIn({
    'GET /dashboard/deals': () =>
      isUp ? { body: paged({ deals: [dealOf()] }) } : { status: 400, body: failure('No', 'VALIDATION') },
    'POST /dashboard/sync-deals': () => ({ status: 502, body: failure('The CRM is away', 'CRM_UNAVAILABLE') }),
  })
  const user = openApp('/deals')
  await screen.findByRole('table', { name: 'Deals' })
  isUp = false
  const asked = () => server.seen.filter(({ path }) => path === '/dashboard/deals').length
  const before = asked()
  await user.click(screen.getByRole('button', { name: 'Sync from CRM' }))
  await waitFor(() => expect(asked()).toBeGreaterThan(before))
  expect(await screen.findByText('Sync failed: The CRM is away')).toBeDefined()
  expect(screen.getByRole('table', { name: 'Deals' })).toBeDefined()
  expect(screen.getByText('Won Deals')).toBeDefined()
})

test('clearing search and filters keeps the order, moves the focus to the search box, and never shows an empty list while deals load', async () => {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  serveSignedIn({
    'GET /dashboard/deals': async ({ query }) => {
      if (query['search'] === 'zz') return { body: paged({ deals: [] }) }
      await answered
      return { body: paged({ deals: [dealOf()] }) }
    },
  })
  const user = openApp('/deals?search=zz&sort=-amount')
  await user.click(await screen.findByRole('button', { name: 'Clear search and filters' }))
  expect(await screen.findByRole('status', { name: 'Loading deals' })).toBeDefined()
  expect(screen.queryByText('No deals found')).toBeNull()
  answer()
  await screen.findByRole('table', { name: 'Deals' })
  expect(window.location.search).toBe('?sort=-amount')
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search deals' }))
})
