import { randomBytes } from 'node:crypto'
import type { AccessItem } from '@portal/contract/access.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { addPasskey, beginApp } from '../../testing/second-factor.ts'
import { addColleague, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'
const MINUTE_MS = 60_000

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

/** Signs in as Safari on a phone would, with the cookie of an earlier sign-in if one is given. */
async function signInByPhone(portal: TestPortal, { email, password }: TestPartner, cookie = '') {
  const headers = { 'user-agent': SAFARI, ...(cookie && { cookie }) }
  const {
    status,
    body,
    headers: answered,
  } = await portal.ask('POST', '/auth/login', {
    body: { email, password },
    headers,
  })
  expect(status).toBe(200)
  return { token: String(body.token), cookie: answered.getSetCookie()[0]?.split(';')[0] ?? '' }
}

async function sessionsOf(portal: TestPortal, token: string) {
  return (await portal.get('/account/sessions', { token })).body.data.sessions
}

test('a person lists their sessions, ends one of them, and then ends all but the current one', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  const phone = await signInByPhone(portal, ada)
  portal.advance(5 * MINUTE_MS)
  const { token } = (await portal.post('/auth/refresh', undefined, { token: phone.token })).body.data

  await waitFor('the phone to be seen', async () => {
    const [first] = await sessionsOf(portal, token)
    return Date.parse(first.last_seen_at) - Date.parse(first.first_seen_at) > 3 * MINUTE_MS
  })
  const sessions = await sessionsOf(portal, token)
  expect(sessions).toEqual([
    expect.objectContaining({ browser: 'Safari on iOS', ip: '127.0.0.1', is_this_one: true }),
    expect.objectContaining({ browser: null, ip: '127.0.0.1', is_this_one: false }),
  ])
  const ended = await portal.ask('DELETE', `/account/sessions/${sessions[1].id}`, { token })
  expect([ended.status, (await ada.get('/profile')).status]).toEqual([200, 401])
  expect((await portal.ask('DELETE', `/account/sessions/${sessions[1].id}`, { token })).status).toBe(404)

  const others = [await signInByPhone(portal, ada), await signInByPhone(portal, ada)]
  expect((await portal.post('/account/sessions/end-others', undefined, { token })).status).toBe(200)
  for (const other of others) expect((await portal.get('/profile', { token: other.token })).status).toBe(401)
  expect(await sessionsOf(portal, token)).toHaveLength(1)
  await portal.post('/account/sessions/end-others', undefined, { token })
  await portal.post('/auth/logout', undefined, { token })

  const log = (await portal.get('/security-log', await signInByPhone(portal, ada))).body.data.entries
  const told = log.map((entry: { event: string; detail: string | null }) => [entry.event, entry.detail])
  expect(told.slice(0, 6)).toEqual([
    ['signed-in', 'by password'],
    ['signed-out', null],
    ['other-sessions-ended', null],
    ['signed-in', 'by password'],
    ['signed-in', 'by password'],
    ['session-ended', null],
  ])
})

test('an owner sees everything that can get in, with what came in the last 30 days marked; a member sees only their own', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'member')
  await addPasskey(portal, ada, 'Old phone')
  const { loginWith } = await appOf(portal, ada)
  portal.advance(31 * 24 * 60 * MINUTE_MS)
  const token = await loginWith()
  const listed = async (token: string) =>
    (await portal.get('/account/access', { token })).body.data.items.map((item: AccessItem) => [
      item.kind,
      item.name,
      item.is_recent,
    ])
  await portal.post('/dashboard/generate-api-key', undefined, { token })
  await portal.ask('PUT', '/dashboard/webhook-url', { token, body: { webhook_url: 'https://hooks.example/in?key=1' } })
  const invited = { email: 'guest@example.com', firstName: 'Gus', role: 'viewer' }
  await portal.post('/team/invitations', invited, { token })
  expect(await listed(token)).toEqual([
    ['session', 'Unknown browser', true],
    ['passkey', 'Old phone', false],
    ['app', 'Authenticator app', false],
    ['api-key', expect.stringMatching(/^lp_/), true],
    ['webhook', 'hooks.example', true],
    ['invitation', 'Gus', true],
    ['person', 'Robin Colleague', false],
  ])
  expect(await listed((await portal.post('/auth/login', bob)).body.token)).toEqual([
    ['session', 'Unknown browser', true],
  ])
})

test('a person ends everything but this device and the factor that confirms it', async () => {
  const ada = await portal.newPartner()
  const phone = await addPasskey(portal, ada, 'Phone')
  await addPasskey(portal, ada, 'Intruder')
  const { app, loginWith } = await appOf(portal, ada)
  const intruder = await loginWith()
  const removeOthers = (body: object) => ada.post('/account/access/remove-others', body)
  expect((await removeOthers({ password: ada.password })).status).toBe(400)
  expect((await removeOthers({ code: '000000' })).body.code).toBe('INVALID_CODE')
  expect((await portal.get('/profile', { token: intruder })).status).toBe(200)

  expect((await removeOthers({ passkey: await phone.answer() })).status).toBe(200)
  expect((await portal.get('/profile', { token: intruder })).status).toBe(401)
  const items = async () =>
    (await ada.get('/account/access')).body.data.items.map(({ kind, name }: AccessItem) => [kind, name])
  expect(await items()).toEqual([
    ['session', 'Unknown browser'],
    ['passkey', 'Phone'],
  ])
  await portal.mailTo(ada.email, 'a second factor was removed')

  // After a recovery code no factor would be left.
  await ada.put('/team/settings', { second_factor_required: true })
  const [first, second] = app.recoveryCodes
  expect((await removeOthers({ code: first })).body.code).toBe('LAST_SECOND_FACTOR')
  await ada.put('/team/settings', { second_factor_required: false })
  expect((await removeOthers({ code: second })).status).toBe(200)
  expect(await items()).toEqual([['session', 'Unknown browser']])
})

/** The recovery codes of the person's passkeys, and a function that signs the person in with one of them. */
async function appOf(portal: TestPortal, ada: TestPartner) {
  const app = await beginApp(portal, ada)
  await ada.post('/account/totp/confirm', { code: app.codeAt() })
  const recoveryCodes: string[] = (await ada.post('/account/recovery-codes')).body.data.recovery_codes
  return {
    app: { recoveryCodes },
    async loginWith(): Promise<string> {
      const step = (await portal.post('/auth/login', ada)).body.second_factor.token
      const code = recoveryCodes.pop()
      return (await portal.post('/auth/second-factor', { token: step, code })).body.token
    },
  }
}

test('a person has at most 100 sessions, and another sign-in ends the one that was not seen for the longest time', async () => {
  const ada = await portal.newPartner()
  const { db, clock } = portal.deps
  const { personId } = (await portal.post('/auth/verify', { token: ada.token })).body.data
  const rows = Array.from({ length: 99 }, (_, number) => {
    const at = new Date(clock.now().getTime() - (number + 60) * MINUTE_MS).toISOString()
    const token_hash = randomBytes(32)
    const times = {
      signed_in_at: at,
      confirmed_at: at,
      expires_at: new Date(clock.now().getTime() + 3_600_000).toISOString(),
    }
    return { token_hash, person_id: personId, family_id: newId(new Date(at)), ...times }
  })
  await db.insertInto('sessions').values(rows).execute()
  expect(await sessionsOf(portal, ada.token)).toHaveLength(100)
  await portal.post('/auth/login', ada)
  const left = await sessionsOf(portal, ada.token)
  expect(left.map(({ id }: { id: string }) => id)).not.toContain(rows.at(-1)?.family_id)
  expect(left).toHaveLength(100)
})

test('nobody can see or end another person’s session', async () => {
  const [ada, eve] = [await portal.newPartner(), await portal.newPartner()]
  const bob = await addColleague(portal, ada, 'viewer')
  const [adas] = await sessionsOf(portal, ada.token)
  for (const other of [bob, eve]) {
    expect(await sessionsOf(portal, other.token)).toHaveLength(1)
    expect((await portal.ask('DELETE', `/account/sessions/${adas.id}`, { token: other.token })).status).toBe(404)
    expect((await other.post('/account/sessions/end-others')).status).toBe(200)
  }
  expect(await sessionsOf(portal, ada.token)).toEqual([expect.objectContaining({ id: adas.id })])
  expect((await portal.get('/profile', { token: adas.id })).status).toBe(401)
})

test('the browser’s mark is the server’s: a planted one is unknown to the account, and one from before the secure cookie counts once', async () => {
  await using portal = await startPortal({ env: { PUBLIC_URL: 'https://portal.example' } })
  const [planter, ada] = [await portal.newPartner(), await portal.newPartner()]
  await portal.deps.db.updateTable('people').set({ last_seen_at: new Date().toISOString() }).execute()
  let keys = 0
  const newBrowserMails = async (count: number) => {
    const mails = async (subject: string) => (await portal.mailsTo(ada.email)).filter((mail) => mail.includes(subject))
    await waitFor('the mails', async () => (await mails('A sign-in from a new browser')).length >= count)
    // A later mail shows that no other mail is on its way.
    await ada.post('/dashboard/generate-api-key')
    keys += 1
    await waitFor('the later mail', async () => (await mails('Subject: An API key was made')).length === keys)
    expect(await mails('A sign-in from a new browser')).toHaveLength(count)
  }

  const { cookie: planted } = await signInByPhone(portal, planter)
  expect(planted).toMatch(/^__Secure-portal_browser=[\w-]{43}$/)
  const { cookie } = await signInByPhone(portal, ada, planted)
  const [, own, other] = /^__Secure-portal_browser=([\w-]{43})\.([\w-]{43})$/.exec(cookie) ?? []
  expect([planted.endsWith(`=${other}`), own === other]).toEqual([true, false])
  await newBrowserMails(1)
  // The planter knows the password, but not the mark.
  await signInByPhone(portal, ada, planted)
  await newBrowserMails(2)
  const again = await signInByPhone(portal, ada, cookie)
  expect(again.cookie).toBe(cookie)
  await newBrowserMails(2)

  const earlier = `portal_browser=${own}`
  await signInByPhone(portal, ada, earlier)
  await newBrowserMails(2)
  await signInByPhone(portal, ada, earlier)
  await newBrowserMails(3)
})

test('the person gets a mail about a sign-in from an unknown browser, but not about a sign-in from a known one', async () => {
  const ada = await portal.newPartner()
  const mails = async () =>
    (await portal.mailsTo(ada.email)).filter((mail) => mail.includes('A sign-in from a new browser'))
  await portal.mailTo(ada.email, '/verify-email')
  // Sets the person's last-seen time, so that the next sign-in does not count as the first.
  await ada.get('/profile')
  await waitFor('the person to be seen', async () => {
    const seen = portal.deps.db.selectFrom('people').select('last_seen_at').where('email', '=', ada.email)
    return (await seen.executeTakeFirstOrThrow()).last_seen_at
  })
  expect(await mails()).toEqual([])

  const { cookie } = await signInByPhone(portal, ada)
  expect(await portal.mailTo(ada.email, 'A sign-in from a new browser')).toMatch(
    /It was Safari on iOS, at the IP address 127\.0\.0\.1\.[^]*\/forgot-password[^]*\/profile\/security/,
  )
  await signInByPhone(portal, ada, cookie)
  await ada.post('/dashboard/generate-api-key')
  await portal.mailTo(ada.email, 'An API key was made')
  expect(await mails()).toHaveLength(1)

  // After a reset, only the browser that sent the reset is known, because other browsers may be an intruder's.
  const { resetToken } = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data
  const password = 'another-fine-horse'
  await portal.post('/auth/reset-password', { token: resetToken, newPassword: password })
  await signInByPhone(portal, { ...ada, password }, cookie)
  await waitFor('the mail about the second sign-in', async () => (await mails()).length === 2)
})
