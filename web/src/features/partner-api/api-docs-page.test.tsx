import type { ApiDocs } from '@portal/contract/partner-api.ts'
import { act, screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { storeToken } from '../../api/token.ts'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

const LEAD_FIELDS = [
  { name: 'business_name', required: true, type: 'string', description: 'The applicant’s business.' },
  { name: 'phone', required: false, type: 'string', description: 'An Australian or New Zealand number.' },
]

const DOCS: ApiDocs = {
  title: 'Partner API',
  version: '1.2.0',
  baseUrl: 'https://portal.example/api',
  description: 'Submit leads from your own systems.',
  authentication: {
    type: 'Bearer',
    note: 'Each call carries your API key.',
    header: 'Authorization: Bearer <YOUR_API_KEY>',
    tokenLifetime: 'API keys do not expire',
  },
  endpoints: [
    {
      method: 'POST',
      path: '/partner/leads',
      description: 'Submits a lead.',
      requestBody: {
        fields: LEAD_FIELDS,
        example: { business_name: 'Saltbush' },
      },
      responseExample: { success: true },
    },
    {
      method: 'POST',
      path: '/webhook/lead',
      description: 'The same.',
      requestBody: { fields: LEAD_FIELDS, example: { business_name: 'Saltbush' } },
      responseExample: { success: true },
    },
    { method: 'GET', path: '/partner/docs', description: 'This.', requestBody: null, responseExample: { title: 'x' } },
  ],
  examples: {
    curl: 'curl https://a.example\n',
    javascript: "await fetch('https://a.example')",
    python: 'import requests',
  },
  readExamples: { curl: 'curl https://b.example\n', javascript: 'fetch()', python: 'import json' },
  errorCodes: { RATE_LIMITED: 'Too many requests; `Retry-After` says when to try again.' },
  rateLimits: {
    description: 'For each key.',
    limits: [{ name: 'Calls', limit: '120 a minute' }],
    headers: [{ name: 'RateLimit-Limit', description: 'The number of calls allowed.' }],
  },
  webhooks: {
    description: 'Your URL receives each change.',
    headers: [{ name: 'webhook-id', description: 'The same for every attempt.' }],
    events: [
      { type: 'lead.created', description: 'A lead came in.', example: { type: 'lead.created' } },
      { type: 'deal.created', description: 'A deal came in.', example: { type: 'deal.created' } },
    ],
    verification: { javascript: 'const hmac = 1', python: 'import hmac' },
  },
  support: {
    email: 'support@portal.example',
    documentation: 'https://portal.example/api-docs',
    portal: 'https://portal.example',
  },
}

function serveDocs(docs: unknown) {
  return serveSignedIn({ 'GET /dashboard/api-docs': () => ({ body: data(docs) }) })
}

test('the page says that the documentation is loading', async () => {
  serveSignedIn({ 'GET /dashboard/api-docs': () => new Promise(() => {}) })
  openApp('/api-docs')
  expect(await screen.findByText('Loading API documentation')).toBeDefined()
  expect(document.title).toBe('API Docs · Partner Portal')
})

test('if the server refuses to send the documentation, the page shows the HTTP status, and Try Again fetches the documentation', async () => {
  let isBroken = true
  serveSignedIn({
    'GET /dashboard/api-docs': () =>
      isBroken ? { status: 403, body: failure('Not now', 'FORBIDDEN') } : { body: data(DOCS) },
  })
  const user = openApp('/api-docs')
  expect(await screen.findByText('Failed to fetch API documentation (403)')).toBeDefined()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByRole('heading', { name: 'Partner API' })).toBeDefined()
})

test('if no answer comes, the page says that loading failed', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  serveSignedIn({ 'GET /dashboard/api-docs': () => Promise.reject(new TypeError('Failed to fetch')) })
  openApp('/api-docs')
  expect(await screen.findByText('Error loading API documentation')).toBeDefined()
})

test.each(['authentication', 'endpoints', 'examples'])(
  'documentation without %s is reported as invalid',
  async (part) => {
    serveDocs({ ...DOCS, [part]: undefined })
    openApp('/api-docs')
    expect(await screen.findByText('Invalid Documentation Format')).toBeDefined()
  },
)

test('documentation without the optional parts is shown without them', async () => {
  const { authentication, endpoints, examples } = DOCS
  serveDocs({ authentication, endpoints, examples })
  openApp('/api-docs')
  expect(await screen.findByRole('heading', { name: 'Overview' })).toBeDefined()
  const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
  expect(titles).toEqual(['Overview', 'Authentication', 'Code examples', 'Endpoints', 'Request fields'])
})

test('every part of the documentation is on the page and in the table of contents', async () => {
  serveDocs(DOCS)
  openApp('/api-docs')
  const titles = [
    'Partner API',
    'Authentication',
    'Code examples',
    'Follow changes',
    'Endpoints',
    'Request fields',
    'Webhooks',
    'Error codes',
    'Rate limits',
    'Support',
  ]
  await screen.findByRole('heading', { name: 'Support' })
  expect(screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)).toEqual(titles)
  const contents = within(screen.getByRole('navigation', { name: 'On this page' })).getAllByRole('link')
  const endpoints = ['POST /partner/leads', 'POST /webhook/lead', 'GET /partner/docs']
  const fields = ['POST /partner/leads, POST /webhook/lead']
  expect(contents.map(({ textContent }) => textContent)).toEqual([
    ...titles.slice(0, 5),
    ...endpoints,
    'Request fields',
    ...fields,
    ...titles.slice(6),
  ])
  for (const link of contents) expect(document.querySelector(link.getAttribute('href') ?? '')).not.toBeNull()

  for (const text of ['Version 1.2.0', 'https://portal.example/api', 'API keys do not expire', '120 a minute'])
    expect(screen.getByText(text)).toBeDefined()
  expect(screen.getByRole('row', { name: /^RATE_LIMITED/ }).textContent).toContain('Retry-After says when')
  expect(screen.getByRole('row', { name: /^webhook-id/ })).toBeDefined()
  expect(screen.getByRole('link', { name: 'support@portal.example' }).getAttribute('href')).toBe(
    'mailto:support@portal.example',
  )
  expect(screen.getByRole('link', { name: 'OpenAPI (JSON)' }).getAttribute('href')).toBe('/api/openapi.json')
})

test('an endpoint shows its method, path and examples, and links to the only table of its fields', async () => {
  serveDocs(DOCS)
  openApp('/api-docs')
  const endpoint = (await screen.findByRole('heading', { name: '/partner/leads' })).closest('article')
  if (!endpoint) throw new Error('no endpoint')
  expect(within(endpoint).getByText('POST')).toBeDefined()
  const fields = within(endpoint).getByRole('link', { name: 'Request fields of POST /partner/leads' })
  const table = document.querySelector<HTMLElement>(fields.getAttribute('href') ?? '')
  if (!table) throw new Error('no table of fields')
  expect(screen.getAllByText('The applicant’s business.')).toHaveLength(1)
  const [first, second] = within(table).getAllByRole('listitem')
  expect(first?.textContent).toBe('business_namestringrequiredThe applicant’s business.')
  expect(second?.textContent).toBe('phonestringAn Australian or New Zealand number.')
  expect(within(endpoint).getByRole('group', { name: 'Request example' }).textContent).toBe(
    '{\n  "business_name": "Saltbush"\n}',
  )
  expect(within(endpoint).getByRole('group', { name: 'Response example' })).toBeDefined()
})

test('examples come in three languages and can be copied', async () => {
  serveDocs(DOCS)
  const user = openApp('/api-docs')
  const tabs = await screen.findByRole('tablist', { name: 'Code examples' })
  expect(
    within(tabs)
      .getAllByRole('tab')
      .map(({ textContent }) => textContent),
  ).toEqual(['cURL', 'JavaScript', 'Python'])
  await user.click(screen.getByRole('button', { name: 'Copy cURL example' }))
  expect(await navigator.clipboard.readText()).toBe('curl https://a.example')
  await user.click(within(tabs).getByRole('tab', { name: 'Python' }))
  expect(await screen.findByRole('group', { name: 'Python example' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Copy Python example' }))
  expect(await navigator.clipboard.readText()).toBe(DOCS.examples.python)
  const changes = screen.getByRole('tablist', { name: 'Examples that follow changes' })
  expect(
    within(changes)
      .getAllByRole('tab')
      .map(({ textContent }) => textContent),
  ).toEqual(['cURL', 'JavaScript', 'Python'])
  await user.click(screen.getByRole('button', { name: 'Copy Changes in cURL example' }))
  expect(await navigator.clipboard.readText()).toBe('curl https://b.example')
})

test('each event has an example', async () => {
  serveDocs(DOCS)
  const user = openApp('/api-docs')
  expect(await screen.findByRole('group', { name: 'lead.created body' })).toBeDefined()
  await user.selectOptions(screen.getByLabelText('Example of'), 'deal.created')
  expect(screen.getByRole('group', { name: 'deal.created body' })).toBeDefined()
})

test('the session token is masked, and the copy button copies the newest token', async () => {
  serveDocs(DOCS)
  const user = openApp('/api-docs')
  await screen.findByText('Your session token')
  act(() => storeToken('a-much-newer-session-token'))
  expect(document.body.textContent).not.toContain('a-much-newer-session-token')
  await user.click(screen.getByRole('button', { name: 'Copy session token' }))
  expect(await navigator.clipboard.readText()).toBe('a-much-newer-session-token')
})
