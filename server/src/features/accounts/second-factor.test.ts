import { afterAll, beforeAll, expect, test } from 'vitest'
import { encryptBytes, totpSecretOf } from '../../platform/db/reencrypt-secrets.ts'
import { openSecrets } from '../../platform/db/secrets.ts'
import { openAuthenticator } from '../../testing/authenticator.ts'
import { addApp, addPasskey, beginApp } from '../../testing/second-factor.ts'
import { addColleague, confirmEmail, startPortal, type TestPortal } from '../../testing/start-portal.ts'

const MINUTE_MS = 60_000

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

interface Account {
  email: string
  password: string
}

async function enterPassword({ email, password }: Account) {
  return portal.post('/auth/login', { email, password })
}

async function secondStep(account: Account): Promise<{ token: string; kinds: string[] }> {
  const { status, body } = await enterPassword(account)
  expect([status, body.token]).toEqual([200, undefined])
  return body.second_factor
}

test('with an authenticator app the sign-in has two steps, and each code works once', async () => {
  const partner = await portal.newPartner()
  const elsewhere = (await enterPassword(partner)).body.token
  const app = await addApp(portal, partner)
  expect(app.otpauthUrl).toMatch(
    /^otpauth:\/\/totp\/Partner%20Portal:partner\d+%40example\.com\?issuer=Partner%20Portal&secret=[A-Z2-7]{32}&/,
  )
  expect(new Set(app.recoveryCodes).size).toBe(10)
  // Sessions that began with the password alone have ended.
  expect((await portal.get('/profile', { token: elsewhere })).status).toBe(401)
  expect((await partner.get('/profile')).status).toBe(200)

  const { token, kinds } = await secondStep(partner)
  expect(kinds).toEqual(['totp', 'recovery'])
  // The code that confirmed the app has been used up.
  const used = await portal.post('/auth/second-factor', { token, code: app.firstCode })
  expect([used.status, used.body.code]).toEqual([401, 'INVALID_CODE'])
  const code = app.nextCode()
  const begun = await portal.post('/auth/second-factor', { token, code: ` ${code.slice(0, 3)} ${code.slice(3)}` })
  expect([begun.status, begun.body]).toEqual([
    200,
    {
      success: true,
      token: expect.any(String),
      partner: { id: partner.id, email: partner.email, businessName: partner.businessName },
      person: { id: expect.any(String), role: 'owner', hasUnverifiedEmail: true },
    },
  ])
  expect((await portal.get('/profile', { token: begun.body.token })).status).toBe(200)

  const again = await portal.post('/auth/second-factor', { token, code: app.nextCode() })
  expect([again.status, again.body.code]).toEqual([401, 'SIGN_IN_EXPIRED'])
  const next = await secondStep(partner)
  const replayed = await portal.post('/auth/second-factor', { token: next.token, code })
  expect(replayed.body.code).toBe('INVALID_CODE')
  portal.advance(10 * MINUTE_MS)
  const late = await portal.post('/auth/second-factor', { token: next.token, code: app.nextCode() })
  expect(late.body.code).toBe('SIGN_IN_EXPIRED')
})

test('if two calls use the same code at once, only one signs in', async () => {
  const partner = await portal.newPartner()
  const app = await addApp(portal, partner)
  const steps = [await secondStep(partner), await secondStep(partner)]
  const code = app.nextCode()
  const answers = await Promise.all(steps.map(({ token }) => portal.post('/auth/second-factor', { token, code })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
})

test('a recovery code works once, in any spelling, and the person gets a mail', async () => {
  const partner = await portal.newPartner()
  const { recoveryCodes } = await addApp(portal, partner)
  const [first = '', second = ''] = recoveryCodes
  const finish = async (code: string) =>
    portal.post('/auth/second-factor', { token: (await secondStep(partner)).token, code })

  expect((await finish(first.toUpperCase().replace('-', ' \u2011 ').replaceAll('0', 'O'))).status).toBe(200)
  expect((await finish(first)).body.code).toBe('INVALID_CODE')
  expect((await partner.get('/account/second-factor')).body.data.recovery_codes_left).toBe(9)
  await portal.mailTo(partner.email, 'a recovery code was used as the second factor')

  const renewed = (await partner.post('/account/recovery-codes')).body.data.recovery_codes
  expect((await finish(second)).body.code).toBe('INVALID_CODE')
  expect((await finish(renewed[0])).status).toBe(200)
  expect((await finish(`\u200b${renewed[1].replace('-', '–')}\u00a0`)).status).toBe(200)
  const stored = await portal.deps.db.selectFrom('recovery_codes').select('code_hash').execute()
  expect(JSON.stringify(stored)).not.toContain(renewed[2])
})

test('a recovery code works even if no key opens the secret of the authenticator app', async () => {
  const partner = await portal.newPartner()
  const app = await addApp(portal, partner)
  const { person_id } = (await partner.get('/profile')).body.data
  const lost = openSecrets([{ id: 'lost', bytes: Buffer.alloc(32, 'l') }])
  const secret = encryptBytes(lost, Buffer.alloc(20), totpSecretOf(person_id))
  await portal.deps.db.updateTable('totp_keys').set({ secret }).where('person_id', '=', person_id).execute()
  const { token } = await secondStep(partner)
  const refused = await portal.post('/auth/second-factor', { token, code: app.nextCode() })
  expect([refused.status, refused.body.code]).toEqual([401, 'INVALID_CODE'])
  expect((await portal.post('/auth/second-factor', { token, code: app.recoveryCodes[0] })).status).toBe(200)
})

test('a passkey serves as a second factor or replaces the password', async () => {
  const partner = await portal.newPartner()
  const phone = await addPasskey(portal, partner, ' Kim’s phone ')
  expect([phone.added.status, phone.added.body.data.recovery_codes]).toEqual([201, expect.any(Array)])

  const { token, kinds } = await secondStep(partner)
  expect(kinds).toEqual(['passkey', 'recovery'])
  const question = (await portal.post('/auth/passkey/options', { token })).body.data
  expect(question.allowCredentials).toHaveLength(1)
  // After the password, the passkey need not verify the user by fingerprint, face or PIN.
  const passkey = phone.device.use(question, { isVerified: false })
  expect((await portal.post('/auth/second-factor', { token, passkey })).status).toBe(200)

  const alone = await phone.answer()
  expect((await portal.post('/auth/passkey', { passkey: alone })).body).toMatchObject({ token: expect.any(String) })
  // A challenge can be answered only once.
  expect((await portal.post('/auth/passkey', { passkey: alone })).body.code).toBe('INVALID_PASSKEY')
  const unverified = await portal.post('/auth/passkey', { passkey: await phone.answer({ isVerified: false }) })
  expect([unverified.status, unverified.body.code]).toEqual([401, 'INVALID_PASSKEY'])
  const late = await phone.answer()
  portal.advance(6 * MINUTE_MS)
  expect((await portal.post('/auth/passkey', { passkey: late })).body.code).toBe('INVALID_PASSKEY')

  const { passkeys } = (await partner.get('/account/second-factor')).body.data
  expect(passkeys).toEqual([
    { id: expect.any(String), name: 'Kim’s phone', created_at: expect.any(String), last_used_at: expect.any(String) },
  ])
})

test('a passkey of another person, of another website or for another challenge is refused', async () => {
  const [partner, other] = [await portal.newPartner(), await portal.newPartner()]
  await addPasskey(portal, partner)
  const foreign = await addPasskey(portal, other)
  const { token } = await secondStep(partner)
  const theirs = await portal.post('/auth/second-factor', { token, passkey: await foreign.answer() })
  expect([theirs.status, theirs.body.code]).toEqual([401, 'INVALID_PASSKEY'])

  const creation = (await partner.post('/account/passkeys/options')).body.data
  const elsewhere = openAuthenticator('https://portal.evil.example').create(creation)
  const refused = await partner.post('/account/passkeys', { name: 'Evil', passkey: elsewhere })
  expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_PASSKEY'])
  // The challenge was made for another person.
  const device = openAuthenticator(portal.deps.publicUrl)
  const asked = (await other.post('/account/passkeys/options')).body.data
  const stolen = await partner.post('/account/passkeys', { name: 'Stolen', passkey: device.create(asked) })
  expect(stolen.body.code).toBe('INVALID_PASSKEY')

  const { passkeys } = (await other.get('/account/second-factor')).body.data
  expect((await partner.ask('DELETE', `/account/passkeys/${passkeys[0].id}`)).status).toBe(404)
})

test('five wrong codes pause the second step for 15 minutes, in every process', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on' } })
  await using beside = await startPortal({ env: { RATE_LIMITS: 'on' }, on: limited })
  const partner = await limited.newPartner()
  const app = await addApp(limited, partner)
  const { email, password } = partner
  const step = (await limited.post('/auth/login', { email, password })).body.second_factor
  const wrong = [limited, beside].flatMap((process) =>
    Array.from({ length: 4 }, () => process.post('/auth/second-factor', { token: step.token, code: '000000' })),
  )
  const statuses = (await Promise.all(wrong)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([401, 401, 401, 401, 401, 429, 429, 429])

  const paused = await beside.post('/auth/second-factor', { token: step.token, code: app.codeAt(30_000) })
  expect([paused.status, paused.body.error]).toEqual([
    429,
    'Too many wrong codes. Please wait 15 minutes before trying again.',
  ])
  expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(14 * 60)
})

test('a new app takes five wrong codes, and then a pause', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const partner = await limited.newPartner()
  const app = await beginApp(limited, partner)
  const confirm = async (code: string) => (await partner.post('/account/totp/confirm', { code })).status
  const statuses = []
  for (let i = 0; i < 6; i++) statuses.push(await confirm('000000'))
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  expect(await confirm(app.codeAt())).toBe(429)
})

test('wrong codes from elsewhere do not pause the second step at an IP address from which the person signed in before', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const partner = await limited.newPartner()
  const app = await addApp(limited, partner)
  const { email, password } = partner
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const token = (await limited.post('/auth/login', { email, password }, from('203.0.113.5'))).body.second_factor.token
  const guess = (address: string) => limited.post('/auth/second-factor', { token, code: '000000' }, from(address))
  for (let tries = 0; tries < 5; tries += 1) expect((await guess(`203.0.113.${tries}`)).status).toBe(401)
  expect((await guess('203.0.113.99')).status).toBe(429)
  expect((await limited.post('/auth/second-factor', { token, code: app.nextCode() })).status).toBe(200)
})

test('sensitive calls require the password again after 15 minutes, or the second factor of a person who has one', async () => {
  const partner = await portal.newPartner()
  portal.advance(16 * MINUTE_MS)
  const asked = await partner.post('/account/totp')
  expect([asked.status, asked.body.code]).toEqual([403, 'CONFIRM_PASSWORD'])
  expect((await partner.post('/dashboard/generate-api-key')).body.code).toBe('CONFIRM_PASSWORD')
  // Ending access requires no confirmation.
  expect((await partner.ask('DELETE', '/dashboard/revoke-api-key')).status).toBe(200)
  expect((await partner.put('/dashboard/webhook-url', { webhook_url: null })).status).toBe(200)

  const wrong = await partner.post('/account/confirm', { password: 'not the password' })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_CURRENT_PASSWORD'])
  expect((await partner.post('/account/totp')).status).toBe(403)
  expect((await partner.post('/account/confirm', { password: partner.password })).status).toBe(200)
  const { device } = await addPasskey(portal, partner)
  const token = (await partner.post('/auth/refresh')).body.data.token

  const ask = (method: string, path: string, body?: unknown) => portal.ask(method, path, { token, body })
  expect((await ask('POST', '/dashboard/generate-api-key')).status).toBe(201)
  portal.advance(16 * MINUTE_MS)
  const [session] = (await ask('GET', '/account/sessions')).body.data.sessions
  for (const [method, path, body] of [
    ['POST', '/dashboard/generate-api-key', undefined],
    ['PUT', '/dashboard/webhook-url', { webhook_url: 'https://partner.example/hook' }],
    ['POST', '/dashboard/webhook-secret', undefined],
    ['PUT', '/team/settings', { second_factor_required: true }],
    ['DELETE', '/account/totp', undefined],
    ['POST', '/account/recovery-codes', undefined],
    ['PUT', '/account/email', { email: 'else@example.com' }],
    ['POST', '/account/sessions/end-others', undefined],
    ['DELETE', `/account/sessions/${session.id}`, undefined],
  ] as const) {
    expect([path, (await ask(method, path, body)).body.code]).toEqual([path, 'CONFIRM_PASSWORD'])
  }
  const byPassword = await ask('POST', '/account/confirm', { password: partner.password })
  expect([byPassword.status, byPassword.body.fields]).toEqual([
    400,
    { password: 'Confirm with your second factor instead of your password.' },
  ])
  const question = (await portal.post('/auth/passkey/options', {})).body.data
  const touched = device.use(question, { isVerified: false })
  expect((await ask('POST', '/account/confirm', { passkey: touched })).status).toBe(200)
  expect((await ask('POST', '/dashboard/generate-api-key')).status).toBe(201)
})

test('a person confirms with a code or a recovery code; each code works once, and five wrong codes mean a wait', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const partner = await limited.newPartner()
  const app = await addApp(limited, partner)
  const confirm = (code: string) => partner.post('/account/confirm', { code })
  const code = app.nextCode()
  const [recoveryCode = ''] = app.recoveryCodes
  const answers = [await confirm(code), await confirm(code), await confirm(recoveryCode), await confirm(recoveryCode)]
  expect(answers.map(({ status, body }) => body.code ?? status)).toEqual([200, 'INVALID_CODE', 200, 'INVALID_CODE'])
  await limited.mailTo(partner.email, 'a recovery code was used')
  for (let tries = 0; tries < 3; tries += 1) expect((await confirm('000000')).status).toBe(400)
  expect((await confirm(app.nextCode())).status).toBe(429)
})

test('removing a factor ends the other sessions, and removing the last factor also removes the recovery codes', async () => {
  const partner = await portal.newPartner()
  const app = await addApp(portal, partner)
  const phone = await addPasskey(portal, partner)
  expect(phone.added.body.data.recovery_codes).toBeNull()
  const { token } = (
    await portal.post('/auth/second-factor', { token: (await secondStep(partner)).token, code: app.nextCode() })
  ).body
  const [passkey] = (await partner.get('/account/second-factor')).body.data.passkeys
  const left = (await partner.ask('DELETE', `/account/passkeys/${passkey.id}`)).body.data
  expect(left).toMatchObject({ passkeys: [], recovery_codes_left: 10, totp: { added_at: expect.any(String) } })
  expect((await portal.get('/profile', { token })).status).toBe(401)
  expect((await portal.post('/auth/passkey', { passkey: await phone.answer() })).status).toBe(401)

  expect((await partner.ask('DELETE', '/account/totp')).body.data).toMatchObject({ totp: null, recovery_codes_left: 0 })
  expect((await partner.ask('DELETE', '/account/totp')).status).toBe(404)
  expect((await enterPassword(partner)).body.token).toBeDefined()
  await portal.mailTo(partner.email, 'a second factor was removed')
})

test('if an owner requires a second factor, a person without one can only set one up', async () => {
  const owner = await portal.newPartner()
  const viewer = await addColleague(portal, owner, 'viewer')
  // Starts the second portal after the invitation was mailed, because that portal might otherwise send the mail.
  await using beside = await startPortal({ on: portal })
  expect((await viewer.put('/team/settings', { second_factor_required: true })).body.code).toBe('NOT_ALLOWED')
  await addApp(portal, owner)
  expect((await owner.put('/team/settings', { second_factor_required: true })).body.data).toEqual({
    second_factor_required: true,
  })
  expect((await owner.ask('DELETE', '/account/totp')).body.code).toBe('LAST_SECOND_FACTOR')

  const refused = await viewer.get('/dashboard/leads')
  expect([refused.status, refused.body.code]).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
  expect((await viewer.get('/account/second-factor')).body.data.is_required).toBe(true)
  const begun = await portal.post('/auth/login', { email: viewer.email, password: viewer.password })
  expect((await portal.get('/profile', { token: begun.body.token })).body.code).toBe('SECOND_FACTOR_REQUIRED')
  expect((await portal.post('/auth/refresh', undefined, { token: viewer.token })).status).toBe(200)

  // The second portal also refuses the viewer until the viewer has a second factor.
  expect((await beside.get('/dashboard/leads', { token: viewer.token })).status).toBe(403)
  await addApp(portal, viewer)
  expect((await beside.get('/dashboard/leads', { token: viewer.token })).status).toBe(200)
})

test('a new password ends a pending second step', async () => {
  const partner = await portal.newPartner()
  await confirmEmail(portal, partner)
  const app = await addApp(portal, partner)
  const { token } = await secondStep(partner)
  const { resetToken } = (await portal.post('/auth/forgot-password', { email: partner.email })).body.data
  expect(
    (await portal.post('/auth/reset-password', { token: resetToken, newPassword: 'another-fine-horse' })).status,
  ).toBe(200)
  const answer = await portal.post('/auth/second-factor', { token, code: app.nextCode() })
  expect(answer.body.code).toBe('SIGN_IN_EXPIRED')
  // Once the address is confirmed, a reset replaces the password but not the second factor.
  expect((await secondStep({ email: partner.email, password: 'another-fine-horse' })).kinds).toContain('totp')
})
