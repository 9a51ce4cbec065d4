import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { storeToken } from '../api/token.ts'
import { openApp } from '../testing/open-app.tsx'
import { data, failure, serve } from '../testing/server.ts'

const begun = {
  token: 'token-1',
  partner: { id: 'p1', email: 'ada@acme.example', businessName: 'Acme' },
  person: { id: 'h1', role: 'owner' },
}
const verified = {
  partnerId: 'p1',
  businessName: 'Acme',
  partnerEmail: 'ada@acme.example',
  personId: 'h1',
  role: 'owner',
}
const profile = {
  id: 'p1',
  business_name: 'Acme',
  first_name: null,
  last_name: null,
  email: 'ada@acme.example',
  phone: null,
}

function serveSignIn(extra: Parameters<typeof serve>[0] = {}) {
  return serve({
    'POST /auth/login': () => ({ body: { success: true, ...begun } }),
    'POST /auth/verify': () => ({ body: data(verified) }),
    'POST /auth/logout': () => ({ body: data({}) }),
    'GET /profile': () => ({ body: data(profile) }),
    ...extra,
  })
}

async function enterPassword() {
  const user = userEvent.setup()
  await user.type(await screen.findByLabelText('Email'), 'ada@acme.example')
  await user.type(screen.getByLabelText('Password'), 'secret')
  await user.click(screen.getByRole('button', { name: 'Sign in' }))
}

function address() {
  return window.location.pathname + window.location.search + window.location.hash
}

test.each(['/leads?status=New+Lead&page=2', '/leads/LO-7K3M9QAZ', '/api-docs#webhooks'])(
  'signing in opens %s, the page that the person had asked for',
  async (asked) => {
    serveSignIn()
    openApp(asked)
    await enterPassword()
    await expect.poll(address).toBe(asked)
  },
)

test('the page that the person had asked for is remembered while they visit other signed-out pages', async () => {
  serveSignIn()
  const user = openApp('/profile')
  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }))
  await user.click(await screen.findByRole('link', { name: 'Back to sign in' }))
  await user.click(await screen.findByRole('link', { name: 'Create Partner Account' }))
  await user.click(await screen.findByRole('link', { name: 'Sign in' }))
  await enterPassword()
  await expect.poll(address).toBe('/profile')
})

test('the second step of signing in opens the page that the person had asked for', async () => {
  serveSignIn({
    'POST /auth/login': () => ({ body: { success: true, second_factor: { token: 'step-1', kinds: ['totp'] } } }),
    'POST /auth/second-factor': () => ({ body: { success: true, ...begun } }),
  })
  openApp('/leads?page=2')
  await enterPassword()
  const user = userEvent.setup()
  await user.type(await screen.findByLabelText('Code'), '123456')
  await user.click(screen.getByRole('button', { name: 'Sign in' }))
  await expect.poll(address).toBe('/leads?page=2')
})

test('after the server ends a session, signing in returns each tab to the page that was open in it', async () => {
  let isEnded = false
  storeToken('old')
  serveSignIn({
    'POST /auth/verify': () =>
      isEnded ? { status: 401, body: failure('Ended', 'UNAUTHORIZED') } : { body: data(verified) },
  })
  openApp('/profile?from=mail')
  await screen.findByLabelText('Business name')
  isEnded = true
  document.dispatchEvent(new Event('visibilitychange'))
  await expect.poll(address).toBe('/login')
  isEnded = false
  await enterPassword()
  await expect.poll(address).toBe('/profile?from=mail')

  localStorage.setItem('auth_end', 'refused')
  endElsewhere()
  await expect.poll(address).toBe('/login')
  beginElsewhere()
  await expect.poll(address).toBe('/profile?from=mail')
})

test('after a sign-out, the next sign-in opens the dashboard in every tab', async () => {
  storeToken('old')
  serveSignIn()
  const user = openApp('/profile')
  await screen.findByLabelText('Business name')
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  await user.click(screen.getByRole('button', { name: 'Sign Out' }))
  await enterPassword()
  await expect.poll(address).toBe('/dashboard')

  await user.click(await screen.findByRole('link', { name: 'Profile Settings' }))
  await screen.findByLabelText('Business name')
  endElsewhere()
  await expect.poll(address).toBe('/login')
  beginElsewhere()
  await expect.poll(address).toBe('/dashboard')
})

test('the page for a required second factor links to the page that the person had asked for', async () => {
  storeToken('token-1')
  serveSignIn({
    'GET /dashboard/leads': () => ({ status: 403, body: failure('Set up a second factor', 'SECOND_FACTOR_REQUIRED') }),
    'GET /account/second-factor': () => ({
      body: data({
        totp: { added_at: '2026-11-20T01:00:00.000Z' },
        passkeys: [],
        recovery_codes_left: 10,
        is_required: true,
      }),
    }),
  })
  openApp('/leads?status=Contacted')
  const onward = await screen.findByRole('link', { name: 'Continue' })
  expect(address()).toBe('/second-factor')
  expect(onward.getAttribute('href')).toBe('/leads?status=Contacted')
})

test('the page for a required second factor names the partner, even if the session is verified late', async () => {
  storeToken('token-1')
  const { promise: isRefused, resolve: refuse } = Promise.withResolvers<void>()
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
  serveSignIn({
    'POST /auth/verify': async () => {
      await isAnswered
      return { body: data(verified) }
    },
    'GET /dashboard/leads': async () => {
      await isRefused
      return { status: 403, body: failure('Set up a second factor', 'SECOND_FACTOR_REQUIRED') }
    },
    'GET /account/second-factor': () => ({
      body: data({ totp: null, passkeys: [], recovery_codes_left: 0, is_required: true }),
    }),
  })
  openApp('/leads')
  await screen.findByRole('heading', { name: 'Leads' })
  refuse()
  await screen.findByRole('heading', { name: 'Set up a second factor' })
  answer()
  const reason = `${verified.businessName} requires everybody to have one. Setting it up takes a minute.`
  expect(await screen.findByText(reason)).toBeDefined()
})

// The sign-in page takes the next page from the browser's history, and never from its own address.
test('the address of the sign-in page cannot choose the next page', async () => {
  serveSignIn()
  openApp(
    '/login?next=//evil.example&redirect=%2F%5Cevil.example&returnTo=javascript:alert(1)&to=/login#https://evil.example',
  )
  await enterPassword()
  await expect.poll(address).toBe('/dashboard')
})

/** Signs out as another tab would. The browser reports another tab's change with this event. */
function endElsewhere() {
  localStorage.removeItem('auth_token')
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
}

function beginElsewhere() {
  localStorage.setItem('auth_token', 'token-2')
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
}
