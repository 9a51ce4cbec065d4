import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { readToken } from '../../api/token.ts'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure, serve } from '../../testing/server.ts'

const signedIn = {
  success: true,
  token: 'token-1',
  partner: { id: 'p1', email: 'ada@acme.example', businessName: 'Acme' },
  person: { id: 'h1', role: 'owner' },
}

async function openLogin() {
  const user = openApp('/login')
  const email = await screen.findByLabelText('Email')
  const password = screen.getByLabelText('Password')
  const submit = screen.getByRole<HTMLButtonElement>('button', { name: 'Sign in' })
  return { user, email, password, submit }
}

test('Sign in is disabled until both fields are filled', async () => {
  serve({})
  const { user, email, password, submit } = await openLogin()
  expect(submit.disabled).toBe(true)
  await user.type(email, 'ada@acme.example')
  expect(submit.disabled).toBe(true)
  await user.type(password, 'secret')
  expect(submit.disabled).toBe(false)
})

test('who passes the empty fields on the way to another button is told nothing; a field left out later is', async () => {
  serve({})
  const { user, email, password } = await openLogin()
  await user.click(email)
  await user.tab()
  await user.tab()
  // The check of the fields loads when the first one is left, and has found something before the next key.
  await vi.dynamicImportSettled()
  expect(screen.queryByText(/is required/)).toBeNull()
  await user.type(password, 'secret')
  expect(await screen.findByText('Email is required')).toBeDefined()
  expect(screen.queryByText('Password is required')).toBeNull()
})

test('an invalid email address is reported on its field and not sent', async () => {
  const server = serve({})
  const { user, email, password, submit } = await openLogin()
  await user.type(email, 'ada')
  await user.type(password, 'secret')
  await user.click(submit)
  expect(await screen.findByText('Please enter a valid email address')).toBeDefined()
  expect(email.getAttribute('aria-invalid')).toBe('true')
  expect(server.seen).toHaveLength(0)
})

test('the password can be shown and hidden again', async () => {
  serve({})
  const { user, password } = await openLogin()
  await user.click(screen.getByRole('button', { name: 'Show password' }))
  expect(password.getAttribute('type')).toBe('text')
  await user.click(screen.getByRole('button', { name: 'Hide password' }))
  expect(password.getAttribute('type')).toBe('password')
})

test('signing in welcomes the partner, stores the token and opens the dashboard', async () => {
  const server = serve({ 'POST /auth/login': () => ({ body: signedIn }) })
  const { user, email, password, submit } = await openLogin()
  await user.type(email, ' Ada@Acme.example ')
  await user.type(password, ' secret ')
  await user.click(submit)
  expect(await screen.findByText('Welcome back, Acme!')).toBeDefined()
  expect(server.seen[0]?.body).toEqual({ email: 'ada@acme.example', password: ' secret ' })
  expect(readToken()).toBe('token-1')
  await waitFor(() => expect(window.location.pathname).toBe('/dashboard'), { timeout: 2_000 })
})

test.each([
  [
    401,
    'No user with this email',
    'EMAIL_NOT_FOUND',
    'Account not found. Please check your email or create an account.',
  ],
  [401, 'Incorrect password', 'INVALID_PASSWORD', 'Incorrect password. Please try again or reset your password.'],
  [403, 'Account is inactive', 'ACCOUNT_INACTIVE', 'Your account is inactive. Please contact support.'],
  [429, 'Too many attempts', 'RATE_LIMITED', 'Login failed: Too many attempts'],
])('%i %s is shown in plain words, and the form keeps what was typed', async (status, error, code, text) => {
  serve({ 'POST /auth/login': () => ({ status, body: failure(error, code) }) })
  const { user, email, password, submit } = await openLogin()
  await user.type(email, 'ada@acme.example')
  await user.type(password, 'secret')
  await user.click(submit)
  expect(await screen.findByText(text)).toBeDefined()
  expect(window.location.pathname).toBe('/login')
  expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('ada@acme.example')
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('secret')
})

test('signing in offline says that there is no internet connection', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const { user, email, password, submit } = await openLogin()
  await user.type(email, 'ada@acme.example')
  await user.type(password, 'secret')
  await user.click(submit)
  expect(await screen.findByText('No internet connection. Please check your network and try again.')).toBeDefined()
})

test('where there is a demo, one click signs in with the demo account', async () => {
  const demo = { email: 'demo@harbour.example', password: 'from-the-server' }
  const server = serve({
    'GET /auth/demo': () => ({ body: data({ demo }) }),
    'POST /auth/login': () => ({ body: signedIn }),
  })
  const { user } = await openLogin()
  await user.click(await screen.findByRole('button', { name: 'Use the demo account' }))
  await waitFor(() => expect(readToken()).toBe('token-1'))
  expect(server.seen.find(({ path }) => path === '/auth/login')?.body).toEqual(demo)
})
