import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../../testing/open-app.tsx'
import { data, failure } from '../../../testing/server.ts'
import { serveSignedIn } from '../../../testing/signed-in.ts'

const PROFILE = {
  id: 'p1',
  person_id: 'h1',
  role: 'owner',
  zoho_id: null,
  business_name: 'Harbour Finance',
  first_name: null,
  last_name: null,
  email: 'demo@harbour.example',
  phone: null,
  is_active: true,
  email_verified: true,
}
const FACTOR = {
  totp: { added_at: '2026-11-20T01:00:00.000Z' },
  passkeys: [],
  recovery_codes_left: 4,
  is_required: false,
}

function serveProfile() {
  let isConfirmed = false
  return serveSignedIn({
    'GET /profile': () => ({ body: data(PROFILE) }),
    'GET /account/second-factor': () => ({ body: data(FACTOR) }),
    'DELETE /account/totp': () =>
      isConfirmed
        ? { body: data({ ...FACTOR, totp: null, recovery_codes_left: 0 }) }
        : { status: 403, body: failure('Confirm that it is you to continue.', 'CONFIRM_PASSWORD') },
    'POST /account/confirm': ({ body }) => {
      isConfirmed = JSON.stringify(body) === '{"code":"123456"}'
      const text = 'This code is wrong or has already been used.'
      return isConfirmed ? { body: data({}) } : { status: 400, body: failure(text, 'INVALID_CODE', { code: text }) }
    },
  })
}

async function removeApp(user: ReturnType<typeof openApp>) {
  await user.click(await screen.findByRole('button', { name: 'Remove authenticator app' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remove' }))
  return screen.findByRole('alertdialog', { name: 'Confirm that it is you' })
}

test('a call that needs a confirmation is repeated as soon as the person confirms with the second factor', async () => {
  const server = serveProfile()
  const user = openApp('/profile/security')
  const dialog = await removeApp(user)
  const code = await within(dialog).findByLabelText('Code')
  await user.type(code, '000000{Enter}')
  expect(await within(dialog).findByText('This code is wrong or has already been used.')).toBeDefined()
  expect(code.getAttribute('aria-invalid')).toBe('true')
  expect(within(dialog).queryByLabelText('Password')).toBeNull()

  await user.clear(code)
  await user.type(code, '123456{Enter}')
  expect(await screen.findByRole('button', { name: 'Set up authenticator app' })).toBeDefined()
  expect(screen.queryByText('Confirm that it is you')).toBeNull()
  expect(server.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(2)
})

test('cancelling the dialog that asks for the confirmation shows why nothing happened', async () => {
  const server = serveProfile()
  const user = openApp('/profile/security')
  await user.click(within(await removeApp(user)).getByRole('button', { name: 'Cancel' }))
  expect(await screen.findByText('Confirm that it is you to continue.')).toBeDefined()
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(server.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})

test('when the session ends, the dialog that asks for the confirmation disappears', async () => {
  serveProfile()
  const user = openApp('/profile/security')
  await removeApp(user)
  localStorage.removeItem('auth_token')
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeDefined()
  expect(screen.queryByText('Confirm that it is you')).toBeNull()
})

test('if another person signs in from another tab, the dialog disappears and the call is not repeated', async () => {
  const server = serveProfile()
  const user = openApp('/profile/security')
  await removeApp(user)
  localStorage.setItem('auth_person', 'h2')
  localStorage.setItem('auth_token', 'token-2')
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
  await waitFor(() => expect(screen.queryByText('Confirm that it is you')).toBeNull())
  expect(await screen.findByRole('button', { name: 'Remove authenticator app' })).toBeDefined()
  expect(server.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})
