import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { storeToken } from '../../api/token.ts'
import { openApp } from '../../testing/open-app.tsx'
import { data, failure, serve } from '../../testing/server.ts'

const profile = {
  id: 'p1',
  zoho_id: null,
  business_name: 'Acme',
  first_name: 'Ada',
  last_name: null,
  email: 'ada@acme.example',
  phone: '+61412345678',
  is_active: true,
  email_verified: false,
}

function serveProfile(changes: Parameters<typeof serve>[0] = {}) {
  return serve({
    'POST /auth/verify': () => ({
      body: data({ partnerId: 'p1', businessName: 'Acme', partnerEmail: 'ada@acme.example' }),
    }),
    'GET /profile': () => ({ body: data(profile) }),
    'PUT /profile': ({ body }) => ({ body: data({ ...profile, ...Object(body) }) }),
    ...changes,
  })
}

beforeEach(() => storeToken('token'))

test('the email address is read-only, and the business name is required', async () => {
  const server = serveProfile()
  const user = openApp('/profile')
  const email = await screen.findByLabelText<HTMLInputElement>('Email')
  expect([email.value, email.readOnly]).toEqual(['ada@acme.example', true])
  await user.clear(screen.getByLabelText('Business name'))
  await user.click(screen.getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('Business name is required')).toBeDefined()
  expect(server.seen.some(({ method }) => method === 'PUT')).toBe(false)
})

test('a saved business name is shown in the sidebar at once, and a saved phone number is shown in its international form', async () => {
  const server = serveProfile()
  const user = openApp('/profile')
  const name = await screen.findByLabelText('Business name')
  await user.clear(name)
  await user.type(name, 'Zeta')
  await user.clear(screen.getByLabelText('Phone'))
  await user.type(screen.getByLabelText('Phone'), '0498 765 432')
  await user.click(screen.getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('Profile updated successfully')).toBeDefined()
  expect(within(screen.getByRole('complementary')).getByText('Zeta')).toBeDefined()
  // The first and last name are not sent, because another tab may have changed them.
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({
    business_name: 'Zeta',
    phone: '+61498765432',
  })
  expect(screen.getByLabelText<HTMLInputElement>('Phone').value).toBe('+61 498 765 432')
})

test('the forms show what was changed elsewhere, and keep what the person has typed', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let isChanged = false
  const server = serveProfile({
    'GET /profile': () => ({
      body: data(isChanged ? { ...profile, business_name: 'Zeta', last_name: 'Byron' } : profile),
    }),
    'GET /account/notifications': () => ({
      body: data({
        choices: {
          'lead-status': 'digest',
          ...(isChanged ? { outcome: 'never', webhook: 'at-once' } : { outcome: 'at-once' }),
        },
        at_once_if_own: [],
        time_zone: 'Australia/Sydney',
      }),
    }),
  })
  const user = openApp('/profile')
  await user.type(await screen.findByLabelText('First name'), ' Mary')
  expect((await screen.findByLabelText<HTMLInputElement>('Funded or lost: At once')).checked).toBe(true)
  await user.click(screen.getByLabelText('Lead status: Never'))
  // Without a live stream, the app fetches all its data again every 15 seconds.
  await vi.waitFor(() => expect(server.seen.some(({ path }) => path === '/live')).toBe(true), { timeout: 10_000 })
  isChanged = true
  await vi.advanceTimersByTimeAsync(20_000)

  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Business name').value).toBe('Zeta'))
  expect(screen.getByLabelText<HTMLInputElement>('Last name').value).toBe('Byron')
  expect(screen.getByLabelText<HTMLInputElement>('First name').value).toBe('Ada Mary')
  expect(screen.getByLabelText<HTMLInputElement>('Funded or lost: Never').checked).toBe(true)
  expect(screen.getByLabelText<HTMLInputElement>('Webhook disabled: At once').checked).toBe(true)
  expect(screen.getByLabelText<HTMLInputElement>('Lead status: Never').checked).toBe(true)

  await user.click(screen.getAllByRole('button', { name: 'Save Changes' })[0] ?? document.body)
  await waitFor(() =>
    expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ first_name: 'Ada Mary' }),
  )
})

test('the partner ID can be copied', async () => {
  serveProfile()
  const user = openApp('/profile')
  await user.click(await screen.findByRole('button', { name: 'Copy partner ID' }))
  expect(await navigator.clipboard.readText()).toBe('p1')
})

test('Try Again fetches a profile that failed to load', async () => {
  let isBroken = true
  serveProfile({
    'GET /profile': () => (isBroken ? { status: 404, body: failure('x', 'NOT_FOUND') } : { body: data(profile) }),
  })
  const user = openApp('/profile')
  expect(await screen.findByText('Failed to load profile')).toBeDefined()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByLabelText('Business name')).toBeDefined()
})

async function changePassword(current: string, next: string, confirmation: string) {
  const user = openApp('/profile')
  await user.click(await screen.findByRole('tab', { name: 'Change Password' }))
  if (current) await user.type(screen.getByLabelText('Current password'), current)
  if (next) await user.type(screen.getByLabelText('New password'), next)
  if (confirmation) await user.type(screen.getByLabelText('Confirm new password'), confirmation)
  await user.click(screen.getByRole('button', { name: 'Change Password' }))
}

test.each([
  ['', '', '', ['Current password is required', 'New password is required', 'Password confirmation is required']],
  ['old', 'short', 'short', ['Password must be at least 8 characters long']],
  ['old', 'Kauri-harbour-9', 'Kauri-harbour-8', ['Passwords do not match']],
])('the passwords %j, %j, %j are refused before they are sent', async (current, next, confirmation, texts) => {
  const server = serveProfile()
  await changePassword(current, next, confirmation)
  for (const text of texts) expect(await screen.findByText(text)).toBeDefined()
  expect(server.seen.some(({ method }) => method === 'PUT')).toBe(false)
})

test.each([
  ['INVALID_CURRENT_PASSWORD', 'Current password', 'Current password is incorrect'],
  ['PASSWORD_MISMATCH', 'Confirm new password', 'Passwords do not match'],
  ['WEAK_PASSWORD', 'New password', 'Password must be at least 8 characters long'],
  ['SAME_PASSWORD', 'New password', 'New password must be different from current password'],
])('%s is reported on the field %s', async (code, label, text) => {
  serveProfile({ 'PUT /profile/password': () => ({ status: 400, body: failure('No', code) }) })
  await changePassword('old', 'Kauri-harbour-9', 'Kauri-harbour-9')
  expect(await screen.findByText(text)).toBeDefined()
  expect(screen.getByLabelText(label).getAttribute('aria-invalid')).toBe('true')
})

test('changing the password empties the form', async () => {
  const access = { api_key: null, webhook_url: null, revoked: false }
  serveProfile({ 'PUT /profile/password': () => ({ body: data(access) }) })
  await changePassword('old', 'Kauri-harbour-9', 'Kauri-harbour-9')
  expect(await screen.findByText('Password changed successfully')).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Current password').value).toBe('')
  expect(screen.queryByText(/Still working/)).toBeNull()
})

test('after a password change the page names the API key that still works', async () => {
  const api_key = { preview: 'lp_a1b2c...', created_at: '2026-11-20T01:00:00.000Z' }
  serveProfile({ 'PUT /profile/password': () => ({ body: data({ api_key, webhook_url: null, revoked: false }) }) })
  await changePassword('old', 'Kauri-harbour-9', 'Kauri-harbour-9')
  expect(await screen.findByText(/Still working: the API key lp_a1b2c\.\.\. made on Nov 20, 2026\./)).toBeDefined()
})

/** Delays the answer as a network would, so that the page draws its waiting state first. */
function laterTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

test('sessions are listed, and the person can sign out one other session or all others', async () => {
  const sessionOf = (id: string, is_this_one: boolean) => ({
    id,
    browser: id,
    ip: '203.0.113.7',
    first_seen_at: '2026-11-20T01:00:00.000Z',
    last_seen_at: '2026-11-20T01:00:00.000Z',
    is_this_one,
  })
  let sessions = [sessionOf('Safari on iOS', true), sessionOf('Chrome on Windows', false), sessionOf('Firefox', false)]
  const server = serveProfile({
    'GET /account/sessions': () => ({ body: data({ sessions }) }),
    'DELETE /account/sessions/Firefox': async () => {
      sessions = sessions.slice(0, 2)
      await laterTask()
      return { body: data({}) }
    },
    'POST /account/sessions/end-others': async () => {
      sessions = sessions.slice(0, 1)
      await laterTask()
      return { body: data({}) }
    },
  })
  const user = openApp('/profile')
  const list = await screen.findByRole('list', { name: 'Sessions' })
  expect(within(list).getAllByRole('listitem')[0]?.textContent).toMatch(
    /Safari on iOSThis one203\.0\.113\.7 · Signed in/,
  )
  await user.click(within(list).getByRole('button', { name: 'Sign out Firefox' }))
  await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(2))
  await user.click(screen.getByRole('button', { name: 'Sign out all others' }))
  await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1))
  expect(within(list).queryByRole('button')).toBeNull()
  expect(server.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})

test('a taken email address is refused and stays in the form, and a link is mailed to a free address', async () => {
  let isTaken = true
  const server = serveProfile({
    'PUT /account/email': () =>
      isTaken
        ? { status: 409, body: failure('An account with this email exists', 'EMAIL_EXISTS') }
        : { body: data({}) },
  })
  const user = openApp('/profile')
  await user.click(await screen.findByRole('tab', { name: 'Email Address' }))
  await user.type(screen.getByLabelText('New email'), 'Ada@New.example')
  await user.click(screen.getByRole('button', { name: 'Send Link' }))
  expect(await screen.findByText('An account with this email exists')).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('New email').value).toBe('Ada@New.example')
  isTaken = false
  await user.click(screen.getByRole('button', { name: 'Send Link' }))
  expect(await screen.findByText(/We sent a link to ada@new\.example/)).toBeDefined()
  expect(server.seen.at(-1)?.body).toEqual({ email: 'ada@new.example' })
})

test('saving one changed notification setting sends only that setting, because another tab may have changed the others', async () => {
  const settings = { choices: { outcome: 'at-once', 'lead-status': 'digest' }, time_zone: 'Australia/Sydney' }
  const server = serveProfile({
    'GET /account/notifications': () => ({ body: data(settings) }),
    'PUT /account/notifications': () => ({ body: data(settings) }),
  })
  const user = openApp('/profile')
  await user.click(await screen.findByLabelText('Lead status: Never'))
  const card = screen.getByRole('table').closest('form')
  await user.click(within(card ?? document.body).getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('Notifications updated successfully')).toBeDefined()
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ choices: { 'lead-status': 'never' } })
})
