import type { AccessItem } from '@portal/contract/access.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answering, startReceiver } from '../../testing/receiver.ts'
import { addApp, addPasskey } from '../../testing/second-factor.ts'
import {
  type Answer,
  addColleague,
  confirmEmail,
  newLead,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'

let portal: TestPortal
/** A portal with the rate limits of production. */
let limited: TestPortal
beforeAll(async () => {
  portal = await startPortal({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  limited = await startPortal({ env: { RATE_LIMITS: 'on' } })
})
afterAll(async () => {
  await portal[Symbol.asyncDispose]()
  await limited[Symbol.asyncDispose]()
})

const PASSWORD = 'correct-horse-battery'
const NEW_PASSWORD = 'another-fine-horse'

async function resetPassword(on: TestPortal, email: string, more: object = {}, headers = {}) {
  const { resetToken } = (await on.post('/auth/forgot-password', { email }, { headers })).body.data
  return on.post('/auth/reset-password', { token: resetToken, newPassword: NEW_PASSWORD, ...more }, { headers })
}

/** The kinds of access that a new password removed and left. */
function kindsOf({ body }: Answer): { removed: string[]; left: string[] } {
  const kinds = (items: AccessItem[]) => items.map(({ kind }) => kind)
  return { removed: kinds(body.data.removed), left: kinds(body.data.left) }
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

test('the first password reset by mail revokes the session, API key and webhook URL of a stranger who signed up with another person’s address', async () => {
  await using receiver = await startReceiver()
  receiver.respond = answering(200)
  const squatter = await portal.newPartner()
  const { api_key } = (await squatter.post('/dashboard/generate-api-key')).body.data
  await addApp(portal, squatter)
  await squatter.put('/dashboard/webhook-url', { webhook_url: receiver.url })

  const reset = await resetPassword(portal, squatter.email)
  expect(kindsOf(reset)).toEqual({ removed: ['app', 'api-key', 'webhook'], left: [] })
  expect((await squatter.get('/profile')).status).toBe(401)
  expect((await portal.get('/partner/docs', { token: api_key })).status).toBe(401)
  const owner = await portal.post('/auth/login', { email: squatter.email, password: NEW_PASSWORD })
  const { token } = owner.body
  expect((await portal.get('/dashboard/webhook-url', { token })).body.data.webhook_url).toBeNull()
  await portal.post('/dashboard/leads', newLead(), { token })
  expect(await portal.deps.db.selectFrom('events').select('to_deliver').execute()).toContainEqual({ to_deliver: false })
})

test('after a new password is set, the API key and the webhook URL are listed in the answer and in the mail, and are revoked on request', async () => {
  const partner = await portal.newPartner()
  await resetPassword(portal, partner.email)
  const { token } = (await portal.post('/auth/login', { email: partner.email, password: NEW_PASSWORD })).body
  const key = (await portal.post('/dashboard/generate-api-key', undefined, { token })).body.data
  const webhook_url = 'https://hooks.partner.example/in?secret=hidden'
  await portal.ask('PUT', '/dashboard/webhook-url', { token, body: { webhook_url } })
  await portal.mailTo(partner.email, 'Subject: An API key was made')
  await portal.mailTo(partner.email, 'Subject: Your webhook URL was changed')

  const form = { currentPassword: NEW_PASSWORD, newPassword: PASSWORD, confirmPassword: PASSWORD }
  const changed = await portal.ask('PUT', '/profile/password', { token, body: form })
  expect(kindsOf(changed)).toEqual({ removed: [], left: ['api-key', 'webhook'] })
  expect(changed.body.data.left).toMatchObject([{ name: key.api_key_preview }, { name: 'hooks.partner.example' }])
  const mail = await portal.mailTo(partner.email, 'Subject: Your password was changed')
  expect(mail).toMatch(
    /These can still get in: the API key lp_\S+, since .+; the webhook URL at hooks\.partner\.example, since/,
  )
  expect(mail).toContain('/profile/security')
  expect(mail).not.toContain('hidden')

  const reset = await resetPassword(portal, partner.email, { revokeAccess: true })
  expect(kindsOf(reset)).toEqual({ removed: ['api-key', 'webhook'], left: [] })
  expect((await portal.get('/partner/docs', { token: key.api_key })).status).toBe(401)
  expect(await portal.mailTo(partner.email, 'Removed at the same time: the API key')).toContain(
    'Your password was reset',
  )
})

/** What an intruder with a stolen session of an owner plants: a passkey and another owner. */
async function plant(owner: TestPartner) {
  const accomplice = await addColleague(portal, owner, 'owner')
  const passkey = await addPasskey(portal, owner, 'Intruder')
  return { accomplice, passkey }
}

test('a reset with revokeAccess ends the passkey and the owner that an intruder has planted', async () => {
  const owner = await portal.newPartner()
  const { accomplice, passkey } = await plant(owner)
  const reset = await resetPassword(portal, owner.email, { revokeAccess: true })
  expect(kindsOf(reset)).toEqual({ removed: ['passkey', 'person'], left: [] })
  expect((await accomplice.get('/profile')).status).toBe(401)
  expect((await portal.post('/auth/login', accomplice)).body.code).toBe('ACCOUNT_INACTIVE')
  expect((await portal.post('/auth/passkey', { passkey: await passkey.answer() })).status).toBe(401)
  const { token } = (await portal.post('/auth/login', { email: owner.email, password: NEW_PASSWORD })).body
  const { entries } = (await portal.get('/security-log?type=team', { token })).body.data
  expect(entries[0]).toMatchObject({ event: 'person-deactivated', subject: 'Robin Colleague' })
})

test('the person with a reset link sees what can get in, and the reset ends exactly what is chosen', async () => {
  const owner = await portal.newPartner()
  const { accomplice } = await plant(owner)
  const { resetToken: token } = (await portal.post('/auth/forgot-password', { email: owner.email })).body.data
  const { items } = (await portal.post('/auth/reset-access', { token })).body.data
  expect(items.map(({ kind, is_recent }: AccessItem) => [kind, is_recent])).toEqual([
    ['session', true],
    ['passkey', true],
    ['person', true],
  ])
  expect((await portal.post('/auth/reset-access', { token: 'unknown' })).body.code).toBe('INVALID_RESET_TOKEN')
  const remove = items.filter(({ kind }: AccessItem) => kind === 'person')
  const reset = { token, newPassword: NEW_PASSWORD, revokeAccess: true, remove }
  expect(kindsOf(await portal.post('/auth/reset-password', reset))).toEqual({ removed: ['person'], left: ['passkey'] })
  expect((await accomplice.get('/profile')).status).toBe(401)
  expect(await portal.mailTo(owner.email, 'was reset by email')).toMatch(
    /can still get in: the passkey Intruder, since/,
  )
})

test.each([
  ['is required', true],
  ['is older than 30 days', false],
])(
  'a reset that ends the last second factor, which %s, signs in only with a recovery code, and only to set up a new one',
  async (_why, isRequired) => {
    await using own = await startPortal()
    const owner = await own.newPartner()
    await confirmEmail(own, owner)
    const { recoveryCodes } = await addApp(own, owner)
    const stepOf = async (password: string) =>
      (await own.post('/auth/login', { email: owner.email, password })).body.second_factor
    const signIn = async (password: string): Promise<string> =>
      (await own.post('/auth/second-factor', { token: (await stepOf(password)).token, code: recoveryCodes.pop() })).body
        .token
    if (isRequired) await owner.put('/team/settings', { second_factor_required: true })
    else own.advance(31 * 24 * 3_600_000)
    const posting = (token: string) => ({ post: (path: string, body?: unknown) => own.post(path, body, { token }) })
    // A second reset, which ends a newer factor, does not get around this.
    if (!isRequired) await addPasskey(own, posting(await signIn(owner.password)))
    const remove = [{ kind: 'app', id: 'app' }]
    expect(kindsOf(await resetPassword(own, owner.email, { revokeAccess: true, remove })).removed).toEqual(['app'])
    if (!isRequired) await resetPassword(own, owner.email, { revokeAccess: true })

    expect((await stepOf(NEW_PASSWORD)).kinds).toEqual(['recovery'])
    const token = await signIn(NEW_PASSWORD)
    expect((await own.get('/dashboard/leads', { token })).body.code).toBe('SECOND_FACTOR_REQUIRED')
    await addApp(own, posting(token))
    expect((await own.get('/dashboard/leads', { token })).status).toBe(200)
  },
)

test('the owner of an address closes an account that somebody else created with it, and can then sign up', async () => {
  const squatter = await portal.newPartner()
  const { email, businessName } = squatter
  const { api_key } = (await squatter.post('/dashboard/generate-api-key')).body.data
  const mail = await portal.mailTo(email, '/disown?token=')
  expect(mail).toContain('I did not create this account')
  const token = /disown\?token=([\w-]+)/.exec(mail)?.[1]

  expect((await portal.post('/auth/disown', { token })).status).toBe(200)
  expect((await portal.post('/auth/disown', { token })).body.code).toBe('INVALID_VERIFICATION_TOKEN')
  expect((await squatter.get('/profile')).status).toBe(401)
  expect((await portal.get('/partner/docs', { token: api_key })).status).toBe(401)
  expect((await portal.post('/auth/login', { email, password: PASSWORD })).body.code).toBe('EMAIL_NOT_FOUND')
  expect((await portal.post('/auth/forgot-password', { email })).status).toBe(404)

  const owner = await portal.newPartner({ email, businessName, password: NEW_PASSWORD })
  expect(owner.id).not.toBe(squatter.id)
  expect((await owner.get('/dashboard/leads')).body.data.leads).toEqual([])
})

test('an older link cannot close an account whose address has been confirmed', async () => {
  const partner = await portal.newPartner()
  const token = /disown\?token=([\w-]+)/.exec(await portal.mailTo(partner.email, '/disown?token='))?.[1]
  await resetPassword(portal, partner.email)
  expect((await portal.post('/auth/disown', { token })).body.code).toBe('INVALID_VERIFICATION_TOKEN')
})

test('simultaneous refreshes of a token return the same new token, and signing out with the new token ends the session', async () => {
  const partner = await portal.newPartner()
  const answers = await Promise.all(Array.from({ length: 8 }, () => partner.post('/auth/refresh')))
  const tokens = new Set<string>(answers.map(({ body }) => body.data.token))
  expect(tokens.size).toBe(1)
  const [token] = tokens
  expect((await partner.post('/auth/refresh')).body.data.token).toBe(token)
  expect((await portal.post('/auth/refresh', undefined, { token })).body.data.token).not.toBe(token)

  expect((await portal.post('/auth/logout', undefined, { token })).status).toBe(200)
  for (const one of [partner.token, token]) expect((await portal.get('/profile', { token: one })).status).toBe(401)
})

test('a change of the password ends all other sessions and their successors, but not the caller’s session', async () => {
  const partner = await portal.newPartner()
  const other = (await portal.post('/auth/login', { email: partner.email, password: PASSWORD })).body.token
  const others = (await portal.post('/auth/refresh', undefined, { token: other })).body.data.token
  const own = (await partner.post('/auth/refresh')).body.data.token
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
  expect((await portal.ask('PUT', '/profile/password', { token: own, body })).status).toBe(200)
  for (const token of [other, others]) expect((await portal.get('/profile', { token })).status).toBe(401)
  for (const token of [own, partner.token]) expect((await portal.get('/profile', { token })).status).toBe(200)
})

test('wrong passwords from one or many IP addresses cannot lock an owner out', async () => {
  const { email } = await limited.newPartner() // the partner signs in from this machine's address, which becomes known
  const guess = (address: string) => limited.post('/auth/login', { email, password: 'wrong' }, from(address))
  for (let i = 0; i < 20; i++) await guess('203.0.113.1')
  expect((await guess('203.0.113.1')).status).toBe(429)
  // A stranger cannot fill the partner's security log, because refusals by a rate limit are not logged.
  const { rows: reasons } = await limited.deps.pool.query(
    "select reason from security_log where event = 'sign-in-failed'",
  )
  expect(new Set(reasons.map(({ reason }) => reason))).toEqual(new Set(['INVALID_PASSWORD']))
  const signIn = (headers: Record<string, string>) =>
    limited.post('/auth/login', { email, password: PASSWORD }, { headers })
  const elsewhere = await signIn({ 'x-forwarded-for': '198.51.100.200' })
  expect(elsewhere.status).toBe(200)
  const [cookie = ''] = elsewhere.headers.getSetCookie()
  expect(cookie).toMatch(/^portal_browser=[\w-]{43}; Max-Age=\d+; Path=\/api\/auth; HttpOnly; SameSite=Strict$/)

  // Sets the count as if nine more addresses had guessed, because each real guess would cost a hash.
  await limited.deps.pool.query('update rate_limits set points = 100 where key = $1', [`login-account:${email}`])
  expect((await guess('203.0.113.2')).status).toBe(401)
  const slow = await signIn({ 'x-forwarded-for': '192.0.2.1' })
  expect([slow.status, Number(slow.headers.get('retry-after')) <= 10]).toEqual([429, true])
  // The owner can sign in from a known address, a known browser, or a browser that a reset has made known.
  expect((await signIn({})).status).toBe(200)
  const mark = cookie.split(';')[0] ?? ''
  expect((await signIn({ 'x-forwarded-for': '192.0.2.2', cookie: mark })).status).toBe(200)
  const { rows: counted } = await limited.deps.pool.query('select key from rate_limits')
  expect(counted.filter(({ key }) => key.includes(mark.split('=')[1]))).toEqual([])
  const reset = await resetPassword(limited, email, {}, { 'x-forwarded-for': '192.0.2.3' })
  expect(reset.status).toBe(200)
  const again = await limited.post('/auth/login', { email, password: NEW_PASSWORD }, from('192.0.2.3'))
  expect(again.status).toBe(200)
})

test('after its limit, one IP address, account, or all unknown sources together get one sign-in try every ten seconds', async () => {
  const own = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const guess = (email: string, address: string) =>
    own.post('/auth/login', { email, password: 'Winter-2026!' }, from(address))
  let somebody = 0
  const spray = async (address: string) => (await guess(`nobody${(somebody += 1)}@example.com`, address)).status
  const sprayFrom = async (times: number, address: (i: number) => string) => {
    const statuses: number[] = []
    for (let i = 0; i < times; i++) statuses.push(await spray(address(i)))
    return statuses
  }
  const count = (key: string, points: number) =>
    own.deps.pool.query('update rate_limits set points = $2 where key = $1', [key, points])
  const passTenSeconds = () => own.deps.pool.query("update rate_limits set expire = 0 where key like '%-slow:%'")

  expect(await sprayFrom(61, (i) => `203.0.113.${i}`)).toEqual([...Array(60).fill(401), 429])
  await passTenSeconds()
  expect(await sprayFrom(2, () => '198.51.100.1')).toEqual([401, 429])
  // A known browser or address is none of them.
  const { email } = await own.newPartner()
  expect((await own.post('/auth/login', { email, password: PASSWORD })).status).toBe(200)

  await own.deps.pool.query('delete from rate_limits')
  await spray('203.0.113.50')
  await count('login-address:203.0.113.50', 99)
  expect(await sprayFrom(2, () => '203.0.113.50')).toEqual([401, 429])
  await passTenSeconds()
  expect(await sprayFrom(2, () => '203.0.113.50')).toEqual([401, 429])

  for (let i = 0; i < 10; i++) await guess(email, '203.0.113.60')
  const refused = await guess(email, '203.0.113.60')
  expect([refused.status, Number(refused.headers.get('retry-after')) <= 10]).toEqual([429, true])
  await passTenSeconds()
  expect((await guess(email, '203.0.113.60')).status).toBe(401)
  await own[Symbol.asyncDispose]()
})

test('IPv6 addresses count by /64, /56 and /48, with rising limits', async () => {
  const asked = async (times: number, address: (i: number) => string) => {
    const statuses: number[] = []
    for (let i = 0; i < times; i++) {
      const form = { email: `v6-${address(i)}-${i}@example.com`.replaceAll(':', '-') }
      statuses.push((await limited.post('/auth/forgot-password', form, from(address(i)))).status)
    }
    return statuses.filter((status) => status !== 429).length
  }
  // One /64, then one /56, then one /48.
  expect(await asked(31, () => '2001:db8:1:1::1')).toBe(30)
  expect(await asked(31, (i) => `2001:db8:1:${(2 + i).toString(16)}::1`)).toBe(30)
  expect(await asked(61, (i) => `2001:db8:1:${(256 * (1 + i)).toString(16)}::1`)).toBe(60)
  expect(await asked(1, () => '2001:db8:2:1::1')).toBe(1)
})

test('one IP address gets only thirty reset requests an hour, for all accounts together', async () => {
  const asked: number[] = []
  for (let i = 0; i < 31; i++) {
    const forgot = await limited.post(
      '/auth/forgot-password',
      { email: `nobody${i}@example.com` },
      from('203.0.113.50'),
    )
    asked.push(forgot.status)
  }
  expect(asked).toEqual([...Array(30).fill(404), 429])
})

test('an intruder with a stolen session can try only ten passwords at once, and then one every ten seconds', async () => {
  const partner = await limited.newPartner()
  const change = (currentPassword: string) =>
    partner.put('/profile/password', { currentPassword, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD })
  const guesses = await Promise.all(Array.from({ length: 12 }, () => change('wrong')))
  const wrong = guesses.filter(({ status }) => status === 400).length
  // The ten seconds begin with the tenth try, which the eleventh may overtake.
  expect([10, 11]).toContain(wrong)
  const refused = await change(PASSWORD)
  expect([refused.status, Number(refused.headers.get('retry-after')) <= 10]).toEqual([429, true])
  const { entries } = (await partner.get('/security-log?type=sign-ins')).body.data
  const failed = entries.filter(({ event }: { event: string }) => event === 'confirmation-failed')
  expect(failed.map(({ reason }: { reason: string }) => reason)).toEqual(Array(wrong).fill('INVALID_CURRENT_PASSWORD'))
})
