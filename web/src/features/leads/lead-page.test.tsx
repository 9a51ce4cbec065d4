import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { dealOf, leadOf, timelineOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

test('a lead’s page shows the known fields, and the present status if there is no history', async () => {
  serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({
      body: data({ lead: leadOf({ permit_link: 'javascript:alert(1)', loan_purpose: null }), notes: [], requests: [] }),
    }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
  })
  const user = openApp('/leads/LO-7K3M9QAZ')
  expect(await screen.findByRole('heading', { level: 1, name: 'Coastal Concrete' })).toBeDefined()
  expect(screen.getByRole('link', { name: 'Call' }).getAttribute('href')).toBe('tel:+61412345678')
  const mail = await screen.findByRole('link', { name: 'mia@coastal.example' })
  expect(mail.getAttribute('href')).toBe('mailto:mia@coastal.example')
  expect(screen.getByRole('link', { name: '+61 412 345 678' }).getAttribute('href')).toBe('tel:+61412345678')
  expect(screen.queryByRole('link', { name: /permit/ })).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'Status History' }))
  const history = await screen.findByRole('list', { name: 'Status History' })
  expect(history.textContent).toContain('New LeadLatest')

  await user.click(screen.getByRole('button', { name: 'Copy LOID' }))
  expect(await navigator.clipboard.readText()).toBe('LO-7K3M9QAZ')
})

test('a lead’s page names the partner’s contact at the lender, and a mail to them names the lead', async () => {
  const manager = { name: 'Priya Nair', phone: '+61255501900', email: 'priya@lender.example' }
  serveSignedIn({
    'POST /auth/verify': () => ({ body: data({ partnerId: 'p1', personId: 'h1', hold: null, manager }) }),
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
  })
  openApp('/leads/LO-7K3M9QAZ')
  const contact = await screen.findByRole('region', { name: 'Your Contact at the Lender' })
  expect(contact.textContent).toContain('Priya Nair')
  const links = [...contact.querySelectorAll('a')].map((link) => link.getAttribute('href'))
  expect(links).toEqual(['tel:+61255501900', 'mailto:priya@lender.example?subject=LO-7K3M9QAZ'])
})

test('if the history fails to load, the lead is shown, and a retry keeps a half-written note', async () => {
  let isBroken = true
  const server = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () =>
      isBroken ? { status: 403, body: failure('Not now', 'FORBIDDEN') } : { body: data([]) },
  })
  const user = openApp('/leads/LO-7K3M9QAZ')
  await user.click(await screen.findByRole('radio', { name: 'Status History' }))
  expect(await screen.findByText('Failed to load status history')).toBeDefined()
  const note = screen.getByLabelText<HTMLTextAreaElement>('Add a note')
  await user.type(note, 'Call after three')
  isBroken = false
  const seenBefore = server.seen.length
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByRole('list', { name: 'Status History' })).toBeDefined()
  expect(screen.getByLabelText('Add a note')).toBe(note)
  // The live stream opens a second after the page, which may be during this test.
  const asked = server.seen.slice(seenBefore).map(({ path }) => path)
  expect(asked.filter((path) => path !== '/live')).toEqual(['/crm/lead/LO-7K3M9QAZ/status-history'])
})

test('the page of a lead that became a deal opens the deal', async () => {
  serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({
      body: data({ lead: leadOf({ converted_to_deal: { loid: 'LO-7K3M9QAZ' } }), notes: [], requests: [] }),
    }),
    'GET /crm/deal/LO-7K3M9QAZ': () => ({
      body: data({ deal: dealOf(), notes: [], requests: [], converted_from_lead: false }),
    }),
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
  })
  openApp('/leads/LO-7K3M9QAZ')
  await waitFor(() => expect(window.location.pathname).toBe('/deals/LO-7K3M9QAZ'))
  expect(await screen.findByRole('heading', { level: 1, name: 'Coastal Concrete – Term Loan' })).toBeDefined()
})

test('when an open lead becomes a deal, its page stays until the deal has loaded, and a half-written note moves to the deal', async () => {
  let isReplaced = false
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { seen } = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({
      body: data({
        lead: leadOf({ crm: 'failed', converted_to_deal: isReplaced ? { loid: 'LO-AAAAAAA1' } : null }),
        notes: [],
        requests: [],
      }),
    }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    'GET /crm/deal/LO-AAAAAAA1': async () => {
      await answered
      return {
        body: data({ deal: dealOf({ loid: 'LO-AAAAAAA1' }), notes: [], requests: [], converted_from_lead: true }),
      }
    },
    'GET /crm/deal/LO-AAAAAAA1/timeline': () => ({ body: data(timelineOf()) }),
    'GET /crm/deal/LO-AAAAAAA1/stage-history': () => ({ body: data([]) }),
  })
  const user = openApp('/leads/LO-7K3M9QAZ')
  fireEvent.change(await screen.findByLabelText('Add a note'), { target: { value: 'Call after th' } })
  isReplaced = true
  await user.click(screen.getByRole('button', { name: 'Not sent – Retry' }))
  await waitFor(() => expect(seen.some(({ path }) => path === '/crm/deal/LO-AAAAAAA1')).toBe(true))
  expect(screen.getByRole('heading', { level: 1, name: 'Coastal Concrete' })).toBeDefined()
  answer()
  expect(await screen.findByText('Coastal Concrete became a deal')).toBeDefined()
  await waitFor(() => expect(window.location.pathname).toBe('/deals/LO-AAAAAAA1'))
  expect(screen.queryByText('Loading…')).toBeNull()
  expect((await screen.findByLabelText<HTMLTextAreaElement>('Add a note')).value).toBe('Call after th')
})

test('an address with another spelling of the LOID is replaced by the address with the record’s own LOID', async () => {
  const lead = () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) })
  serveSignedIn({
    'GET /crm/lead/lo7k3m9qaz': lead,
    'GET /crm/lead/LO-7K3M9QAZ': lead,
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
  })
  openApp('/leads/lo7k3m9qaz')
  await waitFor(() => expect(window.location.pathname).toBe('/leads/LO-7K3M9QAZ'))
  expect(await screen.findByRole('heading', { level: 1, name: 'Coastal Concrete' })).toBeDefined()
})

test('the page of a lead that fails to load has two links back to the list', async () => {
  serveSignedIn({ 'GET /crm/lead/LO-NOPE': () => ({ status: 404, body: failure('Lead not found', 'NOT_FOUND') }) })
  openApp('/leads/LO-NOPE')
  expect(await screen.findByText('Failed to load lead details')).toBeDefined()
  expect(screen.getAllByRole('link', { name: 'Back to Leads' })).toHaveLength(2)
})

test('when the lender removes an open lead, its page says so by name, and a restored lead is shown again', async () => {
  let isThere = true
  serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () =>
      isThere
        ? { body: data({ lead: leadOf({ crm: 'failed', crm_problem: 'Refused' }), notes: [], requests: [] }) }
        : {
            status: 404,
            body: {
              ...failure('The lender removed this lead.', 'LEAD_REMOVED'),
              removed: { business_name: 'Coastal Concrete', value: 'Pre Call', removed_at: '2026-11-24T01:00:00.000Z' },
            },
          },
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
  })
  const user = openApp('/leads/LO-7K3M9QAZ')
  const retry = await screen.findByRole('button', { name: 'Not sent – Retry' })
  isThere = false
  await user.click(retry)
  expect(await screen.findByText('The lender removed this lead on Nov 24, 2026')).toBeDefined()
  expect(screen.getByRole('heading', { level: 1, name: 'Coastal Concrete' })).toBeDefined()
  expect(screen.getByText(/Its last status was Pre Call\./)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull()
  expect(screen.getAllByRole('link', { name: 'Back to Leads' })).toHaveLength(2)

  isThere = true
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + 31_000)
  fireEvent(document, new Event('visibilitychange', { bubbles: true }))
  expect(await screen.findByRole('region', { name: 'Primary Information' })).toBeDefined()
})

test('if the address has no id, the lead’s page says that the id is invalid', async () => {
  serveSignedIn({})
  openApp('/leads/%20')
  expect(await screen.findByText('Invalid lead ID')).toBeDefined()
})

test('Back to Leads opens the list with its former filters, or the whole list if the person came from elsewhere', async () => {
  serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf()] }) }),
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
  })
  const user = openApp('/leads/LO-7K3M9QAZ')
  async function goBack() {
    await screen.findByRole('heading', { level: 1, name: 'Coastal Concrete' })
    await user.click(screen.getByRole('link', { name: 'Back to Leads' }))
    await screen.findByRole('table', { name: 'Leads' })
  }
  await goBack()
  expect(window.location.search).toBe('')

  fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'Contacted' } })
  await waitFor(() => expect(window.location.search).toBe('?status=Contacted'))
  await user.click(screen.getByRole('link', { name: 'Coastal Concrete' }))
  await goBack()
  expect([window.location.pathname, window.location.search]).toEqual(['/leads', '?status=Contacted'])
})

test.each([
  [200, 'Coastal Concrete'],
  [400, 'Lead'],
])(
  'if a lead is opened from the list and the call for it answers %i, the heading %s has the focus',
  async (status, heading) => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    serveSignedIn({
      'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf()] }) }),
      'GET /crm/lead/LO-7K3M9QAZ': async () => {
        await answered
        return { status, body: status === 200 ? data({ lead: leadOf(), notes: [], requests: [] }) : failure('No', 'X') }
      },
      'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    })
    const user = openApp('/leads')
    await user.click((await screen.findAllByRole('link', { name: 'Coastal Concrete' }))[0] ?? document.body)
    await screen.findByRole('status', { name: 'Loading lead' })
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'Lead' })))
    answer()
    await waitFor(() => expect(screen.queryByRole('status', { name: 'Loading lead' })).toBeNull())
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: heading }))
  },
)

test('if a lead fails to load, both back links open the list with its search', async () => {
  serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf()] }) }),
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ status: 400, body: failure('No', 'X') }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
  })
  const user = openApp('/leads?search=coastal')
  for (const position of [0, 1]) {
    await user.click((await screen.findAllByRole('link', { name: 'Coastal Concrete' }))[0] ?? document.body)
    await user.click((await screen.findAllByRole('link', { name: 'Back to Leads' }))[position] ?? document.body)
    await screen.findByRole('table', { name: 'Leads' })
    expect(window.location.pathname + window.location.search).toBe('/leads?search=coastal')
  }
})

test('what the lender asks is answered at the request, which a mail’s link has opened', async () => {
  const asked = { id: 'r1', subject: 'Bank statements', reason: 'Three months', due_on: '2026-12-01', state: 'asked' }
  const times: Record<'asked_at' | 'answered_at', string | null> = {
    asked_at: '2026-11-20T01:00:00.000Z',
    answered_at: null,
  }
  let requests = [
    { ...asked, ...times },
    { ...asked, ...times, id: 'r2', subject: 'Quote', state: 'accepted' },
  ]
  const server = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => {
      const side = requests.some(({ state }) => state === 'asked') ? 'partner' : 'lender'
      return { body: data({ lead: leadOf({ side }), notes: [], requests }) }
    },
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    'POST /crm/request/r1/answer': () => {
      const sent = { state: 'sent', answered_at: new Date().toISOString() }
      requests = requests.map((one) => (one.id === 'r1' ? { ...one, ...sent } : one))
      return { status: 201, body: data({ note: { id: 'n1', content: 'They are on their way' } }) }
    },
  })
  const user = openApp('/leads/LO-7K3M9QAZ?answer=r1')
  const list = await screen.findByRole('region', { name: 'What the lender asks' })
  expect(list.textContent).toContain('Bank statementsAskedThree monthsUntil Dec 1, 2026')
  expect(list.textContent).toContain('QuoteAccepted')
  expect(screen.getByText('Your turn')).toBeDefined()
  const field = screen.getByLabelText('Answer: Bank statements')
  expect(document.activeElement).toBe(field)
  await user.type(field, 'They are on their way')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  const reply = screen.getByRole('button', { name: 'Reply: Bank statements' })
  expect(document.activeElement).toBe(reply)
  await user.click(reply)
  await user.click(screen.getByRole('button', { name: 'Send Answer' }))
  await waitFor(() => expect(list.textContent).toContain('Bank statementsSent'))
  expect(list.textContent).toContain('Answered just now')
  expect(server.seen.find(({ path }) => path === '/crm/request/r1/answer')?.body).toEqual({
    content: 'They are on their way',
  })
  expect(screen.queryByRole('button', { name: 'Reply: Bank statements' })).toBeNull()
})
