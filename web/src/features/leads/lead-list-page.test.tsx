import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

const THREE = [
  leadOf({
    loid: 'LO-AAAAAAA1',
    business_name: 'Banksia',
    loan_amount: 90_000,
    created_at: '2026-11-01T00:00:00.000Z',
  }),
  leadOf({ loid: 'LO-AAAAAAA2', business_name: 'Acacia', loan_amount: null, created_at: '2026-11-03T00:00:00.000Z' }),
  leadOf({
    loid: 'LO-AAAAAAA3',
    business_name: 'Corymbia',
    loan_amount: 120_000,
    created_at: '2026-11-02T00:00:00.000Z',
  }),
]

async function names(): Promise<(string | null | undefined)[]> {
  const table = await screen.findByRole('table', { name: 'Leads' })
  const rows = within(table).getAllByRole('row').slice(1)
  return rows.map((row) => within(row).getAllByRole('link')[0]?.textContent)
}

test('the newest lead comes first, a click on a column sorts descending, and a second click sorts ascending', async () => {
  serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }) })
  const user = openApp('/leads')
  expect(await names()).toEqual(['Acacia', 'Corymbia', 'Banksia'])
  expect(screen.getByRole('columnheader', { name: 'Created' }).getAttribute('aria-sort')).toBe('descending')

  await user.click(screen.getByRole('button', { name: 'Loan Amount' }))
  await waitFor(async () => expect(await names()).toEqual(['Corymbia', 'Banksia', 'Acacia']))
  expect(window.location.search).toBe('?sort=-loan_amount')

  await user.click(screen.getByRole('button', { name: 'Loan Amount' }))
  await waitFor(async () => expect(await names()).toEqual(['Banksia', 'Corymbia', 'Acacia']))
  expect(screen.getByRole('columnheader', { name: 'Loan Amount' }).getAttribute('aria-sort')).toBe('ascending')
})

test('a year of five digits does not end the filter that the list shows', async () => {
  serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }) })
  openApp('/leads?dateFrom=2026-05-01')
  await names()
  const field = screen.getByLabelText<HTMLInputElement>('Date From')
  fireEvent.change(field, { target: { value: '20261-05-01' } })
  fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'Contacted' } })
  await waitFor(() => expect(window.location.search).toBe('?dateFrom=2026-05-01&status=Contacted'))
  expect(field.max).toBe('9999-12-31')
})

test('filters are put in the address, sent to the server and counted, and a new filter opens the first page', async () => {
  const server = serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }, 2) }),
    'GET /dashboard/time-zone': () => ({ body: data({ time_zone: 'Australia/Sydney' }) }),
  })
  const user = openApp('/leads?page=2')
  await names()
  await user.click(screen.getByRole('button', { name: 'Filters' }))
  fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'Contacted' } })
  await waitFor(() => expect(window.location.search).toBe('?status=Contacted'))
  fireEvent.change(screen.getByLabelText('Date From'), { target: { value: '2026-05-01' } })
  await waitFor(() =>
    expect(server.seen.findLast(({ path }) => path === '/dashboard/leads')?.query).toEqual({
      limit: '20',
      status: 'Contacted',
      dateFrom: '2026-05-01',
      timezone: 'Australia/Brisbane',
    }),
  )
  expect(await screen.findByText('These are days in your time zone, Australia/Brisbane.')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Filters, 2 active' })).toBeDefined()

  await user.click(screen.getByRole('button', { name: 'Clear Filters' }))
  await waitFor(() => expect(window.location.search).toBe(''))
  expect(screen.getByLabelText<HTMLInputElement>('Date From').value).toBe('')
})

test('where the lender says its verdict on leads, rows show it and a filter offers its words', async () => {
  const verdict = { partner_verdict: 'Yours', verdict_reason: null, protected_until: '2027-03-03' }
  serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf({ ...verdict }), ...THREE] }) }),
    'GET /crm/lead-statuses': () => ({ body: data({ statuses: ['New Lead'], verdicts: ['Yours'] }) }),
  })
  const user = openApp('/leads')
  await names()
  expect(screen.getAllByText(/^Yours until Mar 3, 2027$/)).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Filters' }))
  fireEvent.change(await screen.findByLabelText('Lender’s Verdict'), { target: { value: 'Yours' } })
  await waitFor(() => expect(window.location.search).toBe('?verdict=Yours'))
})

test('several statuses are chips with counts in the address, and a chip takes its status away', async () => {
  const server = serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }),
    'GET /crm/lead-statuses': () => ({
      body: data({ statuses: ['New Lead', 'Contacted', 'Lost Lead'], counts: { Contacted: 1_200 }, verdicts: null }),
    }),
  })
  const user = openApp('/leads?status=New%20Lead')
  await names()
  fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'Contacted' } })
  await waitFor(() => expect(window.location.search).toBe('?status=New+Lead%7CContacted'))
  const chips = screen.getByRole('list', { name: 'Chosen filters' })
  expect(within(chips).getByRole('button', { name: /^Contacted/ }).textContent).toMatch(/^Contacted1,200/)
  expect(within(screen.getByLabelText('Status')).queryByRole('option', { name: 'Contacted' })).toBeNull()
  await user.click(within(chips).getByRole('button', { name: /^New Lead/ }))
  await waitFor(() =>
    expect(server.seen.findLast(({ path }) => path === '/dashboard/leads')?.query).toMatchObject({
      status: 'Contacted',
    }),
  )
})

test('a filter shows just the leads whose turn is the partner’s', async () => {
  const server = serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }) })
  const user = openApp('/leads')
  await names()
  await user.click(screen.getByRole('button', { name: 'Filters' }))
  await user.selectOptions(screen.getByLabelText('Whose Turn'), 'Your turn')
  await waitFor(() => expect(window.location.search).toBe('?turn=partner'))
  await waitFor(() =>
    expect(server.seen.findLast(({ path }) => path === '/dashboard/leads')?.query).toEqual({
      limit: '20',
      turn: 'partner',
    }),
  )
  expect(screen.getByRole('button', { name: 'Filters, 1 active' })).toBeDefined()
  await user.selectOptions(screen.getByLabelText('Whose Turn'), 'Anybody’s')
  await waitFor(() => expect(window.location.search).toBe(''))
})

test('two filters that change at once are both applied', async () => {
  serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }) })
  openApp('/leads')
  await names()
  fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'Contacted' } })
  fireEvent.change(screen.getByLabelText('Date From'), { target: { value: '2026-05-01' } })
  await waitFor(() => expect(window.location.search).toBe('?status=Contacted&dateFrom=2026-05-01'))
})

test('unknown parameters in the address are not sent to the server', async () => {
  const server = serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }) })
  openApp('/leads?utm_source=mail&stage=Funded&status=Contacted')
  await names()
  const asked = server.seen.filter(({ path }) => path === '/dashboard/leads')
  expect(asked.map(({ query }) => query)).toEqual([{ limit: '20', status: 'Contacted' }])
})

test('an empty list has one text for a partner without leads and another for a search', async () => {
  serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: [] }) }) })
  const user = openApp('/leads')
  expect(await screen.findByText("You haven't submitted any leads yet")).toBeDefined()
  expect(screen.getByRole('link', { name: 'Submit Your First Lead' })).toBeDefined()

  await user.type(screen.getByPlaceholderText('Search by business name, contact, email or LOID'), ' zz {Enter}')
  expect(await screen.findByText('Try adjusting your search or filters')).toBeDefined()
  expect(window.location.search).toBe('?search=zz')
})

test('on the first of two pages only Next is enabled, and on the last page only Previous', async () => {
  const full = Array.from({ length: 20 }, (_, i) => leadOf({ loid: `LO-AAAAAA${10 + i}` }))
  serveSignedIn({
    'GET /dashboard/leads': ({ query }) => ({
      body: query['page'] === '2' ? paged({ leads: THREE }, 2) : paged({ leads: full }, 1, true),
    }),
  })
  const user = openApp('/leads')
  const isDisabled = async (name: string) => (await screen.findByRole<HTMLButtonElement>('button', { name })).disabled
  expect(await isDisabled('Previous')).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(async () => expect(await names()).toHaveLength(3))
  expect(await isDisabled('Next')).toBe(true)
  expect(await isDisabled('Previous')).toBe(false)
})

test('the list says where it is, opens the last page, and sorts all leads if asked to', async () => {
  const full = Array.from({ length: 20 }, (_, i) => leadOf({ loid: `LO-AAAAAA${10 + i}`, loan_amount: i }))
  const server = serveSignedIn({
    'GET /dashboard/leads': ({ query }) => ({
      body:
        query['page'] === '262' ? paged({ leads: THREE }, 262, false, 5_223) : paged({ leads: full }, 1, true, 5_223),
    }),
  })
  const user = openApp('/leads')
  expect(await screen.findByText('1–20 of 5,223')).toBeDefined()
  expect(screen.queryByText('Sorted on this page')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Last page' }))
  expect(await screen.findByText('5,221–5,223 of 5,223')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'First page' }))

  await user.click(await screen.findByRole('button', { name: 'Loan Amount' }))
  expect(await screen.findByText('Sorted on this page')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Sort all 5,223' }))
  expect(await screen.findByText('Sorted all 5,223')).toBeDefined()
  expect(window.location.search).toBe('?sort=-loan_amount&sorted=all')
  expect(server.seen.findLast(({ path }) => path === '/dashboard/leads')?.query).toEqual({
    limit: '20',
    sort: 'loan_amount',
    order: 'desc',
  })
  // The rows stay as the server sorted them.
  expect((await names()).length).toBe(20)
  await user.click(screen.getByRole('button', { name: 'Sort only this page' }))
  await waitFor(() => expect(window.location.search).toBe('?sort=-loan_amount'))
})

test('Export CSV asks for the whole list as it is filtered and sorted, and says why if there is no file', async () => {
  const server = serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }, 1, true, 60) }),
    'GET /dashboard/leads/export': () => ({
      status: 429,
      body: {
        success: false,
        error: 'Two exports are being made. Please try again in a moment.',
        code: 'RATE_LIMITED',
      },
    }),
  })
  const user = openApp('/leads?page=2&status=Contacted&sort=loan_amount')
  await names()
  await user.click(screen.getByRole('button', { name: 'Export CSV' }))
  expect(await screen.findByText('Two exports are being made. Please try again in a moment.')).toBeDefined()
  expect(server.seen.find(({ path }) => path === '/dashboard/leads/export')?.query).toEqual({
    status: 'Contacted',
    sort: 'loan_amount',
    order: 'asc',
    timezone: 'Australia/Brisbane',
  })
})

test('when the next page of the list fails to load, the area around Try Again takes focus', async () => {
  const full = Array.from({ length: 20 }, (_, i) => leadOf({ loid: `LO-AAAAAA${10 + i}` }))
  serveSignedIn({
    'GET /dashboard/leads': ({ query }) =>
      query['page'] === '2'
        ? { status: 400, body: failure('No such page', 'VALIDATION') }
        : { body: paged({ leads: full }, 1, true) },
  })
  const user = openApp('/leads')
  await user.click(await screen.findByRole('button', { name: 'Next' }))
  const retry = await screen.findByRole('button', { name: 'Try Again' })
  expect(document.activeElement?.matches('main *') && document.activeElement.contains(retry)).toBe(true)
})

test('the second click of a double click does not open a lead', async () => {
  serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }) })
  const user = openApp('/leads')
  await names()
  const amount = screen.getByText('$120,000')
  fireEvent.click(amount, { detail: 2 })
  await user.tab()
  expect(window.location.pathname).toBe('/leads')
  fireEvent.click(amount, { detail: 1 })
  await waitFor(() => expect(window.location.pathname).toBe('/leads/LO-AAAAAAA3'))
})

test('a page past the last one has a button that opens the first page and keeps the sort order', async () => {
  serveSignedIn({
    'GET /dashboard/leads': ({ query }) => ({ body: paged({ leads: query['page'] === '99' ? [] : THREE }) }),
  })
  const user = openApp('/leads?page=99&sort=loid')
  expect(await screen.findByText('This page is past the last one')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Back to the first page' }))
  expect(await names()).toEqual(['Banksia', 'Acacia', 'Corymbia'])
  expect(window.location.search).toBe('?sort=loid')
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search leads' }))
})

test('clearing search and filters moves the focus to the search box, and never shows an empty list while leads load', async () => {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  serveSignedIn({
    'GET /dashboard/leads': async ({ query }) => {
      if (query['search'] === 'zz') return { body: paged({ leads: [] }) }
      await answered
      return { body: paged({ leads: THREE }) }
    },
  })
  const user = openApp('/leads?search=zz')
  await user.click(await screen.findByRole('button', { name: 'Clear search and filters' }))
  expect(await screen.findByRole('status', { name: 'Loading leads' })).toBeDefined()
  expect(screen.queryByText('No leads found')).toBeNull()
  answer()
  expect(await names()).toHaveLength(3)
  const box = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search leads' })
  expect(document.activeElement).toBe(box)
  expect(box.value).toBe('')
})

test('a list that failed to load says so and can be fetched again', async () => {
  let isUp = false
  serveSignedIn({
    'GET /dashboard/leads': () =>
      isUp ? { body: paged({ leads: THREE }) } : { status: 400, body: failure('No such filter', 'VALIDATION') },
  })
  const user = openApp('/leads')
  expect(await screen.findByText('Failed to load leads')).toBeDefined()
  isUp = true
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await names()).toHaveLength(3)
  // The button is gone, and the area around the table has the focus.
  expect(document.activeElement?.matches('main *')).toBe(true)
  expect(document.activeElement?.contains(screen.getByRole('table', { name: 'Leads' }))).toBe(true)
})

test('a lead that has not reached the CRM is marked, and can be sent again after the portal has given up', async () => {
  let crm: 'failed' | 'pending' = 'failed'
  const server = serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf({ crm })] }) }),
    'POST /crm/lead/LO-7K3M9QAZ/retry-push': () => {
      crm = 'pending'
      return { status: 202, body: { success: true, data: { loid: 'LO-7K3M9QAZ', crm } } }
    },
  })
  const user = openApp('/leads')
  await user.click(await screen.findByRole('button', { name: 'Not sent – Retry' }))
  const mark = await screen.findByText('Waiting for CRM')
  expect(document.activeElement?.matches('td, td *') && document.activeElement.contains(mark)).toBe(true)
  expect(server.seen.some(({ path }) => path.endsWith('/retry-push'))).toBe(true)
  expect(window.location.pathname).toBe('/leads')
})

test('a list says that there is no connection, and loads by itself when the connection is back', async () => {
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  serveSignedIn({
    'GET /dashboard/leads': () => {
      if (!navigator.onLine) throw new TypeError('Failed to fetch')
      return { body: paged({ leads: [leadOf({ business_name: 'Back again' })] }) }
    },
  })
  openApp('/leads')
  window.dispatchEvent(new Event('offline'))
  expect(await screen.findByText('No internet connection. Please check your network and try again.')).toBeDefined()
  online.mockReturnValue(true)
  window.dispatchEvent(new Event('online'))
  expect((await screen.findAllByText('Back again')).length).toBeGreaterThan(0)
})

test('a click with Ctrl or the middle button anywhere in a row acts as a click on the row’s link', async () => {
  serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }) })
  openApp('/leads')
  const link = await screen.findByRole('link', { name: 'Acacia' })
  const clicks: boolean[] = []
  link.addEventListener('click', (event) => {
    clicks.push(event.ctrlKey)
    event.preventDefault()
  })
  const cell = within(screen.getByRole('table', { name: 'Leads' })).getAllByRole('cell')[1] ?? document.body
  fireEvent.click(cell, { ctrlKey: true })
  fireEvent(cell, new MouseEvent('auxclick', { bubbles: true, button: 1 }))
  expect(clicks).toEqual([true, true])
  expect(window.location.pathname).toBe('/leads')
})

test('a lead that has changed in the list is fetched again when it is opened', async () => {
  let lead = leadOf({ loid: 'LO-AAAAAAA1', business_name: 'Banksia', lead_status: 'New Lead' })
  serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [lead] }) }),
    'GET /crm/lead/LO-AAAAAAA1': () => ({
      body: data({ lead: { ...lead, converted_to_deal: null }, notes: [], requests: [] }),
    }),
    'GET /crm/lead/LO-AAAAAAA1/status-history': () => ({ body: data([]) }),
  })
  const user = openApp('/leads/LO-AAAAAAA1')
  await screen.findByRole('heading', { level: 1, name: 'Banksia' })
  lead = { ...lead, lead_status: 'Contacted', modified_time: '2030-01-01T00:00:00.000Z' }
  await user.click(screen.getAllByRole('link', { name: 'Back to Leads' })[0] ?? document.body)
  await user.click(await screen.findByRole('link', { name: 'Banksia' }))
  await screen.findByRole('heading', { level: 1, name: 'Banksia' })
  await waitFor(() => expect(screen.getAllByText('Contacted')).not.toEqual([]))
})

test('a stale list is fetched again when its window gets the focus', async () => {
  const server = serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: THREE }) }) })
  openApp('/leads')
  await names()
  const asked = () => server.seen.filter(({ path }) => path === '/dashboard/leads').length
  const before = asked()
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + 31_000)
  // Base UI's toaster ignores a focus event that has a related target. Without one, the toaster would examine the
  // event's target, which fails in jsdom.
  fireEvent.focus(window, { relatedTarget: document.body })
  await waitFor(() => expect(asked()).toBe(before + 1))
})
