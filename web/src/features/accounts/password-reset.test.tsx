import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure, serve } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

test('the form says that an address has no account, and keeps what was typed', async () => {
  serve({ 'POST /auth/forgot-password': () => ({ status: 404, body: failure('Email not found', 'NOT_FOUND') }) })
  const user = openApp('/forgot-password')
  await user.type(await screen.findByLabelText('Email'), 'ada@acme.example')
  await user.click(screen.getByRole('button', { name: 'Send reset instructions' }))
  const text = 'No account found with this email address. Please check the email or create a new account.'
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('ada@acme.example')
  expect(screen.getByRole('link', { name: 'Back to sign in' }).getAttribute('href')).toBe('/login')
})

test('in development the answer’s token becomes a link to the page for a new password', async () => {
  serve({ 'POST /auth/forgot-password': () => ({ body: data({ resetToken: 'tok' }) }) })
  const user = openApp('/forgot-password')
  await user.type(await screen.findByLabelText('Email'), 'ada@acme.example')
  await user.click(screen.getByRole('button', { name: 'Send reset instructions' }))
  const link = await screen.findByRole('link', { name: 'Reset password now (development)' })
  expect(link.getAttribute('href')).toBe('/reset-password?token=tok')
})

test('in production the answer has no token and the page shows no link', async () => {
  serve({ 'POST /auth/forgot-password': () => ({ body: data({}) }) })
  const user = openApp('/forgot-password')
  await user.type(await screen.findByLabelText('Email'), 'ada@acme.example')
  await user.click(screen.getByRole('button', { name: 'Send reset instructions' }))
  expect(await screen.findByText(/Reset instructions are on their way/)).toBeDefined()
  expect(screen.queryByText('Reset password now (development)')).toBeNull()
})

test('the page of a reset link without a token says what to do', async () => {
  serve({})
  openApp('/reset-password')
  const text = 'Invalid or missing reset token. Please request a new password reset.'
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.queryByLabelText('New password')).toBeNull()
})

const NOTHING_ELSE = { removed: [], left: [] }

async function resetTo(password: string) {
  const user = openApp('/reset-password?token=tok')
  await user.type(await screen.findByLabelText('New password'), password)
  await user.type(screen.getByLabelText('Confirm new password'), password)
  await user.click(screen.getByRole('button', { name: 'Reset password' }))
}

test('after a reset the sign-in page opens', async () => {
  const server = serve({ 'POST /auth/reset-password': () => ({ body: data(NOTHING_ELSE) }) })
  await resetTo('Kauri-harbour-9')
  expect(await screen.findByText(/Your password was changed/)).toBeDefined()
  expect(server.seen[0]?.body).toEqual({ token: 'tok', newPassword: 'Kauri-harbour-9', revokeAccess: false })
  await waitFor(() => expect(window.location.pathname).toBe('/login'))
})

test('a weak password is reported on its field, and a used link above the form', async () => {
  let code = 'WEAK_PASSWORD'
  serve({ 'POST /auth/reset-password': () => ({ status: 400, body: failure('No', code) }) })
  await resetTo('password1')
  expect(await screen.findAllByText('Password is too weak. Please choose a stronger password.')).toHaveLength(1)
  expect(screen.getByLabelText('New password').getAttribute('aria-invalid')).toBe('true')
  code = 'INVALID_RESET_TOKEN'
  screen.getByRole('button', { name: 'Reset password' }).click()
  expect(await screen.findByText('Invalid reset token. Please request a new password reset.')).toBeDefined()
})

test('a reset that revokes access lists what can get in, ticks what is recent, and removes what is ticked or came meanwhile', async () => {
  const itemOf = (kind: string, id: string, name: string, is_recent: boolean) => ({
    kind,
    id,
    name,
    is_recent,
    detail: null,
    last_used_at: null,
    is_this_one: false,
    added_at: '2026-11-20T01:00:00.000Z',
  })
  const key = itemOf('api-key', 'api-key', 'lp_a1b2c...', true)
  const phone = itemOf('passkey', 'k1', 'Phone', false)
  const laptop = itemOf('passkey', 'k2', 'Laptop', true)
  const items = [itemOf('session', 's1', 'Firefox', true), key, phone, laptop]
  const server = serve({
    'POST /auth/reset-access': () => ({ body: data({ items }) }),
    'POST /auth/reset-password': () => ({ body: data({ removed: [key, phone], left: [laptop] }) }),
  })
  const user = openApp('/reset-password?token=tok')
  await user.click(await screen.findByLabelText('Also revoke access'))
  const list = within(await screen.findByRole('group', { name: 'Remove' }))
  expect(list.getAllByRole<HTMLInputElement>('checkbox').map(({ checked }) => checked)).toEqual([true, false, true])
  await user.click(list.getByLabelText(/Phone/))
  await user.click(list.getByLabelText(/Laptop/))
  await user.type(screen.getByLabelText('New password'), 'Kauri-harbour-9')
  await user.type(screen.getByLabelText('Confirm new password'), 'Kauri-harbour-9')
  items.push(itemOf('passkey', 'k3', 'Planted', true))
  await user.click(screen.getByRole('button', { name: 'Reset password' }))
  const text =
    'Removed with the old password: API key lp_a1b2c..., since Nov 20, 2026; Passkey Phone, since Nov 20, 2026. These can still get in: Passkey Laptop, since Nov 20, 2026.'
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.getByRole('link', { name: 'See everything that can get in' })).toBeDefined()
  const sent = server.seen.find(({ path }) => path === '/auth/reset-password')?.body
  const remove = [{ kind: 'api-key' }, { kind: 'passkey', id: 'k1' }, { kind: 'passkey', id: 'k3' }]
  expect(sent).toMatchObject({ revokeAccess: true, remove })
})

test('the welcome mail’s link verifies the address with one request', async () => {
  const server = serve({ 'POST /auth/verify-email': () => ({ body: data({}) }) })
  openApp('/verify-email?token=tok')
  expect(await screen.findByText('Your email address is verified. Thank you.')).toBeDefined()
  expect(server.seen.filter(({ path }) => path === '/auth/verify-email')).toHaveLength(1)
})

test.each([
  ['/verify-email', 'Your email address is verified. Thank you.'],
  ['/confirm-email', 'Your email address is now a@new.example. Sign in with it from now on.'],
])('the page %s uses the link once, even when the app fetches its data again', async (path, text) => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let uses = 0
  const answer = () => {
    uses += 1
    return uses === 1
      ? { body: data({ email: 'a@new.example' }) }
      : { status: 400, body: failure('Used', 'INVALID_VERIFICATION_TOKEN') }
  }
  const { seen } = serveSignedIn({ 'POST /auth/verify-email': answer, 'POST /auth/confirm-email': answer })
  openApp(`${path}?token=tok`)
  expect(await screen.findByText(text)).toBeDefined()
  // Without a live stream, the app fetches all its data again every 15 seconds.
  await vi.waitFor(() => expect(seen.some((request) => request.path === '/live')).toBe(true), { timeout: 10_000 })
  await vi.advanceTimersByTimeAsync(20_000)
  expect(screen.getByText(text)).toBeDefined()
  expect(uses).toBe(1)
})

test.each([
  ['/verify-email', 'Your email address is verified. Thank you.'],
  ['/confirm-email', 'Your email address is now a@new.example. Sign in with it from now on.'],
  ['/invite', 'Hello Ada, choose a password for a@new.example, and you are in.'],
])(
  'the page %s shows the answer even if it learns first that the session of this browser has ended',
  async (path, text) => {
    localStorage.setItem('auth_token', 'old')
    async function answerLate() {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return { body: data({ email: 'a@new.example', businessName: 'Acme', firstName: 'Ada' }) }
    }
    serve({
      'POST /auth/verify': () => ({ status: 401, body: failure('Session ended', 'UNAUTHORIZED') }),
      'POST /auth/verify-email': answerLate,
      'POST /auth/confirm-email': answerLate,
      'POST /auth/invitation': answerLate,
    })
    openApp(`${path}?token=tok`)
    expect(await screen.findByText('Your session has ended. Please sign in again.')).toBeDefined()
    expect(await screen.findByText(text)).toBeDefined()
  },
)

test('a link that was used stays used when somebody signs in from another tab', async () => {
  const { seen } = serveSignedIn({ 'POST /auth/verify-email': () => ({ body: data({ already: false }) }) })
  localStorage.removeItem('auth_token')
  openApp('/verify-email?token=tok')
  expect(await screen.findByText('Your email address is verified. Thank you.')).toBeDefined()
  localStorage.setItem('auth_token', 'token-1')
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
  expect(await screen.findByRole('link', { name: 'Go to the dashboard' })).toBeDefined()
  expect(screen.getByText('Your email address is verified. Thank you.')).toBeDefined()
  expect(seen.filter(({ path }) => path === '/auth/verify-email')).toHaveLength(1)
})

test('once the link has verified the address, the dashboard no longer asks for that', async () => {
  let mustConfirmEmail = true
  const server = serveSignedIn({
    'POST /auth/verify': () => ({
      body: data({ partnerId: 'p1', businessName: 'Acme', partnerEmail: 'ada@acme.example', mustConfirmEmail }),
    }),
    'POST /auth/verify-email': async () => {
      await waitFor(() => expect(server.seen.some(({ path }) => path === '/auth/verify')).toBe(true))
      mustConfirmEmail = false
      return { body: data({ already: false }) }
    },
  })
  const user = openApp('/verify-email?token=tok')
  await screen.findByText('Your email address is verified. Thank you.')
  await user.click(screen.getByRole('link', { name: 'Go to the dashboard' }))
  await waitFor(() => expect(server.seen.some(({ path }) => path.startsWith('/dashboard'))).toBe(true))
  await screen.findByRole('heading', { level: 1, name: 'Dashboard' })
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Send the link again' })).toBeNull())
})

test('the page of a verification link that did its work says so', async () => {
  serve({ 'POST /auth/verify-email': () => ({ body: data({ already: true }) }) })
  openApp('/verify-email?token=tok')
  expect(await screen.findByText('Your email address is already verified.')).toBeDefined()
  expect(screen.getByRole('link', { name: 'Sign in' })).toBeDefined()
})

test('the page of a used verification link says that the link is invalid or used', async () => {
  serve({
    'POST /auth/verify-email': () => ({ status: 400, body: failure('Used', 'INVALID_VERIFICATION_TOKEN') }),
  })
  openApp('/verify-email?token=tok')
  expect(await screen.findByText('This verification link is invalid or was already used.')).toBeDefined()
})

test('a verification link asks a signed-out person for the password, and asks again after a wrong password', async () => {
  const server = serve({
    'POST /auth/verify-email': ({ body }) => {
      const { password } = Object(body)
      if (password === 'right') return { body: data({}) }
      return { status: 400, body: failure(password ? 'Incorrect password' : 'Enter it', 'CONFIRM_PASSWORD') }
    },
  })
  const user = openApp('/verify-email?token=tok')
  await user.type(await screen.findByLabelText('Password'), 'wrong')
  await user.click(screen.getByRole('button', { name: 'Confirm email address' }))
  expect(await screen.findByText('Incorrect password')).toBeDefined()
  await user.clear(screen.getByLabelText('Password'))
  await user.type(screen.getByLabelText('Password'), 'right')
  await user.click(screen.getByRole('button', { name: 'Confirm email address' }))
  expect(await screen.findByText('Your email address is verified. Thank you.')).toBeDefined()
  expect(server.seen.at(-1)?.body).toEqual({ token: 'tok', password: 'right' })
})

test('the owner of an email address can close an account that somebody else created with it', async () => {
  const server = serve({
    'POST /auth/verify-email': () => ({ status: 400, body: failure('Enter it', 'CONFIRM_PASSWORD') }),
    'POST /auth/disown': () => ({ body: data({}) }),
  })
  const user = openApp('/verify-email?token=tok')
  await user.click(await screen.findByRole('link', { name: 'I did not create this account' }))
  const button = await screen.findByRole('button', { name: 'I did not create this account' })
  expect(server.seen.some(({ path }) => path === '/auth/disown')).toBe(false)
  await user.click(button)
  expect(await screen.findByText('The account is closed. You will get no more emails about it.')).toBeDefined()
  expect(server.seen.at(-1)?.body).toEqual({ token: 'tok' })
})
