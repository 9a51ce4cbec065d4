import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { createQueryClient } from '../api/query-client.ts'
import { dropToken, onTokenChange, readToken, storeToken } from '../api/token.ts'
import { openApp } from '../testing/open-app.tsx'
import { data, failure, serve } from '../testing/server.ts'
import { keepSession } from './keep-session.ts'

const partner = {
  partnerId: 'p1',
  businessName: 'Acme',
  partnerEmail: 'a@acme.example',
  personId: 'h1',
  role: 'owner',
}
const profile = {
  id: 'p1',
  business_name: 'Acme',
  first_name: null,
  last_name: null,
  email: 'a@acme.example',
  phone: null,
}

function serveSignedIn(extra: Parameters<typeof serve>[0] = {}) {
  return serve({
    'POST /auth/verify': () => ({ body: data(partner) }),
    'POST /auth/logout': () => ({ body: data({}) }),
    'GET /profile': () => ({ body: data(profile) }),
    ...extra,
  })
}

test('a visitor without a token is redirected to /login', async () => {
  serve({})
  openApp('/profile')
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeDefined()
})

test('the token is verified at the start and when the tab becomes visible again', async () => {
  storeToken('token')
  const server = serveSignedIn()
  openApp('/profile')
  await screen.findByRole('heading', { name: 'Profile Settings' })
  const verifications = () => server.seen.filter(({ path }) => path === '/auth/verify')
  await waitFor(() => expect(verifications()).toHaveLength(1))
  expect(verifications()[0]?.body).toEqual({ token: 'token' })

  document.dispatchEvent(new Event('visibilitychange'))
  await waitFor(() => expect(verifications()).toHaveLength(2))
})

test('a token that the server refuses is dropped', async () => {
  storeToken('stale')
  serveSignedIn({ 'POST /auth/verify': () => ({ status: 401, body: failure('Session ended', 'UNAUTHORIZED') }) })
  openApp('/profile')
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeDefined()
  expect(readToken()).toBeNull()
  expect(await screen.findByText('Your session has ended. Please sign in again.')).toBeDefined()
})

test('a failing server does not end the session', async () => {
  storeToken('token')
  serveSignedIn({ 'POST /auth/verify': () => ({ status: 503, body: failure('Busy', 'UNAVAILABLE') }) })
  openApp('/profile')
  await screen.findByLabelText('Business name')
  expect(readToken()).toBe('token')
})

test('a verification that failed offline is repeated when the connection is back', async () => {
  storeToken('token')
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  serveSignedIn({
    'POST /auth/verify': () => (navigator.onLine ? { body: data(partner) } : Promise.reject(new TypeError('Failed'))),
  })
  openApp('/profile')
  await screen.findByLabelText('Business name')
  expect(screen.queryByText('Acme')).toBeNull()
  online.mockReturnValue(true)
  window.dispatchEvent(new Event('online'))
  expect((await screen.findAllByText('Acme')).length).toBeGreaterThan(0)
})

test('signing out in another tab ends the session in this one', async () => {
  storeToken('token')
  serveSignedIn()
  openApp('/profile')
  await screen.findByLabelText('Business name')
  localStorage.removeItem('auth_token')
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeDefined()
})

test('if another tab signs in as somebody else, this tab shows that person’s data, even while tokens cannot be verified', async () => {
  localStorage.setItem('auth_person', 'h1')
  storeToken('token')
  let isDown = false
  const server = serveSignedIn({
    'POST /auth/verify': () =>
      isDown ? { status: 503, body: failure('Busy', 'UNAVAILABLE') } : { body: data(partner) },
    'GET /profile': ({ headers }) => ({
      body: data({
        ...profile,
        business_name: headers.get('authorization') === 'Bearer token' ? 'Acme' : 'Banksia',
      }),
    }),
  })
  openApp('/profile')
  expect((await screen.findByLabelText<HTMLInputElement>('Business name')).value).toBe('Acme')
  expect((await screen.findAllByText('Acme')).length).toBeGreaterThan(0)
  const streams = () =>
    server.seen.filter(({ path }) => path === '/live').map(({ headers }) => headers.get('authorization'))
  await waitFor(() => expect(streams()).toContain('Bearer token'))
  fireEvent.change(screen.getByLabelText('First name'), { target: { value: 'Ada' } })

  isDown = true
  localStorage.setItem('auth_person', 'h2')
  localStorage.setItem('auth_token', 'token-2')
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Business name').value).toBe('Banksia'))
  expect(screen.getByLabelText<HTMLInputElement>('First name').value).toBe('')
  expect(screen.queryByText('Acme')).toBeNull()
  await waitFor(() => expect(streams().at(-1)).toBe('Bearer token-2'))
})

test('if another tab signs in as somebody else, a lead form is emptied, and its draft waits for its author', async () => {
  localStorage.setItem('auth_person', 'h1')
  storeToken('token')
  serveSignedIn()
  openApp('/leads/new')
  const signInElsewhere = (personId: string) => {
    localStorage.setItem('auth_person', personId)
    localStorage.setItem('auth_token', `token of ${personId}`)
    window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
  }
  const firstName = () => screen.getByLabelText<HTMLInputElement>(/^First Name/)
  await screen.findByLabelText(/^First Name/)
  fireEvent.change(firstName(), { target: { value: 'Mia' } })
  signInElsewhere('h2')
  await waitFor(() => expect(firstName().value).toBe(''))
  expect(JSON.stringify(sessionStorage)).not.toContain('Mia')
  signInElsewhere('h1')
  await waitFor(() => expect(firstName().value).toBe('Mia'))
})

test('a token older than twelve hours is exchanged for a new one', async () => {
  storeToken('old')
  localStorage.setItem('auth_token_since', String(Date.now() - 13 * 3_600_000))
  serveSignedIn({ 'POST /auth/refresh': () => ({ body: data({ token: 'new' }) }) })
  openApp('/profile')
  await waitFor(() => expect(readToken()).toBe('new'))
})

test('a refresh that is answered after a sign-out does not sign in again', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  storeToken('old')
  localStorage.setItem('auth_token_since', String(Date.now() - 13 * 3_600_000))
  const { seen } = serveSignedIn({
    'POST /auth/refresh': async () => {
      await answered
      return { body: data({ token: 'new' }) }
    },
  })
  const stored = vi.fn()
  openApp('/profile')
  await waitFor(() => expect(seen.some(({ path }) => path === '/auth/refresh')).toBe(true))
  dropToken()
  const stop = onTokenChange(stored)
  await screen.findByRole('heading', { name: 'Sign in' })
  answer()
  await expect.poll(() => vi.mocked(fetch).mock.settledResults.every(({ type }) => type !== 'incomplete')).toBe(true)
  await Promise.resolve()
  stop()
  expect([stored.mock.calls, readToken()]).toEqual([[], null])
})

test('a refresh whose answer was lost is repeated while the old token is still valid', async () => {
  vi.useFakeTimers()
  storeToken('old')
  localStorage.setItem('auth_token_since', String(Date.now() - 13 * 3_600_000))
  let tries = 0
  serveSignedIn({
    'POST /auth/refresh': () => {
      tries += 1
      return tries === 1 ? Promise.reject(new TypeError('Failed')) : { body: data({ token: 'new' }) }
    },
  })
  const stop = keepSession(createQueryClient(), { onEnd: vi.fn(), onBeginElsewhere: vi.fn() })
  await vi.advanceTimersByTimeAsync(20_000)
  stop()
  expect(readToken()).toBe('new')
})

test('the initial of a business can be an emoji', async () => {
  storeToken('token')
  serveSignedIn({ 'POST /auth/verify': () => ({ body: data({ ...partner, businessName: ' 🦘 Finance' }) }) })
  openApp('/profile')
  expect(await screen.findAllByText('🦘')).toHaveLength(2)
})

test('signing out asks for confirmation with the specification’s text', async () => {
  storeToken('token')
  const server = serveSignedIn()
  const user = openApp('/profile')
  await screen.findByLabelText('Business name')
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Sign Out' })
  expect(dialog.textContent).toContain(
    'Are you sure you want to sign out? You will need to sign in again to access your account.',
  )
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(readToken()).toBe('token')

  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  await user.click(screen.getByRole('button', { name: 'Sign Out' }))
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeDefined()
  expect(readToken()).toBeNull()
  expect(screen.queryByText('Your session has ended. Please sign in again.')).toBeNull()
  const logout = server.seen.find(({ path }) => path === '/auth/logout')
  expect(logout?.headers.get('authorization')).toBe('Bearer token')
})

test('the search box trims its text and ignores an empty query', async () => {
  storeToken('token')
  vi.spyOn(window, 'scrollTo').mockReturnValue(undefined)
  serveSignedIn()
  const user = openApp('/profile')
  const box = await screen.findByPlaceholderText('Search leads and deals...')
  await user.type(box, '   {Enter}')
  expect(window.location.pathname).toBe('/profile')
  await user.type(box, ' 0412 345 {Enter}')
  await waitFor(() => expect(window.location.pathname + window.location.search).toBe('/search?q=0412+345'))
})

test('the app hides what a role may not do, and adapts when an answer names another role', async () => {
  storeToken('token')
  let role = 'owner'
  serveSignedIn({
    'POST /auth/verify': () => ({ body: data({ ...partner, role }) }),
    'GET /profile': () => ({ body: data(profile), headers: { 'portal-role': role } }),
    'GET /dashboard/leads': () => ({
      body: { ...data({ leads: [] }), pagination: { page: 1, limit: 20, has_more: false } },
      headers: { 'portal-role': role },
    }),
  })
  const user = openApp('/leads')
  expect((await screen.findAllByRole('link', { name: /New Lead/ })).length).toBeGreaterThan(0)
  expect(screen.getByRole('link', { name: 'API Keys' })).toBeDefined()

  role = 'viewer'
  await user.click(screen.getByRole('link', { name: 'Profile Settings' }))
  await screen.findByRole('heading', { name: 'Profile Settings' })
  await waitFor(() => expect(screen.queryByRole('link', { name: 'API Keys' })).toBeNull())
  await user.click(within(screen.getByRole('navigation', { name: 'Main' })).getByRole('link', { name: 'Leads' }))
  expect(await screen.findByRole('heading', { name: 'Leads' })).toBeDefined()
  expect(screen.queryByRole('link', { name: /New Lead|Submit/ })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Sync from CRM' })).toBeNull()
})

test('a role that may not use a page is redirected to /dashboard', async () => {
  storeToken('token')
  localStorage.setItem('auth_role', 'viewer')
  serveSignedIn({ 'POST /auth/verify': () => ({ body: data({ ...partner, role: 'viewer' }) }) })
  openApp('/api-keys')
  expect(await screen.findByRole('heading', { name: 'Dashboard' })).toBeDefined()
})

test('the first listener learns of a session that ended before anybody listened', () => {
  storeToken('stale')
  dropToken('stale')
  const heard = vi.fn()
  onTokenChange(heard)()
  expect(heard.mock.calls).toEqual([[{ token: null, fromOtherTab: false, isRefused: true }]])
  onTokenChange(heard)()
  expect(heard).toHaveBeenCalledTimes(1)
})
