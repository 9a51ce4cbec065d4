import { CONSENT_VERSION } from '@portal/contract/lead-form.ts'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

type Handlers = Parameters<typeof serveSignedIn>[0]

const realMatchMedia = window.matchMedia

const CREATED = { id: 'l1', loid: 'LO-7K3M9QAZ', lead_status: 'New Lead', crm: 'pending' }

async function openForm(handlers: Handlers = {}) {
  const server = serveSignedIn({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [] }) }),
    'GET /dashboard/leads/duplicates': () => ({ body: data({ duplicates: [] }) }),
    'GET /dashboard/usual-country': () => ({ body: data({ iso: 'AU' }) }),
    'POST /dashboard/leads': () => ({ status: 201, body: data(CREATED) }),
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    ...handlers,
  })
  const user = openApp('/leads/new')
  const submit = await screen.findByRole('button', { name: 'Submit Lead' })
  return {
    server,
    user,
    submit,
    submitted: () => server.seen.filter(({ method, path }) => method === 'POST' && path === '/dashboard/leads'),
  }
}

function field(label: string) {
  return screen.getByLabelText<HTMLInputElement>(new RegExp(`^${label}( \\*)?$`))
}

function fill(values: Record<string, string>) {
  for (const [label, value] of Object.entries(values)) fireEvent.change(field(label), { target: { value } })
}

const APPLICANT = {
  'First Name': 'Mia',
  'Last Name': 'Singh',
  Email: 'mia@coastal.example',
  Phone: '0412 345 678',
  'Business Name': 'Coastal Concrete',
}

test('the form links to the lender’s privacy notice, if there is one', async () => {
  await openForm({ 'GET /auth/privacy': () => ({ body: data({ url: 'https://lender.example/privacy' }) }) })
  expect(await screen.findByText(/How the applicant’s data is handled/)).toBeDefined()
  expect(screen.getByRole<HTMLAnchorElement>('link', { name: 'Privacy notice' }).href).toBe(
    'https://lender.example/privacy',
  )
})

test('missing fields are listed in a toast and marked, and the first one has the focus', async () => {
  const { user, submit, submitted } = await openForm()
  fill({ 'Last Name': 'Singh', Email: 'mia@coastal.example' })
  await user.click(submit)
  expect(await screen.findByText('Please fill in all required fields: First Name, Phone, Business Name')).toBeDefined()
  expect(screen.getByText('Phone number is required')).toBeDefined()
  expect(document.activeElement).toBe(field('First Name'))
  expect(submitted()).toHaveLength(0)
})

test('a double click submits a lead once, with numbers in their stored form, and opens the lead’s page', async () => {
  const { user, submit, submitted } = await openForm()
  fill({ ...APPLICANT, 'Loan Amount': '50k', 'Monthly Turnover': '12,000.50' })
  await user.dblClick(submit)
  await waitFor(() => expect(window.location.pathname).toBe('/leads/LO-7K3M9QAZ'))
  expect(submitted()).toHaveLength(1)
  const [request] = submitted()
  expect(request?.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/)
  expect(request?.body).toMatchObject({
    phone: '+61412345678',
    iso: 'AU',
    loanAmount: 50_000,
    monthlyTurnover: 12_000.5,
    leadSource: 'Partner Portal',
    consentVersion: CONSENT_VERSION,
  })
})

test('the button “Submit and add another” empties the form, and a toast names the submitted lead', async () => {
  const { user, submitted } = await openForm({
    'GET /dashboard/leads/duplicates': () => ({
      body: data({
        duplicates: [
          { loid: 'LO-AAAAAAA1', business_name: null, created_at: '2026-11-01T00:00:00.000Z', matches: ['email'] },
        ],
      }),
    }),
  })
  fill({ ...APPLICANT, 'Loan Amount': '50k' })
  fireEvent.blur(field('Email'))
  expect(await screen.findByText('LO-AAAAAAA1')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Submit and add another' }))
  expect(await screen.findByText('Coastal Concrete was submitted as LO-7K3M9QAZ')).toBeDefined()
  expect(window.location.pathname).toBe('/leads/new')
  await waitFor(() => expect(document.activeElement).toBe(field('First Name')))
  for (const label of [...Object.keys(APPLICANT), 'Loan Amount']) expect(field(label).value).toBe('')
  expect(screen.queryByText('LO-AAAAAAA1')).toBeNull()

  fill(APPLICANT)
  await user.click(screen.getByRole('button', { name: 'Submit Lead' }))
  await waitFor(() => expect(window.location.pathname).toBe('/leads/LO-7K3M9QAZ'))
  const keys = submitted().map(({ headers }) => headers.get('idempotency-key'))
  expect(new Set(keys).size).toBe(2)
})

test.each([
  [true, 'First Name'],
  [false, null],
])(
  'device with a mouse: %s; the form opens with the focus on: %s; leaving the first field empty is not an error',
  async (hasMouse, focused) => {
    vi.spyOn(window, 'matchMedia').mockImplementation((media) =>
      Object.assign(realMatchMedia(media), { matches: hasMouse }),
    )
    const { user } = await openForm()
    expect(document.activeElement === field('First Name') ? 'First Name' : null).toBe(focused)
    fireEvent.focus(field('First Name'))
    fireEvent.blur(field('First Name'))
    await user.click(field('Last Name'))
    expect(field('First Name').getAttribute('aria-invalid')).toBeNull()
  },
)

test('a submitted amount is formatted even while the cursor is in its field', async () => {
  const { user, submitted } = await openForm({
    'POST /dashboard/leads': () => ({ status: 500, body: failure('x', 'INTERNAL') }),
  })
  fill(APPLICANT)
  await user.type(field('Loan Amount'), '250k{Enter}')
  expect(await screen.findByText('Server error. Please try again or contact support.')).toBeDefined()
  expect(submitted()[0]?.body).toMatchObject({ loanAmount: 250_000 })
  expect(document.activeElement).toBe(field('Loan Amount'))
  expect(field('Loan Amount').value).toBe('$250,000')
})

test('a failed submission keeps all fields, and a second attempt uses the same key', async () => {
  let isUp = false
  const { user, submit, submitted } = await openForm({
    'POST /dashboard/leads': () =>
      isUp ? { status: 201, body: data(CREATED) } : { status: 500, body: failure('x', 'INTERNAL') },
  })
  fill(APPLICANT)
  await user.click(submit)
  expect(await screen.findByText('Server error. Please try again or contact support.')).toBeDefined()
  expect(field('Business Name').value).toBe('Coastal Concrete')
  isUp = true
  await user.click(submit)
  await waitFor(() => expect(submitted()).toHaveLength(2))
  const keys = submitted().map(({ headers }) => headers.get('idempotency-key'))
  expect(keys[0]).toBe(keys[1])
})

test('a phone number that the server refuses is not marked as correct', async () => {
  const text = 'This number is not in use'
  const { user, submit } = await openForm({
    'POST /dashboard/leads': () => ({ status: 400, body: failure(text, 'VALIDATION_ERROR', { phone: text }) }),
  })
  fill(APPLICANT)
  expect(field('Phone').className).toContain('border-success')
  await user.click(submit)
  expect((await screen.findAllByText(text)).length).toBeGreaterThan(0)
  await waitFor(() => expect(field('Phone').className).not.toContain('border-success'))
})

test('a submission whose answer was lost keeps its key after a reload and after the end of the session', async () => {
  const keys: (string | null)[] = []
  let status = 504
  const handlers: Handlers = {
    'POST /dashboard/leads': ({ headers }) => {
      keys.push(headers.get('idempotency-key'))
      return { status, body: status === 201 ? data(CREATED) : failure('x', status === 401 ? 'UNAUTHORIZED' : 'LATE') }
    },
    'POST /auth/login': () => ({
      body: {
        success: true,
        token: 'token-2',
        partner: { id: 'p1', email: 'demo@harbour.example', businessName: 'Harbour Finance' },
        person: { id: 'h1', role: 'owner' },
      },
    }),
  }
  const first = await openForm(handlers)
  fill(APPLICANT)
  await first.user.click(first.submit)
  await waitFor(() => expect(keys).toHaveLength(1))

  status = 401
  cleanup()
  const { user, submit } = await openForm(handlers)
  await user.click(submit)
  await screen.findByRole('heading', { name: 'Sign in' })

  status = 201
  await user.type(screen.getByLabelText('Email'), 'demo@harbour.example')
  await user.type(screen.getByLabelText('Password'), 'secret')
  await user.click(screen.getByRole('button', { name: 'Sign in' }))
  await user.click(await screen.findByRole('button', { name: 'Submit Lead' }))
  await waitFor(() => expect(window.location.pathname).toBe('/leads/LO-7K3M9QAZ'))
  expect(keys).toEqual([keys[0], keys[0], keys[0]])
  expect(JSON.stringify(sessionStorage)).not.toContain('Mia')
})

test('if the server refuses a field, the reason is shown, and the field is marked and has the focus', async () => {
  const { user, submit } = await openForm({
    'POST /dashboard/leads': () => ({
      status: 400,
      body: failure('This address bounces', 'VALIDATION', { email: 'This address bounces' }),
    }),
  })
  fill(APPLICANT)
  await user.click(submit)
  expect(await screen.findByText('Validation Error: This address bounces')).toBeDefined()
  expect(field('Email').getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(field('Email'))
})

test('if the answer to a submission has no LOID, a warning is shown and the list opens', async () => {
  const { user, submit } = await openForm({
    'POST /dashboard/leads': () => ({ status: 201, body: data({ id: 'l1' }) }),
  })
  fill(APPLICANT)
  await user.click(submit)
  await waitFor(() => expect(window.location.pathname).toBe('/leads'))
  expect(screen.getByText(/its LOID is not known yet/)).toBeDefined()
})

test('a number that fits both countries is read as in most leads, then in the chosen state, and has a switch', async () => {
  const usual = { 'GET /dashboard/usual-country': () => ({ body: data({ iso: 'NZ' }) }) }
  const { user, submit, submitted } = await openForm(usual)
  fill({ ...APPLICANT, Phone: '027 123 4567' })
  expect(await screen.findByText('New Zealand, mobile: +64 27 123 4567')).toBeDefined()
  await user.selectOptions(screen.getByLabelText('State/Region'), 'NSW')
  expect(screen.getByText('Australia, landline: +61 2 7123 4567')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'New Zealand instead' }))
  expect(screen.getByText('New Zealand, mobile: +64 27 123 4567')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Australia instead' })).toBeDefined()
  await user.click(submit)
  await waitFor(() => expect(submitted()[0]?.body).toMatchObject({ phone: '+64271234567', iso: 'NZ' }))
})

test('without a switch or a state, the form sends the number as it shows it', async () => {
  const usual = { 'GET /dashboard/usual-country': () => ({ body: data({ iso: 'NZ' }) }) }
  const { user, submit, submitted } = await openForm(usual)
  fill({ ...APPLICANT, Phone: '027 123 4567' })
  expect(await screen.findByText('New Zealand, mobile: +64 27 123 4567')).toBeDefined()
  await user.click(submit)
  await waitFor(() => expect(submitted()[0]?.body).toMatchObject({ phone: '+64271234567', iso: 'NZ' }))
})

test('the form recognises 021 as a New Zealand mobile, and points out a missing digit after 04', async () => {
  const { user } = await openForm()
  fill({ Phone: '021 123 4567' })
  expect(await screen.findByText('New Zealand, mobile: +64 21 123 4567')).toBeDefined()
  await user.clear(field('Phone'))
  fill({ Phone: '04 1234 567' })
  expect(await screen.findByText('Looks like an Australian mobile with a digit missing')).toBeDefined()
})

test('a toast names the detected country when typing pauses', async () => {
  const { user } = await openForm()
  await user.type(field('Phone'), '+64 21 123 4567')
  expect(await screen.findByText('Phone number detected: New Zealand')).toBeDefined()
})

test('an amount is shown in whole dollars when the person leaves its field, and is submitted with its cents', async () => {
  const { user, submit, submitted } = await openForm()
  fill(APPLICANT)
  const amount = field('Loan Amount')
  await user.type(amount, '50,000.50')
  await user.tab()
  expect(amount.value).toBe('$50,001')
  await user.click(amount)
  await user.tab()
  expect(amount.value).toBe('$50,001')
  const turnover = field('Monthly Turnover')
  await user.type(turnover, '50-60k')
  const remark = screen.getByText('Write one amount, such as 50,000').closest('p')
  expect(remark?.textContent).toMatch(/\$5,060$/)
  await user.tab()
  expect([turnover.value, turnover.getAttribute('aria-invalid')]).toEqual(['$5,060', null])
  expect(document.getElementById(turnover.getAttribute('aria-describedby') ?? '')?.contains(remark)).toBe(true)
  await user.click(submit)
  await waitFor(() => expect(submitted()[0]?.body).toMatchObject({ loanAmount: 50_000.5, monthlyTurnover: 5_060 }))
})

test('text that is too long is refused, not cut off', async () => {
  const { user, submit, submitted } = await openForm()
  fill(APPLICANT)
  const text = 'x'.repeat(5_001)
  await user.click(field('Additional Information'))
  await user.paste(text)
  await user.click(submit)
  expect(await screen.findByText('Additional information must be 5000 characters or fewer')).toBeDefined()
  expect(field('Additional Information').value).toBe(text)
  expect(submitted()).toHaveLength(0)
})

test('warnings appear and do not stop the submission', async () => {
  const { user, submit, submitted } = await openForm()
  expect(screen.queryByLabelText('Property Value')).toBeNull()
  await user.click(screen.getByLabelText('The applicant owns property'))
  expect(screen.getByLabelText('Outstanding Debt')).toBeDefined()
  fill({ ...APPLICANT, ABN: '12345678901', 'Loan Amount': '12m' })
  fireEvent.blur(field('ABN'))
  expect(await screen.findByText('This does not look like a valid ABN')).toBeDefined()
  expect(screen.getByText('Large loan amounts may require additional documentation')).toBeDefined()
  await user.click(submit)
  await waitFor(() => expect(submitted()).toHaveLength(1))
  expect(await screen.findByText('Property value is recommended when using property as security')).toBeDefined()
})

test('the form warns of a recent lead for the same applicant and links to that lead, until nothing matches', async () => {
  const { server } = await openForm({
    'GET /dashboard/leads/duplicates': () => ({
      body: data({
        duplicates: [
          { loid: 'LO-AAAAAAA1', business_name: 'Banksia', created_at: '2026-09-12T03:00:00.000Z', matches: ['email'] },
        ],
      }),
    }),
  })
  fill({ Email: 'mia@coastal.example' })
  fireEvent.blur(field('Email'))
  const link = await screen.findByRole('link', { name: /LO-AAAAAAA1/ })
  expect(link.parentElement?.textContent).toContain('from 12 Sep: Banksia')
  expect(link.getAttribute('target')).toBe('_blank')
  const asked = server.seen.find(({ path }) => path === '/dashboard/leads/duplicates')
  expect(asked?.query).toEqual({ email: 'mia@coastal.example' })

  fill({ Email: '' })
  fireEvent.blur(field('Email'))
  await waitFor(() => expect(screen.queryByText(/^Looks like/)).toBeNull())
})

test('leaving an empty form does not ask for confirmation', async () => {
  const { user } = await openForm()
  await user.click(screen.getByRole('link', { name: 'Cancel' }))
  await waitFor(() => expect(window.location.pathname).toBe('/leads'))
})

test('leaving a form with entries asks for confirmation, and Keep Editing keeps the entries', async () => {
  const { user } = await openForm()
  fill({ 'First Name': 'Mia' })
  await user.click(screen.getByRole('link', { name: 'Back to Leads' }))
  await user.click(await screen.findByRole('button', { name: 'Keep Editing' }))
  expect(window.location.pathname).toBe('/leads/new')
  expect(field('First Name').value).toBe('Mia')
  await user.click(screen.getByRole('link', { name: 'Cancel' }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  await waitFor(() => expect(window.location.pathname).toBe('/leads'))
})

test('a submission that ends after the person has left the page does not change the next lead', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { user, submit } = await openForm({
    'POST /dashboard/leads': async () => {
      await answered
      return { status: 201, body: data(CREATED) }
    },
  })
  fill(APPLICANT)
  await user.click(submit)
  await user.click(screen.getByRole('link', { name: 'Cancel' }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  await user.click(await screen.findByRole('link', { name: 'New Lead' }))
  await screen.findByRole('button', { name: 'Submit Lead' })
  fill({ 'First Name': 'Ben' })
  answer()
  expect(await screen.findByText('Coastal Concrete was submitted as LO-7K3M9QAZ')).toBeDefined()
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect([window.location.pathname, field('First Name').value]).toEqual(['/leads/new', 'Ben'])
  expect(JSON.stringify(sessionStorage)).toContain('Ben')
})

test.each([['Cancel'], ['Back to Leads']])('the link %s returns to the list with its former filters', async (name) => {
  serveSignedIn({ 'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf()] }) }) })
  const user = openApp('/leads?status=Contacted&sort=loid')
  await user.click(await screen.findByRole('link', { name: 'New Lead' }))
  await user.click(await screen.findByRole('link', { name }))
  await waitFor(() => expect(window.location.pathname).toBe('/leads'))
  expect(window.location.search).toBe('?status=Contacted&sort=loid')

  await user.click(await screen.findByRole('link', { name: 'New Lead' }))
  await screen.findByRole('button', { name: 'Submit Lead' })
  fill({ 'First Name': 'Mia' })
  await user.click(screen.getByRole('link', { name }))
  await user.click(await screen.findByRole('button', { name: 'Keep Editing' }))
  await waitFor(() => expect(window.location.pathname).toBe('/leads/new'))
  expect(field('First Name').value).toBe('Mia')
  await user.click(screen.getByRole('link', { name }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  await screen.findByRole('table', { name: 'Leads' })
  expect(window.location.pathname + window.location.search).toBe('/leads?status=Contacted&sort=loid')
})

test('after a session ends, the same person finds the draft again, but a colleague does not', async () => {
  const partner = { id: 'p1', email: 'demo@harbour.example', businessName: 'Harbour Finance' }
  let personId = 'h1'
  const { user, submit } = await openForm({
    'POST /dashboard/leads': () => ({ status: 401, body: failure('Please sign in again.', 'UNAUTHORIZED') }),
    'POST /auth/login': () => ({
      body: { success: true, token: 'token-2', partner, person: { id: personId, role: 'owner' } },
    }),
    'POST /auth/verify': () => ({
      body: data({ partnerId: partner.id, businessName: partner.businessName, partnerEmail: partner.email, personId }),
    }),
  })
  fill({ ...APPLICANT, 'Loan Amount': '250k' })
  await user.click(submit)
  expect(await screen.findByText('Authentication error. Please log in again.')).toBeDefined()
  // The page shows only one message about the end of the session.
  expect(screen.queryByText('Your session has ended. Please sign in again.')).toBeNull()

  async function signInAgain() {
    await screen.findByRole('heading', { name: 'Sign in' })
    await user.type(screen.getByLabelText('Email'), 'demo@harbour.example')
    await user.type(screen.getByLabelText('Password'), 'secret')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
  }

  personId = 'h2'
  await signInAgain()
  await screen.findByRole('button', { name: 'Submit Lead' })
  expect(field('Business Name').value).toBe('')
  // Emptying a form does not touch another person's draft, and neither does leaving a form at the end of a session.
  fill({ 'First Name': 'Ben' })
  fill({ 'First Name': '' })
  fill({ 'Last Name': 'Ode' })
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  await user.click(screen.getByRole('button', { name: 'Sign Out' }))

  personId = 'h1'
  await signInAgain()
  await user.click(await screen.findByRole('link', { name: 'New Lead' }))
  await screen.findByRole('button', { name: 'Submit Lead' })
  expect(screen.getByText('Your unsubmitted draft has been restored.')).toBeDefined()
  expect([field('Business Name').value, field('Loan Amount').value]).toEqual(['Coastal Concrete', '$250,000'])
  // The draft is stored again, so a reload would not lose it.
  expect(JSON.stringify(sessionStorage)).toContain('Coastal Concrete')
  await user.click(screen.getByRole('link', { name: 'Cancel' }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  await user.click(await screen.findByRole('link', { name: 'New Lead' }))
  expect((await screen.findByLabelText<HTMLInputElement>(/^Business Name/)).value).toBe('')
})

test('a restored draft is submitted with the version of the consent text that the page shows', async () => {
  await openForm()
  fill(APPLICANT)
  // The draft was kept by a version of the portal with another consent text.
  for (const key of Object.keys(sessionStorage))
    sessionStorage.setItem(key, sessionStorage.getItem(key)?.replace(CONSENT_VERSION, '2025-01') ?? '')
  cleanup()
  const { user, submit, submitted } = await openForm()
  expect(field('Business Name').value).toBe('Coastal Concrete')
  await user.click(submit)
  await waitFor(() => expect(submitted()[0]?.body).toMatchObject({ consentVersion: CONSENT_VERSION }))
})

test('after a reload only the same person finds the draft, until it is discarded or submitted', async () => {
  const { user } = await openForm()
  fill({ 'First Name': 'Mia', 'Loan Amount': '250k' })
  fireEvent.blur(field('Loan Amount'))

  async function reload() {
    cleanup()
    return openForm()
  }
  await reload()
  expect(screen.getByText('Your unsubmitted draft has been restored.')).toBeDefined()
  expect([field('First Name').value, field('Loan Amount').value]).toEqual(['Mia', '$250,000'])

  cleanup()
  localStorage.setItem('auth_person', 'somebody-else')
  openApp('/leads/new')
  await screen.findByRole('button', { name: 'Submit Lead' })
  expect([field('First Name').value, JSON.stringify(sessionStorage)]).toEqual(['', expect.not.stringContaining('Mia')])

  fill({ 'First Name': 'Mia' })
  await reload()
  await user.click(screen.getByRole('button', { name: 'Discard draft' }))
  expect([field('First Name').value, document.activeElement]).toEqual(['', field('First Name')])
  expect(screen.queryByText('Your unsubmitted draft has been restored.')).toBeNull()
  expect(JSON.stringify(sessionStorage)).not.toContain('Mia')

  fill(APPLICANT)
  await user.click(screen.getByRole('button', { name: 'Submit Lead' }))
  await waitFor(() => expect(window.location.pathname).toBe('/leads/LO-7K3M9QAZ'))
  expect(JSON.stringify(sessionStorage)).not.toContain('Mia')
})

test('a lead that shows a tax file number is submitted only after Send anyway', async () => {
  const { user, submit, submitted } = await openForm()
  fill({ ...APPLICANT, 'Loan Amount': '50k', 'Loan Purpose': 'Truck. Tax file number 123456782' })
  await user.click(submit)
  const anyway = await screen.findByRole('button', { name: 'Send anyway' })
  expect(submitted()).toHaveLength(0)
  await user.click(anyway)
  await waitFor(() => expect(submitted()).toHaveLength(1))
})
