import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { dealOf } from '../../testing/records.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

test('the cards sum up the page, and Sort by Amount sorts it', async () => {
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
    'Total Deals3on this pageWon Deals133.3% win rateTotal Value$300,000on this pageAvg Deal Size$150,000per deal',
  )
  await user.click(screen.getByRole('button', { name: 'Sort by Amount' }))
  const names = () =>
    within(table)
      .getAllByRole('row')
      .slice(1)
      .map((row) => within(row).getAllByRole('link')[0]?.textContent)
  await waitFor(() => expect(names()).toEqual(['Large', 'Small', 'Unknown']))
})

test('what else stands in the address does not reach the server', async () => {
  const server = serveSignedIn({ 'GET /dashboard/deals': () => ({ body: paged({ deals: [dealOf()] }) }) })
  openApp('/deals?utm_source=mail&source=Web&minAmount=5000')
  await screen.findByRole('table', { name: 'Deals' })
  const asked = server.seen.find(({ path }) => path === '/dashboard/deals')
  expect(asked?.query).toEqual({ limit: '20', minAmount: '5000' })
})

test('two filters that change at once both count', async () => {
  serveSignedIn({ 'GET /dashboard/deals': () => ({ body: paged({ deals: [dealOf()] }) }) })
  openApp('/deals')
  await screen.findByRole('table', { name: 'Deals' })
  fireEvent.change(screen.getByLabelText('Stage'), { target: { value: 'Approved' } })
  fireEvent.change(screen.getByLabelText('Date To'), { target: { value: '2026-05-01' } })
  await waitFor(() => expect(window.location.search).toBe('?stage=Approved&dateTo=2026-05-01'))
})

test('a partner without deals is shown the way to the leads', async () => {
  serveSignedIn({ 'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }) })
  openApp('/deals')
  expect(await screen.findByText('No deals have been created from your leads yet')).toBeDefined()
  expect(screen.getByRole('link', { name: 'View Your Leads' }).getAttribute('href')).toBe('/leads')
})
