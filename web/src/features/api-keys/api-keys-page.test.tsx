import type { ApiKeyStatus, NamedKey } from '@portal/contract/api-keys.ts'
import { API_CALLS_PER_MINUTE } from '@portal/contract/limits.ts'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

const KEY = 'lp_4fK2aQ8sZx1Yw7Vb3Nm5Kj9Hg2Fd6Sa0PlOiUy'

const NONE: ApiKeyStatus = {
  has_api_key: false,
  api_key_preview: null,
  business_name: 'Harbour Finance',
  last_generated: null,
  last_used: null,
  base_url: 'https://portal.example/api',
}
const ACTIVE: ApiKeyStatus = {
  ...NONE,
  has_api_key: true,
  api_key_preview: 'lp_4fK2a...',
  last_generated: '2026-11-20T01:05:00.000Z',
}

type Handlers = Parameters<typeof serveSignedIn>[0]

function serveKey(status: ApiKeyStatus, handlers: Handlers = {}) {
  return serveSignedIn({
    'GET /dashboard/api-key-status': () => ({ body: data(status) }),
    'GET /dashboard/api-keys': () => ({ body: data({ keys: [] }) }),
    'POST /dashboard/generate-api-key': () => ({ status: 201, body: data({ ...ACTIVE, api_key: KEY }) }),
    'DELETE /dashboard/revoke-api-key': () => ({ body: data(NONE) }),
    ...handlers,
  })
}

function button(name: string) {
  return screen.findByRole('button', { name })
}

function answerDialog(name: string) {
  return within(screen.getByRole('alertdialog')).getByRole('button', { name })
}

test('the page says that the status is loading', async () => {
  serveKey(NONE, { 'GET /dashboard/api-key-status': () => new Promise(() => {}) })
  openApp('/api-keys')
  expect(await screen.findByRole('status', { name: 'Loading API key' })).toBeDefined()
  expect(document.title).toBe('API Keys · Partner Portal')
})

test('if the server refuses to send the status, Try Again fetches it', async () => {
  let isBroken = true
  serveKey(NONE, {
    'GET /dashboard/api-key-status': () =>
      isBroken ? { status: 403, body: failure('Not now', 'FORBIDDEN') } : { body: data(NONE) },
  })
  const user = openApp('/api-keys')
  expect(await screen.findByText('Failed to fetch API key status')).toBeDefined()
  expect(screen.getByText('Not now')).toBeDefined()
  isBroken = false
  await user.click(await button('Try Again'))
  expect(await button('Generate API Key')).toBeDefined()
})

test('if the request for the status gets no answer, the page shows a connection error', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  serveKey(NONE, { 'GET /dashboard/api-key-status': () => Promise.reject(new TypeError('Failed to fetch')) })
  openApp('/api-keys')
  expect(await screen.findByText('Error fetching API key status')).toBeDefined()
})

test('a generated key appears once, stays hidden until a button shows it, and can be copied', async () => {
  serveKey(NONE)
  const user = openApp('/api-keys')
  expect(await screen.findByText('None')).toBeDefined()
  await user.click(await button('Generate API Key'))

  const panel = await screen.findByRole('region', { name: 'Your new API key' })
  expect(document.activeElement).toBe(within(panel).getByRole('heading'))
  expect(document.body.textContent).not.toContain(KEY)
  await user.click(await button('Show API key'))
  expect(within(panel).getByText(KEY)).toBeDefined()
  await user.click(await button('Hide API key'))
  expect(document.body.textContent).not.toContain(KEY)
  await user.click(await button('Copy API key'))
  expect(await navigator.clipboard.readText()).toBe(KEY)
  // Green cannot be seen on the button's own colour.
  expect((await button('Copied')).querySelector('svg')?.classList).not.toContain('text-success-dot')

  expect(screen.getByText('Active')).toBeDefined()
  expect(screen.getByText('lp_4fK2a...')).toBeDefined()
  await user.click(await button('I have saved it'))
  expect(screen.queryByRole('region', { name: 'Your new API key' })).toBeNull()
  expect(document.activeElement).toBe(await button('Regenerate API Key'))
})

test('a page with a new key that nobody has copied or seen asks before it closes', async () => {
  serveKey(NONE)
  const user = openApp('/api-keys')
  await user.click(await button('Generate API Key'))
  await screen.findByRole('region', { name: 'Your new API key' })
  await user.click(screen.getByRole('link', { name: 'API Docs' }))
  expect(await screen.findByText('Leave without the API key?')).toBeDefined()
  await user.click(answerDialog('Stay'))
  await user.click(await button('Copy API key'))
  await user.click(screen.getByRole('link', { name: 'API Docs' }))
  expect(await screen.findByRole('heading', { name: 'API Docs' })).toBeDefined()
})

test('a second new key is hidden at first, even if the first new key was shown', async () => {
  const keys = [KEY, KEY.replace('lp_4f', 'lp_9z')]
  serveKey(NONE, {
    'POST /dashboard/generate-api-key': () => ({ status: 201, body: data({ ...ACTIVE, api_key: keys.shift() }) }),
  })
  const user = openApp('/api-keys')
  await user.click(await button('Generate API Key'))
  await user.click(await button('Show API key'))
  await user.click(await button('Regenerate API Key'))
  await user.click(answerDialog('Regenerate'))
  await waitFor(() => expect(keys).toEqual([]))
  await waitFor(() => expect(document.body.textContent).not.toContain(KEY))
  expect(document.body.textContent).not.toContain('lp_9zK2')
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Your new API key' }))
})

test('the mark “Copied” disappears after two seconds', async () => {
  serveKey(ACTIVE)
  openApp('/api-keys')
  const copy = await button('Copy cURL example')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  fireEvent.click(copy)
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Copied' })).toBeDefined())
  await vi.advanceTimersByTimeAsync(1_990)
  expect(screen.getByRole('button', { name: 'Copied' })).toBeDefined()
  await vi.advanceTimersByTimeAsync(20)
  vi.useRealTimers()
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Copied' })).toBeNull())
})

test('the page says that the browser refused to copy', async () => {
  serveKey(ACTIVE)
  const user = openApp('/api-keys')
  const copy = await button('Copy cURL example')
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
  await user.click(copy)
  expect(await screen.findByText('Failed to copy to clipboard')).toBeDefined()
})

test('regenerating asks for confirmation, because the old key stops working at once', async () => {
  const server = serveKey(ACTIVE)
  const user = openApp('/api-keys')
  await user.click(await button('Regenerate API Key'))
  const dialog = screen.getByRole('alertdialog', { name: 'Regenerate API Key' })
  expect(dialog.textContent).toContain('The old key stops working at once')
  await user.click(answerDialog('Cancel'))
  expect(server.seen.some(({ method, path }) => method === 'POST' && path.endsWith('/generate-api-key'))).toBe(false)

  await user.click(await button('Regenerate API Key'))
  await user.click(answerDialog('Regenerate'))
  const panel = await screen.findByRole('region', { name: 'Your new API key' })
  expect(document.activeElement).toBe(within(panel).getByRole('heading'))
})

test('revoking asks for confirmation and leaves no key', async () => {
  serveKey(ACTIVE)
  const user = openApp('/api-keys')
  await user.click(await button('Revoke'))
  expect(screen.getByRole('alertdialog', { name: 'Revoke API Key' })).toBeDefined()
  await user.click(answerDialog('Revoke'))
  expect(await screen.findByText('API key revoked')).toBeDefined()
  expect(screen.getByText('None')).toBeDefined()
  expect(document.activeElement).toBe(await button('Generate API Key'))
})

test('a dialog stays open when the browser reports late that the previous dialog was closed', async () => {
  serveKey(ACTIVE)
  const user = openApp('/api-keys')
  await user.click(await button('Regenerate API Key'))
  const closing = screen.getByRole('alertdialog', { name: 'Regenerate API Key' })
  await user.click(await button('Revoke'))
  fireEvent(closing, new Event('close'))
  expect(screen.getByRole('alertdialog', { name: 'Revoke API Key' })).toBeDefined()
})

test('a new key disappears from the page when it is revoked', async () => {
  serveKey(NONE)
  const user = openApp('/api-keys')
  await user.click(await button('Generate API Key'))
  await screen.findByRole('region', { name: 'Your new API key' })
  await user.click(await button('Revoke'))
  await user.click(answerDialog('Revoke'))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Your new API key' })).toBeNull())
})

const broken = () => Promise.reject(new TypeError('Failed to fetch'))

test.each([
  ['without a text', () => ({ status: 502, body: null }), 'Failed to generate API key', []],
  [
    'with a reason',
    () => ({ status: 500, body: failure('Out of keys', 'INTERNAL') }),
    'Failed to generate API key',
    ['Out of keys'],
  ],
  ['without an answer', broken, 'Error generating API key', ['Network error']],
])(
  'if a key cannot be generated (failure %s), the page says so, and why if that is known',
  async (_name, answer, text, details) => {
    serveKey(NONE, { 'POST /dashboard/generate-api-key': answer })
    const user = openApp('/api-keys')
    await user.click(await button('Generate API Key'))
    expect(await screen.findByText(text)).toBeDefined()
    for (const words of details) expect(screen.getByText(words)).toBeDefined()
    expect(screen.getByText('None')).toBeDefined()
  },
)

test.each([
  ['reported by the server', () => ({ status: 500, body: failure('Not now', 'INTERNAL') }), 'Failed to revoke API key'],
  ['without an answer', broken, 'Error revoking API key'],
])('a key that cannot be revoked (failure %s) stays', async (_name, answer, text) => {
  serveKey(ACTIVE, { 'DELETE /dashboard/revoke-api-key': answer })
  const user = openApp('/api-keys')
  await user.click(await button('Revoke'))
  await user.click(answerDialog('Revoke'))
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.getByText('lp_4fK2a...')).toBeDefined()
})

test('the page shows when the key was made and last used, how to use it, and that it does not expire', async () => {
  serveKey({ ...ACTIVE, last_used: new Date(Date.now() - 2 * 3_600_000).toISOString() })
  openApp('/api-keys')
  expect(await screen.findByText('Nov 20, 2026, 11:05 AM')).toBeDefined()
  expect(screen.getByText('2 hours ago')).toBeDefined()
  expect(screen.getByText(/API keys are permanent and do not expire/)).toBeDefined()
  const example = screen.getByRole('group', { name: 'cURL example' }).textContent
  expect(example).toContain(`curl -X POST ${NONE.base_url}/partner/leads`)
  expect(example).toContain("'Authorization: Bearer <YOUR_API_KEY>'")
  const guide = screen.getByRole('region', { name: 'Using your key' })
  for (const words of ['Authorization: Bearer', `${API_CALLS_PER_MINUTE} calls a minute`, 'POST /api/partner/leads'])
    expect(guide.textContent).toContain(words)
  expect(within(guide).getByRole('link').getAttribute('href')).toBe('/api-docs')
})

test('the page says that a key was never used', async () => {
  serveKey(ACTIVE)
  openApp('/api-keys')
  expect(await screen.findByText('Never')).toBeDefined()
})

const LEDGER: NamedKey = {
  id: 'k1',
  name: 'Ledger',
  rights: ['submit', 'read'],
  preview: 'lp_9z1aB...',
  created_at: '2026-11-20T01:05:00.000Z',
  made_by: 'Ada Harbour',
  last_used_at: null,
}

test('a key with a name is made with the chosen rights, appears once, and is listed with its maker', async () => {
  const { seen } = serveKey(NONE, {
    'POST /dashboard/api-keys': () => ({ status: 201, body: data({ keys: [LEDGER], api_key: KEY }) }),
  })
  const user = openApp('/api-keys')
  await user.click(await button('Make a Key'))
  const dialog = within(screen.getByRole('dialog', { name: 'Make a Key' }))
  await user.click(await dialog.findByRole('button', { name: 'Make the Key' }))
  expect(await dialog.findByText('Name is required')).toBeDefined()
  expect(dialog.getByText('Choose what the key may do')).toBeDefined()
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Ledger')
  await user.click(dialog.getByRole('checkbox', { name: 'Submit' }))
  await user.click(dialog.getByRole('checkbox', { name: 'Read' }))
  await user.click(dialog.getByRole('button', { name: 'Make the Key' }))

  const panel = await screen.findByRole('region', { name: 'The new key Ledger' })
  expect(document.body.textContent).not.toContain(KEY)
  await user.click(within(panel).getByRole('button', { name: 'Copy key' }))
  expect(await navigator.clipboard.readText()).toBe(KEY)
  const list = screen.getByRole('list', { name: 'Keys for your systems' })
  expect(list.textContent).toContain('LedgerSubmitReadlp_9z1aB... · made Nov 20, 2026 by Ada Harbour · never used')
  expect(seen.find(({ method, path }) => method === 'POST' && path === '/dashboard/api-keys')?.body).toEqual({
    name: 'Ledger',
    rights: ['submit', 'read'],
  })
})

test('a name that another key has stays in the form, with the reason', async () => {
  const text = 'You already have a key with this name'
  serveKey(NONE, {
    'POST /dashboard/api-keys': () => ({ status: 400, body: failure(text, 'VALIDATION', { name: text }) }),
  })
  const user = openApp('/api-keys')
  await user.click(await button('Make a Key'))
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Ledger')
  await user.click(screen.getByRole('checkbox', { name: 'Read' }))
  await user.click(await button('Make the Key'))
  expect(await screen.findByText(text)).toBeDefined()
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' }))
})

test('a key with a name ends after a question, and the list keeps the focus', async () => {
  serveKey(NONE, {
    'GET /dashboard/api-keys': () => ({ body: data({ keys: [LEDGER] }) }),
    'DELETE /dashboard/api-keys/k1': () => ({ body: data({ keys: [] }) }),
  })
  const user = openApp('/api-keys')
  await user.click(await button('End the key Ledger'))
  expect(screen.getByRole('alertdialog', { name: 'End the key Ledger' })).toBeDefined()
  await user.click(answerDialog('End the key'))
  expect(await screen.findByText(/No key has a name yet/)).toBeDefined()
  expect(document.activeElement).toBe(screen.getByRole('list', { name: 'Keys for your systems' }))
})

test('the list of keys says in a sentence when a key was used', async () => {
  const used = { ...LEDGER, last_used_at: new Date().toISOString() }
  serveKey(NONE, { 'GET /dashboard/api-keys': () => ({ body: data({ keys: [used] }) }) })
  openApp('/api-keys')
  expect((await screen.findByRole('list', { name: 'Keys for your systems' })).textContent).toContain('used just now')
})

test('if the keys with a name cannot be loaded, Try Again loads them', async () => {
  let isBroken = true
  serveKey(NONE, {
    'GET /dashboard/api-keys': () =>
      isBroken ? { status: 403, body: failure('Not now', 'FORBIDDEN') } : { body: data({ keys: [LEDGER] }) },
  })
  const user = openApp('/api-keys')
  expect(await screen.findByText('Failed to load the keys')).toBeDefined()
  isBroken = false
  await user.click(await button('Try Again'))
  expect(await screen.findByText('Ledger')).toBeDefined()
})
