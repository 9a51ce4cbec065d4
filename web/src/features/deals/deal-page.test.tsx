import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { dealOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

const ENTRY = { changed_time: '2026-11-18T01:00:00.000Z', changed_by: 'Priya', description: null }

test('a deal shows its stages and its lead’s statuses, and can be synced again', async () => {
  serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () => ({
      body: data({ deal: dealOf(), notes: [], requests: [], converted_from_lead: true }),
    }),
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({
      body: data([
        { ...ENTRY, id: 's2', stage: 'Funded', duration: 1, description: 'Settled on Friday' },
        { ...ENTRY, id: 's1', stage: 'Approved', duration: 3, description: 'Approved' },
      ]),
    }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({
      body: data([{ ...ENTRY, id: 'h1', status: 'New Lead', duration: 2 }]),
    }),
    'POST /dashboard/sync-deal/LO-7K3M9QAZ': () => ({
      body: data({ operation: 'updated', deal_name: 'Coastal', stage: 'Closed', amount: 260_000 }),
    }),
  })
  const user = openApp('/deals/LO-7K3M9QAZ')
  await user.click(await screen.findByRole('radio', { name: 'Stage History' }))
  const stages = await screen.findByRole('list', { name: 'Stage History' })
  expect(stages.textContent).toContain('Settled on Friday')
  // The page leaves out a description that only repeats the stage.
  expect(stages.textContent?.match(/Approved/g)).toHaveLength(1)
  expect(stages.textContent).toContain('1 day')
  await user.click(screen.getByRole('radio', { name: 'Recent Activity' }))
  expect(screen.getByRole('list', { name: 'Recent Activity' }).textContent).toMatch(/^Deal created/)
  await user.click(screen.getByRole('radio', { name: 'Status History' }))
  expect((await screen.findByRole('list', { name: 'Status History' })).textContent).toContain('New Lead')
  expect(screen.getByText('Partner Portal', { selector: 'dd' })).toBeDefined()

  await user.click(screen.getByRole('button', { name: 'Re-sync' }))
  expect(await screen.findByText('Deal updated: Closed, $260,000')).toBeDefined()
})

test('the answer to a re-sync of a removed deal does not take the person away from another page', async () => {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () => ({
      body: data({ deal: dealOf(), notes: [], requests: [], converted_from_lead: false }),
    }),
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
    'GET /dashboard/leads': () => ({ body: paged({ leads: [] }) }),
    'POST /dashboard/sync-deal/LO-7K3M9QAZ': async () => {
      await answered
      return { body: data({ operation: 'removed', deal_name: 'Coastal', stage: 'Closed', amount: null }) }
    },
  })
  const user = openApp('/deals/LO-7K3M9QAZ')
  await user.click(await screen.findByRole('button', { name: 'Re-sync' }))
  await user.click(within(screen.getByRole('navigation', { name: 'Main' })).getByRole('link', { name: 'Leads' }))
  await screen.findByRole('heading', { level: 1, name: 'Leads' })
  answer()
  expect(await screen.findByText('The lender has removed this deal')).toBeDefined()
  expect(window.location.pathname).toBe('/leads')
})

test.each([
  ['/deals/%20', 200, 'Invalid deal ID'],
  ['/deals/LO-NOPE', 404, 'Deal not found'],
  ['/deals/LO-NOPE', 400, 'Failed to load deal details'],
])('the page %s, with a server that answers %i, says: %s', async (path, status, text) => {
  serveSignedIn({ 'GET /crm/deal/LO-NOPE': () => ({ status, body: failure('No', 'X') }) })
  openApp(path)
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.getAllByRole('link', { name: 'Back to Deals' })).toHaveLength(2)
})

test('when the lender removes a deal while its page is open, the page no longer shows the deal', async () => {
  let isThere = true
  serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () =>
      isThere
        ? {
            body: data({
              deal: dealOf({ crm: 'failed', crm_problem: 'Refused' }),
              notes: [],
              requests: [],
              converted_from_lead: false,
            }),
          }
        : { status: 404, body: failure('Deal not found', 'NOT_FOUND') },
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
  })
  const user = openApp('/deals/LO-7K3M9QAZ')
  const retry = await screen.findByRole('button', { name: 'Not sent – Retry' })
  isThere = false
  await user.click(retry)
  expect(await screen.findByText('Deal not found', { selector: 'main *' })).toBeDefined()
  expect(screen.queryByText('Coastal Concrete – Term Loan')).toBeNull()
})

test('a deal marks the values that it has from the lead that it replaced', async () => {
  serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () => ({
      body: data({
        deal: dealOf({ loan_purpose: 'A second oven', from_referral: ['contact_name', 'loan_purpose'] }),
        notes: [],
        requests: [],
        converted_from_lead: true,
      }),
    }),
  })
  openApp('/deals/LO-7K3M9QAZ')
  const contact = await screen.findByRole('region', { name: 'Contact Person' })
  expect(contact.textContent).toContain('Mia Singh from your referral')
  expect(screen.getByText('Loan Purpose').nextElementSibling?.textContent).toBe('A second oven from your referral')
  expect(screen.getByText('Loan Type').nextElementSibling?.textContent).toBe('Term Loan')
})

test('an address with the LOID of a replaced lead redirects to the deal’s own address', async () => {
  const deal = () => ({ body: data({ deal: dealOf(), notes: [], requests: [], converted_from_lead: false }) })
  serveSignedIn({
    'GET /crm/deal/LO-AAAAAAA1': deal,
    'GET /crm/deal/LO-7K3M9QAZ': deal,
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
  })
  openApp('/deals/LO-AAAAAAA1')
  await waitFor(() => expect(window.location.pathname).toBe('/deals/LO-7K3M9QAZ'))
  expect(await screen.findByRole('heading', { level: 1, name: 'Coastal Concrete – Term Loan' })).toBeDefined()
})

test('Try Again fetches a deal that failed to load, and moves the focus to the page', async () => {
  let isUp = false
  serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () =>
      isUp
        ? { body: data({ deal: dealOf(), notes: [], requests: [], converted_from_lead: false }) }
        : { status: 400, body: failure('No', 'X') },
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
  })
  const user = openApp('/deals/LO-7K3M9QAZ')
  const retry = await screen.findByRole('button', { name: 'Try Again' })
  isUp = true
  await user.click(retry)
  await screen.findByLabelText('Add a note')
  expect(document.activeElement).toBe(screen.getByRole('main'))
})

test('the page of a deal that did not reach the CRM says why, and its Retry button sends the deal again', async () => {
  const REFUSED = 'The CRM does not accept the content of Amount.'
  let crm: 'failed' | 'pending' = 'failed'
  const server = serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () => ({
      body: data({
        deal: dealOf({ crm, crm_problem: crm === 'failed' ? REFUSED : null }),
        notes: [],
        requests: [],
        converted_from_lead: false,
      }),
    }),
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
    'POST /crm/deal/LO-7K3M9QAZ/retry-push': () => {
      crm = 'pending'
      return { status: 202, body: data({ loid: 'LO-7K3M9QAZ', crm }) }
    },
  })
  const user = openApp('/deals/LO-7K3M9QAZ')
  expect(await screen.findByText(REFUSED)).toBeDefined()
  await user.click(await screen.findByRole('button', { name: 'Not sent – Retry' }))
  expect(await screen.findByText('The deal is on its way to the CRM again')).toBeDefined()
  expect(await screen.findByText('Waiting for CRM')).toBeDefined()
  expect(screen.queryByText(REFUSED)).toBeNull()
  expect(server.seen.filter(({ method }) => method === 'POST').map(({ path }) => path)).toContain(
    '/crm/deal/LO-7K3M9QAZ/retry-push',
  )
})

test('on the page of a deal that could not be loaded, both back links open the list with its search', async () => {
  serveSignedIn({
    'GET /dashboard/deals': () => ({ body: paged({ deals: [dealOf()] }) }),
    'GET /crm/deal/LO-7K3M9QAZ': () => ({ status: 400, body: failure('No', 'X') }),
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
  })
  const user = openApp('/deals?search=coastal')
  for (const position of [0, 1]) {
    await user.click((await screen.findAllByRole('link', { name: 'Coastal Concrete – Term Loan' }))[0] ?? document.body)
    await user.click((await screen.findAllByRole('link', { name: 'Back to Deals' }))[position] ?? document.body)
    await screen.findByRole('table', { name: 'Deals' })
    expect(window.location.pathname + window.location.search).toBe('/deals?search=coastal')
  }
})
