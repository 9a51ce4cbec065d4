import { cleanup, screen, waitFor, within } from '@testing-library/react'
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
  tax: null,
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

test('ABN and GST registration are there where the lender’s CRM has them, and a number that looks wrong does not stop the form', async () => {
  let tax: object | null = null
  const server = serveProfile({ 'GET /profile': () => ({ body: data({ ...profile, tax }) }) })
  const user = openApp('/profile')
  await screen.findByLabelText('First name')
  expect(screen.queryByLabelText('ABN')).toBeNull()
  cleanup()
  tax = { abn: null, gst_registered: 'Yes' }
  openApp('/profile')
  const abn = await screen.findByLabelText<HTMLInputElement>('ABN')
  const gst = screen.getByLabelText<HTMLSelectElement>('Registered for GST')
  expect(gst.value).toBe('Yes')
  await user.type(abn, '12 345')
  await user.selectOptions(gst, 'Not said')
  expect(await screen.findByText('This does not look like a valid ABN')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Save Changes' }))
  await waitFor(() =>
    expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ abn: '12 345', gst_registered: null }),
  )
})

test('a stored name that a new one could not have does not stop the form', async () => {
  const server = serveProfile({
    'GET /profile': () => ({ body: data({ ...profile, business_name: 'www.acme\u00ad' }) }),
  })
  const user = openApp('/profile')
  const first = await screen.findByLabelText('First name')
  await user.type(first, '@home')
  await user.click(screen.getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('First name must not contain a web or email address')).toBeDefined()
  await user.clear(first)
  await user.type(first, 'Adam')
  await user.click(screen.getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('Profile updated successfully')).toBeDefined()
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ first_name: 'Adam' })
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

test('the form shows what was changed elsewhere, and keeps what the person has typed', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let isChanged = false
  const server = serveProfile({
    'GET /profile': () => ({
      body: data(isChanged ? { ...profile, business_name: 'Zeta', last_name: 'Byron' } : profile),
    }),
  })
  const user = openApp('/profile')
  await user.type(await screen.findByLabelText('First name'), ' Mary')
  // Without a live stream, the app fetches all its data again every 15 seconds.
  await vi.waitFor(() => expect(server.seen.some(({ path }) => path === '/live')).toBe(true), { timeout: 10_000 })
  isChanged = true
  await vi.advanceTimersByTimeAsync(20_000)

  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Business name').value).toBe('Zeta'))
  expect(screen.getByLabelText<HTMLInputElement>('Last name').value).toBe('Byron')
  expect(screen.getByLabelText<HTMLInputElement>('First name').value).toBe('Ada Mary')

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
  serveProfile({ 'PUT /profile/password': () => ({ body: data({ removed: [], left: [] }) }) })
  await changePassword('old', 'Kauri-harbour-9', 'Kauri-harbour-9')
  expect(await screen.findByText('Password changed successfully')).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Current password').value).toBe('')
  expect(screen.queryByText(/still get in/)).toBeNull()
})

test('after a password change the page names the API key that still works', async () => {
  const key = { kind: 'api-key', name: 'lp_a1b2c...', added_at: '2026-11-20T01:00:00.000Z' }
  serveProfile({ 'PUT /profile/password': () => ({ body: data({ removed: [], left: [key] }) }) })
  await changePassword('old', 'Kauri-harbour-9', 'Kauri-harbour-9')
  expect(await screen.findByText(/These can still get in: API key lp_a1b2c\.\.\., since Nov 20, 2026\./)).toBeDefined()
})

test('everything that can get in is listed, and the person can end other sessions, remove the key, or keep only this device', async () => {
  const itemOf = (kind: string, id: string, name: string, is_this_one = false) => ({
    kind,
    id,
    name,
    is_this_one,
    detail: kind === 'session' ? '203.0.113.7' : null,
    added_at: '2026-11-20T01:00:00.000Z',
    last_used_at: null,
    is_recent: kind !== 'passkey',
  })
  let items = [
    itemOf('session', 's1', 'Safari on iOS', true),
    itemOf('session', 's2', 'Firefox'),
    itemOf('passkey', 'k1', 'Phone'),
    itemOf('api-key', 'api-key', 'lp_a1b2c...'),
  ]
  const without = (id: string) => () => {
    items = items.filter((item) => item.id !== id)
    return { body: data({}) }
  }
  const server = serveProfile({
    'GET /account/access': () => ({ body: data({ items }) }),
    'GET /account/second-factor': () => ({
      body: data({ totp: null, passkeys: [], recovery_codes_left: 0, is_required: false }),
    }),
    'POST /account/sessions/end-others': without('s2'),
    'DELETE /dashboard/revoke-api-key': without('api-key'),
    'POST /account/access/remove-others': without('k1'),
  })
  const user = openApp('/profile/security')
  const list = await screen.findByRole('list', { name: 'Everything that can get in' })
  const rows = () =>
    within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent)
  expect(rows()).toEqual([
    expect.stringMatching(/^Session: Safari on iOSThis one203\.0\.113\.7 · Since/),
    expect.stringMatching(/^Session: FirefoxNew/),
    expect.stringMatching(/^Passkey: PhoneSince/),
    expect.stringMatching(/^API key: lp_a1b2c\.\.\.New/),
  ])
  const confirm = async (name: string) =>
    user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name }))
  await user.click(within(list).getByRole('button', { name: 'Remove API key lp_a1b2c...' }))
  await confirm('Remove')
  await waitFor(() => expect(rows()).toHaveLength(3))
  await user.click(screen.getByRole('button', { name: 'Sign out all others' }))
  await confirm('Sign out all others')
  await waitFor(() => expect(rows()).toHaveLength(2))
  await user.click(screen.getByRole('button', { name: 'Remove all but this device' }))
  await user.type(await screen.findByLabelText('Password'), 'right')
  await confirm('Remove')
  await waitFor(() => expect(rows()).toHaveLength(1))
  expect(server.seen.find(({ path }) => path.endsWith('/remove-others'))?.body).toEqual({ password: 'right' })
  expect(within(list).queryByRole('button')).toBeNull()
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
  await user.type(await screen.findByLabelText('New email'), 'Ada@New.example')
  await user.click(screen.getByRole('button', { name: 'Send Link' }))
  expect(await screen.findByText('An account with this email exists')).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('New email').value).toBe('Ada@New.example')
  isTaken = false
  await user.click(screen.getByRole('button', { name: 'Send Link' }))
  expect(await screen.findByText(/We sent a link to ada@new\.example/)).toBeDefined()
  expect(server.seen.at(-1)?.body).toEqual({ email: 'ada@new.example' })
})

test('saving one changed notification setting sends only that setting, because another tab may have changed the others', async () => {
  const settings = {
    choices: { outcome: 'at-once', 'lead-status': 'digest' },
    at_once_if_own: [],
    time_zone: 'Australia/Sydney',
  }
  const server = serveProfile({
    'GET /account/notifications': () => ({ body: data(settings) }),
    'PUT /account/notifications': () => ({ body: data(settings) }),
  })
  const user = openApp('/profile/notifications')
  await user.click(await screen.findByLabelText('Lead status: Never'))
  const card = screen.getByRole('table').closest('form')
  await user.click(within(card ?? document.body).getByRole('button', { name: 'Save Changes' }))
  expect(await screen.findByText('Notifications updated successfully')).toBeDefined()
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toEqual({ choices: { 'lead-status': 'never' } })
})
