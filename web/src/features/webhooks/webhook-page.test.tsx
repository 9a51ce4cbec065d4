import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { pressEnterInInputMethod } from '../../testing/input-method.ts'
import { openApp } from '../../testing/open-app.tsx'
import { webhookEndpointOf, webhookLogOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

const NONE = webhookEndpointOf({ webhook_url: null, is_active: false, secret_preview: null })
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

type Handlers = Parameters<typeof serveSignedIn>[0]

function serveWebhook(handlers: Handlers = {}) {
  return serveSignedIn({
    'GET /dashboard/webhook-url': () => ({ body: data(webhookEndpointOf()) }),
    'GET /dashboard/webhook-logs': () => ({ body: paged([]) }),
    ...handlers,
  })
}

function button(name: string | RegExp) {
  return screen.findByRole<HTMLButtonElement>('button', { name })
}

test('the page says that its data is loading', async () => {
  serveWebhook({
    'GET /dashboard/webhook-url': () => new Promise(() => {}),
    'GET /dashboard/webhook-logs': () => new Promise(() => {}),
  })
  openApp('/webhook')
  expect(await screen.findByRole('status', { name: 'Loading webhook' })).toBeDefined()
  expect(screen.getByRole('heading', { level: 1, name: 'Webhook' })).toBeDefined()
  expect(document.title).toBe('Webhook · Partner Portal')
})

test.each(['webhook-url', 'webhook-logs'])('Try Again fetches webhook data that failed to load (%s)', async (name) => {
  let isBroken = true
  const answer = name === 'webhook-url' ? data(webhookEndpointOf()) : paged([])
  serveWebhook({
    [`GET /dashboard/${name}`]: () =>
      isBroken ? { status: 400, body: failure('No', 'VALIDATION') } : { body: answer },
  })
  const user = openApp('/webhook')
  expect(await screen.findAllByText('Failed to load webhook data')).toHaveLength(1)
  isBroken = false
  await user.click(await button('Try Again'))
  expect(await screen.findByText('No webhook logs yet')).toBeDefined()
  expect(await screen.findByText('https://hooks.saltbush.example/portal')).toBeDefined()
  expect(screen.queryByText('Failed to load webhook data')).toBeNull()
})

test('the first URL comes with a signing secret, which is hidden at first and disappears after “I have saved it”', async () => {
  const server = serveWebhook({
    'GET /dashboard/webhook-url': () => ({ body: data(NONE) }),
    'PUT /dashboard/webhook-url': () => ({ body: data({ ...webhookEndpointOf(), secret: SECRET }) }),
  })
  const user = openApp('/webhook')
  await user.click(await button('Add URL'))
  const field = screen.getByLabelText<HTMLInputElement>('Webhook URL')
  expect(document.activeElement).toBe(field)
  const save = await button('Save URL')
  expect(save.disabled).toBe(true)
  await user.type(field, '   ')
  expect(save.disabled).toBe(true)
  await user.type(field, 'https://hooks.saltbush.example/portal')
  await user.click(save)

  expect(await screen.findByText('Webhook URL saved')).toBeDefined()
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({
    webhook_url: 'https://hooks.saltbush.example/portal',
  })
  expect(screen.getByText('Active')).toBeDefined()
  const panel = screen.getByRole('region', { name: 'Your signing secret' })
  expect(document.activeElement).toBe(within(panel).getByRole('heading'))
  expect(screen.queryByText(SECRET)).toBeNull()
  await user.click(await button('Show signing secret'))
  expect(screen.getByText(SECRET)).toBeDefined()
  await user.click(await button('Copy signing secret'))
  expect(await navigator.clipboard.readText()).toBe(SECRET)
  expect(await button('Copied')).toBeDefined()

  await user.click(await button('I have saved it'))
  expect(screen.queryByRole('region', { name: 'Your signing secret' })).toBeNull()
  expect(document.activeElement).toBe(await button('Edit URL'))
  expect(screen.getByText('whsec_a1...')).toBeDefined()
})

test.each([
  ['http://hooks.saltbush.example', 'Webhook URL must begin with https://'],
  ['hooks.saltbush.example', 'Please enter a complete address, such as https://example.com/webhooks'],
])('the URL %s is refused before it is sent', async (url, text) => {
  const server = serveWebhook({ 'GET /dashboard/webhook-url': () => ({ body: data(NONE) }) })
  const user = openApp('/webhook')
  await user.click(await button('Add URL'))
  await user.type(screen.getByLabelText('Webhook URL'), `${url}{Enter}`)
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.getByLabelText('Webhook URL').getAttribute('aria-invalid')).toBe('true')
  expect(server.seen.some(({ method }) => method === 'PUT')).toBe(false)
  await user.click(await button('Cancel'))
  expect(document.activeElement).toBe(await button('Add URL'))
})

test('the server’s refusal of a URL is shown beside the field until the field changes', async () => {
  const refusal = 'Webhook URL must lead to a public address'
  serveWebhook({
    'PUT /dashboard/webhook-url': () => ({
      status: 400,
      body: failure(refusal, 'VALIDATION', { webhook_url: refusal }),
    }),
  })
  const user = openApp('/webhook')
  await user.click(await button('Edit URL'))
  const field = screen.getByLabelText<HTMLInputElement>('Webhook URL')
  expect(field.value).toBe('https://hooks.saltbush.example/portal')
  await user.clear(field)
  await user.type(field, 'https://10.0.0.1/{Enter}')
  expect(await screen.findByText(refusal)).toBeDefined()
  expect(field.value).toBe('https://10.0.0.1/')
  await user.type(field, 'a')
  expect(screen.queryByText(refusal)).toBeNull()
})

test.each([
  ['a server error', { status: 500, body: failure('Database away', 'INTERNAL') }, ['Database away']],
  ['a failure without a message', { status: 502, body: null }, []],
])('a URL that is not saved because of %s stays in the field', async (_name, answer, details) => {
  serveWebhook({ 'PUT /dashboard/webhook-url': () => answer })
  const user = openApp('/webhook')
  await user.click(await button('Edit URL'))
  await user.type(screen.getByLabelText('Webhook URL'), '2{Enter}')
  expect(await screen.findByText('Failed to update webhook URL')).toBeDefined()
  for (const words of details) expect(screen.getByText(words)).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Webhook URL').value).toBe('https://hooks.saltbush.example/portal2')
})

test('a URL that is too long is sent in full, and its refusal is shown', async () => {
  const refusal = 'Webhook URL must be 2048 characters or fewer'
  const server = serveWebhook({
    'GET /dashboard/webhook-url': () => ({ body: data(NONE) }),
    'PUT /dashboard/webhook-url': () => ({
      status: 400,
      body: failure(refusal, 'VALIDATION', { webhook_url: refusal }),
    }),
  })
  const user = openApp('/webhook')
  await user.click(await button('Add URL'))
  const url = `https://hooks.saltbush.example/${'portal/'.repeat(300)}`
  await user.paste(url)
  await user.click(await button('Save URL'))
  expect(await screen.findByText(refusal)).toBeDefined()
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ webhook_url: url })
})

test('removing the URL asks for confirmation', async () => {
  const server = serveWebhook({
    'PUT /dashboard/webhook-url': () => ({ body: data({ ...NONE, secret: null }) }),
  })
  const user = openApp('/webhook')
  await user.click(await button('Remove'))
  const dialog = screen.getByRole('alertdialog', { name: 'Remove Webhook URL' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  expect(server.seen.some(({ method }) => method === 'PUT')).toBe(false)

  await user.click(await button('Remove'))
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Remove' }))
  expect(await screen.findByText('Webhook URL removed')).toBeDefined()
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ webhook_url: null })
  expect(document.activeElement).toBe(await button('Add URL'))
  expect(screen.queryByText('Signing secret')).toBeNull()
})

test.each([
  ['a server error', { status: 500, body: failure('Database away', 'INTERNAL') }, ': Database away'],
  ['a failure without a message', { status: 502, body: null }, ''],
])('a URL that is not removed because of %s stays, and a toast says what failed', async (_name, answer, detail) => {
  serveWebhook({ 'PUT /dashboard/webhook-url': () => answer })
  const user = openApp('/webhook')
  await user.click(await button('Remove'))
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Remove' }))
  expect(await screen.findByText(`Failed to update webhook URL${detail}`)).toBeDefined()
  expect(screen.getByText('https://hooks.saltbush.example/portal')).toBeDefined()
})

test.each([
  ['gone', 'Your server answered 410 Gone, which means that we should stop.'],
  ['failing', 'Every delivery failed for five days.'],
] as const)(
  'if the portal disabled the URL (%s), the page shows when and why, and the URL can be enabled again',
  async (reason, text) => {
    const disabled = webhookEndpointOf({
      is_active: false,
      disabled_at: '2026-11-20T01:05:00.000Z',
      disabled_reason: reason,
    })
    const server = serveWebhook({
      'GET /dashboard/webhook-url': () => ({ body: data(disabled) }),
      'PUT /dashboard/webhook-url': () => ({ body: data({ ...webhookEndpointOf(), secret: null }) }),
    })
    const user = openApp('/webhook')
    expect(await screen.findByText('Disabled')).toBeDefined()
    expect(screen.getByText('We disabled this URL on Nov 20, 2026, 11:05 AM')).toBeDefined()
    expect(screen.getByText(text, { exact: false })).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Send test event' })).toBeNull()
    await user.click(await button('Enable again'))
    expect(await screen.findByText('Active')).toBeDefined()
    expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ webhook_url: disabled.webhook_url })
  },
)

test('the page warns of a URL that has been failing', async () => {
  serveWebhook({
    'GET /dashboard/webhook-url': () => ({
      body: data(webhookEndpointOf({ failing_since: '2026-11-10T01:05:00.000Z' })),
    }),
  })
  openApp('/webhook')
  expect(await screen.findByText(/Every delivery has failed since Nov 10, 2026, 11:05 AM/)).toBeDefined()
  expect(screen.getByText('Active')).toBeDefined()
})

test('the page says that the old secret stays valid for 24 hours after a rotation', async () => {
  const until = new Date(Date.now() + 86_400_000).toISOString()
  serveWebhook({
    'POST /dashboard/webhook-secret': () => ({
      status: 201,
      body: data({ ...webhookEndpointOf({ previous_secret_until: until }), secret: SECRET }),
    }),
  })
  const user = openApp('/webhook')
  await user.click(await button('Rotate secret'))
  const dialog = screen.getByRole('alertdialog', { name: 'Rotate Signing Secret' })
  expect(dialog.textContent).toContain('24 hours')
  await user.click(within(dialog).getByRole('button', { name: 'Rotate secret' }))
  expect(await screen.findByRole('region', { name: 'Your signing secret' })).toBeDefined()
  expect(screen.getByText(/^Deliveries are also signed with the old secret until/)).toBeDefined()
})

test('if the portal can no longer read the old secret, the page does not say that the old secret also signs deliveries', async () => {
  serveWebhook({
    'GET /dashboard/webhook-url': () => ({ body: data(webhookEndpointOf({ secret_preview: 'whsec_...' })) }),
    'POST /dashboard/webhook-secret': () => ({ status: 201, body: data({ ...webhookEndpointOf(), secret: SECRET }) }),
  })
  const user = openApp('/webhook')
  await user.click(await button('Rotate secret'))
  const dialog = screen.getByRole('alertdialog', { name: 'Rotate Signing Secret' })
  expect(dialog.textContent).not.toContain('24 hours')
  expect(dialog.textContent).toContain('deliveries are signed with the new one only')
  await user.click(within(dialog).getByRole('button', { name: 'Rotate secret' }))
  expect(await screen.findByRole('region', { name: 'Your signing secret' })).toBeDefined()
  expect(screen.queryByText(/^Deliveries are also signed with the old secret until/)).toBeNull()
})

test('a second new signing secret is hidden at first, even if the first new secret was shown', async () => {
  const secrets = [SECRET, SECRET.replace('whsec_MfKQ', 'whsec_Zz9x')]
  serveWebhook({
    'POST /dashboard/webhook-secret': () => ({
      status: 201,
      body: data({ ...webhookEndpointOf(), secret: secrets.shift() }),
    }),
  })
  const user = openApp('/webhook')
  const rotate = async () => {
    await user.click(await button('Rotate secret'))
    await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Rotate secret' }))
  }
  await rotate()
  await user.click(await button('Show signing secret'))
  await rotate()
  await waitFor(() => expect(secrets).toEqual([]))
  await waitFor(() => expect(document.body.textContent).not.toContain(SECRET))
  expect(document.body.textContent).not.toContain('whsec_Zz9x')
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Your signing secret' }))
})

test('a secret that cannot be rotated stays, and the page says what failed', async () => {
  serveWebhook({ 'POST /dashboard/webhook-secret': () => ({ status: 500, body: null }) })
  const user = openApp('/webhook')
  await user.click(await button('Rotate secret'))
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Rotate secret' }))
  expect(await screen.findByText('Failed to rotate the signing secret')).toBeDefined()
  expect(screen.getByText('whsec_a1...')).toBeDefined()
})

test.each([
  [{ status: 'success', response_status: 204 }, 'Your server received the test event and answered 204.'],
  [
    { status: 'pending', response_status: 503, error_message: 'The endpoint answered 503' },
    'Your server did not accept the test event',
  ],
  [
    { status: 'pending', response_status: null, error_message: 'The connection was refused' },
    'The test event could not be delivered',
  ],
] as const)('a test event shows its outcome: %j', async (outcome, text) => {
  const log = webhookLogOf({ id: 'log-9', event_type: 'webhook.test', loid: null, ...outcome })
  let isSent = false
  serveWebhook({
    'GET /dashboard/webhook-logs': () => ({ body: paged(isSent ? [log] : []) }),
    'GET /dashboard/webhook-logs/log-9': () => ({ body: data({ ...log, attempt_list: [] }) }),
    'POST /dashboard/webhook-test': () => {
      isSent = true
      return { status: 201, body: data({ id: 'log-9' }) }
    },
  })
  const user = openApp('/webhook')
  await user.click(await button('Send test event'))
  expect(await screen.findByText('Test event sent')).toBeDefined()
  expect(await screen.findByText(text)).toBeDefined()
  expect(await button(/^webhook\.test/)).toBeDefined()
})

test('the outcome of a test event stays when it cannot be read again', async () => {
  const log = webhookLogOf({ id: 'log-9', event_type: 'webhook.test', loid: null, status: 'success' })
  let reads = 0
  serveWebhook({
    'GET /dashboard/webhook-logs/log-9': () => {
      reads += 1
      return reads === 1 ? { body: data({ ...log, attempt_list: [] }) } : { status: 404, body: null }
    },
    'POST /dashboard/webhook-test': () => ({ status: 201, body: data({ id: 'log-9' }) }),
  })
  const user = openApp('/webhook')
  await user.click(await button('Send test event'))
  const outcome = /^Your server received the test event/
  expect(await screen.findByText(outcome)).toBeDefined()
  fireEvent(document, new Event('visibilitychange', { bubbles: true }))
  await waitFor(() => expect(reads).toBe(2))
  await waitFor(() => expect(screen.queryByText(/is on its way/)).toBeNull())
  expect(screen.getByText(outcome)).toBeDefined()
})

test('the page says why a test event was refused', async () => {
  serveWebhook({
    'POST /dashboard/webhook-test': () => ({ status: 409, body: failure('Enable the URL first', 'CONFLICT') }),
  })
  const user = openApp('/webhook')
  await user.click(await button('Send test event'))
  expect(await screen.findByText('Enable the URL first')).toBeDefined()
})

test('the info box explains bodies, signatures and attempts, and links to the documentation', async () => {
  serveWebhook()
  openApp('/webhook')
  const box = await screen.findByRole('region', { name: 'How deliveries work' })
  for (const words of ['JSON', 'webhook-signature', '15 seconds', '410']) expect(box.textContent).toContain(words)
  expect(within(box).getByRole('link').getAttribute('href')).toBe('/api-docs#webhooks')
})

test('unknown parameters in the address are not sent to the server', async () => {
  const server = serveWebhook()
  openApp('/webhook?utm_source=mail&stage=Funded')
  expect(await screen.findByText('No webhook logs yet')).toBeDefined()
  expect(server.seen.find(({ path }) => path === '/dashboard/webhook-logs')?.query).toEqual({ limit: '20' })
})

test('filters are put in the address and sent to the server, and a search without results has a different text from an empty log', async () => {
  const server = serveWebhook()
  const user = openApp('/webhook?page=2')
  expect(await screen.findByText('This page is past the last one')).toBeDefined()
  expect(screen.getByRole('heading', { name: 'No webhook logs found' })).toBeDefined()
  await user.click(await button('Filters'))
  const status = screen.getByLabelText<HTMLSelectElement>('Status')
  expect(Array.from(status.options, ({ value }) => value)).toEqual(['', 'success', 'failed', 'error', 'pending'])
  fireEvent.change(status, { target: { value: 'failed' } })
  await waitFor(() => expect(window.location.search).toBe('?status=failed'))
  const endpoint = screen.getByLabelText<HTMLInputElement>('Endpoint')
  await user.type(endpoint, ' /api/webhook ')
  pressEnterInInputMethod(endpoint)
  expect(endpoint.value).toBe(' /api/webhook ')
  await user.type(endpoint, '{Enter}')
  // These two changes come at once. The second must not undo the first.
  fireEvent.change(screen.getByLabelText('Date From'), { target: { value: '2026-05-01' } })
  fireEvent.change(screen.getByLabelText('Date To'), { target: { value: '2026-05-31' } })
  await user.type(screen.getByPlaceholderText('Search by endpoint, event, LOID or error'), 'refused{Enter}')
  await waitFor(() =>
    expect(server.seen.findLast(({ path }) => path === '/dashboard/webhook-logs')?.query).toEqual({
      limit: '20',
      status: 'failed',
      endpoint: '/api/webhook',
      dateFrom: '2026-05-01',
      dateTo: '2026-05-31',
      timezone: 'Australia/Brisbane',
      search: 'refused',
    }),
  )
  expect(await screen.findByText('Try adjusting your search or filters')).toBeDefined()
  expect(await button('Filters, 4 active')).toBeDefined()

  await user.click(await button('Clear search and filters'))
  await waitFor(() => expect(window.location.search).toBe(''))
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search webhook log' }))
  expect(await screen.findByText('No webhook logs yet')).toBeDefined()
})

test('clearing the filters moves the focus to the Filters button', async () => {
  serveWebhook()
  const user = openApp('/webhook?status=failed')
  await user.click(await button('Clear Filters'))
  await waitFor(() => expect(window.location.search).toBe(''))
  expect((await button('Clear Filters')).disabled).toBe(true)
  expect(document.activeElement).toBe(await button('Filters'))
})

test('an unknown status in the address is ignored', async () => {
  const server = serveWebhook()
  openApp('/webhook?status=lost')
  expect(await screen.findByText('No webhook logs yet')).toBeDefined()
  expect((await button(/^Filters/)).textContent).toBe('Filters')
  expect(server.seen.find(({ path }) => path === '/dashboard/webhook-logs')?.query).toEqual({ limit: '20' })
})

test('on the first of two pages only Next is enabled, and on the last page only Previous', async () => {
  const full = Array.from({ length: 20 }, (_, number) => webhookLogOf({ id: `log-${number}` }))
  serveWebhook({
    'GET /dashboard/webhook-logs': ({ query }) => ({
      body: query['page'] === '2' ? paged([webhookLogOf({ id: 'log-last' })], 2) : paged(full, 1, true),
    }),
  })
  const user = openApp('/webhook')
  const log = await screen.findByRole('list', { name: 'Webhook log' })
  expect(within(log).getAllByRole('listitem')).toHaveLength(20)
  expect((await button('Previous')).disabled).toBe(true)
  await user.click(await button('Next'))
  await waitFor(() => expect(within(log).getAllByRole('listitem')).toHaveLength(1))
  expect((await button('Next')).disabled).toBe(true)
  expect((await button('Previous')).disabled).toBe(false)
  expect(window.location.search).toBe('?page=2')
  // The pressed button is disabled now, so the other button takes focus.
  expect(document.activeElement).toBe(await button('Previous'))
  await user.keyboard('{Enter}')
  await waitFor(() => expect(within(log).getAllByRole('listitem')).toHaveLength(20))
  expect(document.activeElement).toBe(await button('Next'))
})

test('a row expands to show the request, the answer and every attempt', async () => {
  const log = webhookLogOf({
    status: 'pending',
    event_type: 'deal.updated',
    response_status: 503,
    error_message: 'The endpoint answered 503',
    attempts: 2,
    next_attempt_at: new Date(Date.now() + 3_600_000).toISOString(),
    response_body: 'Busy',
  })
  const attempts = [
    { number: 1, started_at: '2026-11-20T01:00:01.000Z', duration_ms: 230, response_status: 503, error_message: null },
    {
      number: 2,
      started_at: '2026-11-20T01:00:06.000Z',
      duration_ms: 15_000,
      response_status: null,
      error_message: 'No answer within 15 seconds',
    },
  ]
  const server = serveWebhook({
    'GET /dashboard/webhook-logs': () => ({ body: paged([log]) }),
    'GET /dashboard/webhook-logs/log-1': () => ({ body: data({ ...log, attempt_list: attempts }) }),
  })
  const user = openApp('/webhook')
  const row = await button(/^deal\.updated/)
  expect(row.getAttribute('aria-expanded')).toBe('false')
  expect(screen.getByRole('link', { name: 'LO-7K3M9QAZ' }).getAttribute('href')).toBe('/deals/LO-7K3M9QAZ')
  expect(screen.getByText('11:00:00 AM')).toBeDefined()
  expect(server.seen.some(({ path }) => path.endsWith('/log-1'))).toBe(false)

  await user.click(row)
  expect(row.getAttribute('aria-expanded')).toBe('true')
  expect(screen.getByRole('group', { name: 'Request body' }).textContent).toBe('{\n  "type": "lead.created"\n}')
  expect(screen.getByRole('group', { name: 'Response body' }).textContent).toBe('Busy')
  expect(screen.getByText('The endpoint answered 503')).toBeDefined()
  expect(screen.getByText('Next attempt')).toBeDefined()
  const list = await screen.findByRole('region', { name: 'Attempts' })
  const [first, second] = within(list).getAllByRole('listitem')
  expect(first?.textContent).toBe('Attempt 1Nov 20, 2026, 11:00:01 AMHTTP 503230 ms')
  expect(second?.textContent).toBe('Attempt 2Nov 20, 2026, 11:00:06 AMNo answerNo answer within 15 seconds15.0 s')
  await user.click(await button('Copy Request body'))
  expect(await navigator.clipboard.readText()).toBe('{\n  "type": "lead.created"\n}')

  await user.click(row)
  expect(screen.queryByRole('group', { name: 'Request body' })).toBeNull()
})

test('an inbound call shows its request and its refusal, and can be copied but not redelivered', async () => {
  const log = webhookLogOf({
    direction: 'inbound',
    event_type: null,
    endpoint: '/api/webhook/lead',
    api_key: 'Website form (API key)',
    status: 'failed',
    response_status: 400,
    loid: null,
    error_message: 'Business name is required',
    request_body: '{"email":"jo@saltbush.example"}',
    response_body: null,
    attempts: 0,
  })
  const server = serveWebhook({ 'GET /dashboard/webhook-logs': () => ({ body: paged([log]) }) })
  const user = openApp('/webhook')
  expect(await screen.findByText('Website form (API key)')).toBeDefined()
  await user.click(await button(/^Submit Lead/))
  expect(screen.getByText('Called by').nextSibling?.textContent).toBe('Website form (API key)')
  expect(screen.getByText('Business name is required')).toBeDefined()
  expect(screen.getByText('Response body: none recorded')).toBeDefined()
  expect(screen.queryByRole('button', { name: /Redeliver|Send now/ })).toBeNull()
  await user.click(await button('Copy as cURL'))
  const command = await navigator.clipboard.readText()
  expect(command).toContain(`curl -X POST ${window.location.origin}/api/webhook/lead`)
  expect(command).toContain('Bearer <YOUR_API_KEY>')
  expect(server.seen.some(({ path }) => path.endsWith('/log-1'))).toBe(false)
})

test('a failed delivery can be sent again, and a waiting delivery can be sent at once', async () => {
  let log = webhookLogOf({ status: 'failed', response_status: 404, attempts: 10 })
  const server = serveWebhook({
    'GET /dashboard/webhook-logs': () => ({ body: paged([log]) }),
    'GET /dashboard/webhook-logs/log-1': () => ({ body: data({ ...log, attempt_list: [] }) }),
    'POST /dashboard/webhook-logs/log-1/redeliver': () => {
      log = { ...log, status: 'pending', next_attempt_at: new Date(Date.now() + 3_600_000).toISOString() }
      return { status: 202, body: data({ id: 'log-1', status: 'pending' }) }
    },
  })
  const user = openApp('/webhook')
  await user.click(await button(/^lead\.created/))
  await user.click(await button('Redeliver'))
  expect(await screen.findByText('The delivery is being sent again')).toBeDefined()
  await user.click(await button('Send now'))
  await waitFor(() =>
    expect(server.seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/redeliver'))).toHaveLength(2),
  )
})

test('the warning about the URL disappears when a delivery succeeds', async () => {
  let log = webhookLogOf({ status: 'pending', response_status: 500, next_attempt_at: '2026-11-20T01:00:05.000Z' })
  let failing: string | null = '2026-11-10T01:05:00.000Z'
  serveWebhook({
    'GET /dashboard/webhook-url': () => ({ body: data(webhookEndpointOf({ failing_since: failing })) }),
    'GET /dashboard/webhook-logs': () => ({ body: paged([log]) }),
  })
  openApp('/webhook')
  expect(await screen.findByText('Pending', { selector: 'li *' })).toBeDefined()
  expect(await screen.findByText(/^Every delivery has failed since/)).toBeDefined()
  log = { ...log, status: 'success', response_status: 200, attempts: 2 }
  failing = null
  const status = await screen.findByText('Success', { selector: 'li *' })
  expect(status.closest('[data-changed]')).not.toBeNull()
  await waitFor(() => expect(screen.queryByText(/^Every delivery has failed since/)).toBeNull())
})

test('the page says why a delivery cannot be sent again', async () => {
  const log = webhookLogOf({ status: 'failed' })
  serveWebhook({
    'GET /dashboard/webhook-logs': () => ({ body: paged([log]) }),
    'GET /dashboard/webhook-logs/log-1': () => ({ status: 404, body: failure('Webhook log not found', 'NOT_FOUND') }),
    'POST /dashboard/webhook-logs/log-1/redeliver': () => ({
      status: 409,
      body: failure('There is no webhook URL', 'CONFLICT'),
    }),
  })
  const user = openApp('/webhook')
  await user.click(await button(/^lead\.created/))
  expect(await screen.findByText('The attempts could not be loaded.')).toBeDefined()
  await user.click(await button('Redeliver'))
  expect(await screen.findByText('There is no webhook URL')).toBeDefined()
})
