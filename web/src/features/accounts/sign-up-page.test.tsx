import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure, serve } from '../../testing/server.ts'

async function openSignUp(
  values: { email?: string; business?: string; password?: string; confirmation?: string } = {},
) {
  const user = openApp('/signup')
  await screen.findByRole('heading', { name: 'Create your account' })
  const { email = 'ada@acme.example', business = 'Acme', password = 'Harbour-42', confirmation = password } = values
  if (email) await user.type(screen.getByLabelText('Email'), email)
  if (business) await user.type(screen.getByLabelText('Business name'), business)
  if (password) await user.type(screen.getByLabelText('Password'), password)
  if (confirmation) await user.type(screen.getByLabelText('Confirm password'), confirmation)
  const submit = () => user.click(screen.getByRole('button', { name: 'Create account' }))
  return { user, submit }
}

test('where the lender invites its partners, the page has no form and the sign-in offers no account', async () => {
  const meta = document.createElement('meta')
  meta.name = 'sign-up'
  meta.content = 'invite'
  document.head.append(meta)
  try {
    serve({})
    const user = openApp('/signup')
    expect(await screen.findByRole('heading', { name: 'Ask your lender for an invitation' })).toBeDefined()
    expect(screen.queryByRole('textbox')).toBeNull()
    await user.click(screen.getByRole('link', { name: 'Sign in' }))
    expect(await screen.findByText('New here? Ask your lender for an invitation.')).toBeDefined()
    expect(screen.queryByRole('link', { name: 'Create Partner Account' })).toBeNull()
  } finally {
    meta.remove()
  }
})

test('each missing value is reported, and nothing is sent', async () => {
  const server = serve({})
  const { submit } = await openSignUp({ email: '', business: '', password: '', confirmation: '' })
  await submit()
  expect(await screen.findByText('Email is required')).toBeDefined()
  expect(screen.getByText('Business name is required')).toBeDefined()
  expect(screen.getByText('Password is required')).toBeDefined()
  expect(server.seen).toHaveLength(0)
})

test('an odd address, and names with an address or an invisible sign, are refused below their fields', async () => {
  const server = serve({})
  const { user, submit } = await openSignUp({ email: 'a,b@acme.example', business: 'Win at www.evil.example' })
  await user.type(screen.getByLabelText('First name (optional)'), 'Ada\u200b')
  await submit()
  expect(await screen.findByText('Please enter a valid email address')).toBeDefined()
  expect(screen.getByText('Business name must not contain a web or email address')).toBeDefined()
  expect(screen.getByText(/^First name contains a character that nobody can see/)).toBeDefined()
  expect(server.seen).toHaveLength(0)
})

test('the form links to the lender’s privacy notice, if there is one', async () => {
  serve({ 'GET /auth/privacy': () => ({ body: data({ url: 'https://lender.example/privacy' }) }) })
  await openSignUp()
  const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'Privacy notice' })
  expect(link.href).toBe('https://lender.example/privacy')
})

test('a short password and a different confirmation are refused', async () => {
  serve({})
  const { submit } = await openSignUp({ password: 'Abc12', confirmation: 'Abc13' })
  await submit()
  expect(await screen.findByText('Password must be at least 8 characters long')).toBeDefined()
  expect(screen.getByText('Passwords do not match')).toBeDefined()
})

test('an account can be created in spite of the hint for a better password', async () => {
  const server = serve({ 'POST /auth/signup': () => ({ status: 201, body: data({}) }) })
  const { submit } = await openSignUp({ password: 'harbourlights' })
  expect(screen.getByText('For better security, use uppercase, lowercase, and numbers in your password')).toBeDefined()
  await submit()
  expect(await screen.findByText(/Account created/)).toBeDefined()
  expect(server.seen[0]?.body).toEqual({
    email: 'ada@acme.example',
    password: 'harbourlights',
    businessName: 'Acme',
    firstName: null,
    lastName: null,
  })
  expect(server.seen[0]?.headers.get('idempotency-key')).toBeTruthy()
})

test.each([
  [
    'EMAIL_EXISTS',
    'An account with this email exists',
    'An account with this email already exists. Please try signing in instead.',
  ],
  [
    'BUSINESS_EXISTS',
    'A business with this name exists',
    'A business with this name is already registered. Please contact support if this is your business.',
  ],
  ['VALIDATION', 'Something is off', 'Please check your information and try again.'],
  ['INTERNAL', 'Out of order', 'Account creation failed: Out of order'],
])('%s is shown in plain words, and the form keeps what was typed', async (code, error, text) => {
  serve({ 'POST /auth/signup': () => ({ status: 409, body: failure(error, code) }) })
  const { submit } = await openSignUp()
  await submit()
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Business name').value).toBe('Acme')
})

test('a weak password is reported on its field', async () => {
  serve({ 'POST /auth/signup': () => ({ status: 400, body: failure('Too weak', 'WEAK_PASSWORD') }) })
  const { submit } = await openSignUp()
  await submit()
  expect(await screen.findByText('Password is too weak. Please choose a stronger password.')).toBeDefined()
  expect(screen.getByLabelText('Password').getAttribute('aria-invalid')).toBe('true')
})
