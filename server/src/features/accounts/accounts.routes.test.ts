import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDataFolder } from '../../testing/portal-process.ts'
import { startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { fillComparedNames } from './fill-compared-names.job.ts'
import { setPartnerActive } from './set-partner-active.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const PASSWORD = 'correct-horse-battery'

/** Returns the token of the link that confirms the address, from the newest mail that contains `words`. */
async function linkToken(email: string, words = '/verify-email?token='): Promise<string> {
  return /verify-email\?token=([\w-]+)/.exec(await portal.mailTo(email, words))?.[1] ?? ''
}

test('POST /auth/signup creates a partner and returns its id, name and email', async () => {
  const form = { email: ' Ada@Example.com ', password: PASSWORD, businessName: ' Ada Broking ', firstName: 'Ada' }
  const signedUp = await portal.post('/auth/signup', form)
  expect(signedUp.status).toBe(201)
  expect(signedUp.body).toEqual({
    success: true,
    data: { partnerId: expect.any(String), businessName: 'Ada Broking', partnerEmail: 'ada@example.com' },
  })

  const { token } = (await portal.post('/auth/login', { email: 'ada@example.com', password: PASSWORD })).body
  expect((await portal.get('/profile', { token })).body.data).toMatchObject({ first_name: 'Ada', last_name: null })
})

test('POST /auth/login returns a session token, the partner and the person', async () => {
  const partner = await portal.newPartner()
  const signedIn = await portal.post('/auth/login', { email: ` ${partner.email.toUpperCase()}`, password: PASSWORD })
  expect([signedIn.status, signedIn.body]).toEqual([
    200,
    {
      success: true,
      token: expect.stringMatching(/^[\w-]{43}$/),
      partner: { id: partner.id, email: partner.email, businessName: partner.businessName },
      person: { id: expect.any(String), role: 'owner', hasUnverifiedEmail: true },
    },
  ])
  const missing = await portal.post('/auth/login', {})
  expect([missing.status, missing.body.fields]).toEqual([
    400,
    { email: 'Email is required', password: 'Password is required' },
  ])
  const malformed = await portal.post('/auth/login', { email: 'ada', password: PASSWORD })
  expect(malformed.body.fields).toEqual({ email: 'Please enter a valid email address' })
})

test('every spelling of a mailbox is one account: accents, the domain, invisible signs', async () => {
  const spellings = [
    'jörg@bücher.example',
    'jo\u0308rg@bu\u0308cher.example',
    'JÖRG@xn--bcher-kva.example\u200b',
    'Jörg@BÜCHER.Example',
    'jörg@XN--BCHER-KVA.example',
    '\ufeffjö\u00adrg@bücher。example\u00a0',
  ]
  for (const typed of spellings) {
    const other = `${spellings.indexOf(typed)} Bücher`
    const answer = await portal.post('/auth/signup', { email: typed, password: PASSWORD, businessName: other })
    expect([answer.status, answer.body.code]).toEqual(typed === spellings[0] ? [201, undefined] : [409, 'EMAIL_EXISTS'])
    expect((await portal.post('/auth/login', { email: typed, password: PASSWORD })).body.partner.email).toBe(
      'jörg@xn--bcher-kva.example',
    )
  }
})

test('an account from before keeps its address, signs in with any spelling of it, and can save its profile', async () => {
  const partner = await portal.newPartner()
  const stored = 'zoe\u0308@bu\u0308ro.example'
  const names = { email: stored, first_name: 'Zoe\u0308' }
  await portal.deps.db.updateTable('people').set(names).where('partner_id', '=', partner.id).execute()
  await portal.deps.db
    .updateTable('partners')
    .set({ business_name: 'Bu\u0308ro' })
    .where('id', '=', partner.id)
    .execute()
  for (const email of [stored, 'zoë@büro.example', 'ZOË@xn--bro-hoa.example']) {
    const { body } = await portal.post('/auth/login', { email, password: PASSWORD })
    expect(body.partner).toMatchObject({ email: stored, id: partner.id })
  }
  const taken = await portal.post('/auth/signup', {
    email: 'zoë@büro.example',
    password: PASSWORD,
    businessName: 'Zoë',
  })
  expect([taken.status, taken.body.code]).toEqual([409, 'EMAIL_EXISTS'])
  await using folder = await openDataFolder()
  const listed = () => folder.command(['partners'], { DATABASE_URL: portal.database.url })
  expect((await listed()).out).not.toMatch('several spellings')
  const double = await portal.newPartner()
  await portal.deps.db
    .updateTable('people')
    .set({ email: 'zoë@xn--bro-hoa.example' })
    .where('partner_id', '=', double.id)
    .execute()
  expect((await listed()).out).toMatch(
    'One email address in several spellings, each with its own account: "zoe\\u{308}@bu\\u{308}ro.example", "zo\\u{eb}@xn--bro-hoa.example"\n',
  )
  const saved = await partner.put('/profile', { business_name: 'Büro', email: stored, first_name: 'Zoë' })
  expect([saved.status, saved.body.data.email]).toEqual([200, stored])
})

test('a sign-in to an inactive account gets 403 with the right password and 401 with a wrong one', async () => {
  const partner = await portal.newPartner()
  await setPartnerActive(portal.deps.db, partner.id, false)
  const refused = await portal.post('/auth/login', { email: partner.email, password: PASSWORD })
  expect([refused.status, refused.body]).toEqual([
    403,
    { success: false, code: 'ACCOUNT_INACTIVE', error: 'Account is inactive' },
  ])
  expect((await portal.post('/auth/login', { email: partner.email, password: 'not it' })).status).toBe(401)
  expect((await partner.get('/dashboard/stats')).status).toBe(401)
})

test.each(['Summer2026', 'partnerportal', 'Saltbush Lending!', 'ada.lovelace.1815'])(
  'sign-up refuses %s as the password of Ada Lovelace of Saltbush Lending',
  async (password) => {
    const names = { firstName: 'Ada', lastName: 'Lovelace', businessName: 'Saltbush Lending' }
    const refused = await portal.post('/auth/signup', { ...names, email: 'weak@example.com', password })
    expect([refused.status, refused.body.code, refused.body.fields]).toEqual([
      400,
      'WEAK_PASSWORD',
      { password: expect.stringMatching(/^Password is too weak\. Please choose a stronger password\. \w/) },
    ])
  },
)

test('a password with accents works in each encoding that a keyboard may send; an old hash accepts only the encoding that was hashed', async () => {
  const composed = 'caf\u00e9-horse-battery'
  const decomposed = 'cafe\u0301-horse-battery'
  const partner = await portal.newPartner({ password: composed })
  expect((await portal.post('/auth/login', { email: partner.email, password: decomposed })).status).toBe(200)

  const password_hash = await hash(decomposed)
  await portal.deps.db.updateTable('people').set({ password_hash }).where('partner_id', '=', partner.id).execute()
  expect((await portal.post('/auth/login', { email: partner.email, password: decomposed })).status).toBe(200)
  expect((await portal.post('/auth/login', { email: partner.email, password: composed })).status).toBe(401)
})

test.each([
  [{}, { email: 'Email is required', password: 'Password is required', businessName: 'Business name is required' }],
  [{ email: 'no', password: PASSWORD, businessName: 'X' }, { email: 'Please enter a valid email address' }],
  [
    { email: 'a@b.co', password: 'short', businessName: 'X' },
    { password: 'Password must be at least 8 characters long' },
  ],
  [
    { email: 'a@b.co', password: 'password123', businessName: 'X' },
    { password: expect.stringMatching(/^Password is too weak\. Please choose a stronger password\. \w/) },
  ],
  [
    { email: 'a@b.co', password: 'correct-horse-battery', confirmPassword: 'another-horse', businessName: 'X' },
    { confirmPassword: 'Passwords do not match' },
  ],
  [
    { email: '\u200b', password: PASSWORD, businessName: '\u2800\u00ad' },
    { email: 'Email is required', businessName: 'Business name is required' },
  ],
  [
    {
      email: 'a>b@x.example',
      password: PASSWORD,
      businessName: 'WIN at HTTPS://evil.example',
      firstName: 'see ｗｗｗ.evil.example',
      lastName: 'me@evil',
    },
    {
      email: 'Please enter a valid email address',
      businessName: 'Business name must not contain a web or email address',
      firstName: 'First name must not contain a web or email address',
      lastName: 'Last name must not contain a web or email address',
    },
  ],
  [
    { email: 'a@b.co', password: PASSWORD, businessName: 'Real\u200b Broker', firstName: 'A\u{e0041}da' },
    {
      businessName: 'Business name contains a character that nobody can see. Please type it instead of pasting it.',
      firstName: 'First name contains a character that nobody can see. Please type it instead of pasting it.',
    },
  ],
])('sign-up refuses %j', async (form, fields) => {
  const answer = await portal.post('/auth/signup', form)
  expect(answer.status).toBe(400)
  expect(answer.body.fields).toEqual(fields)
  expect(answer.body.error).toEqual(Object.values(fields)[0])
})

test('a taken email or business name is refused with 409 and the words that the client recognises', async () => {
  const partner = await portal.newPartner()
  const sameEmail = await portal.post('/auth/signup', {
    email: partner.email.toUpperCase(),
    password: PASSWORD,
    businessName: 'Somebody else',
  })
  expect(sameEmail.status).toBe(409)
  expect(sameEmail.body).toEqual({ success: false, code: 'EMAIL_EXISTS', error: 'An account with this email exists' })

  const sameName = await portal.post('/auth/signup', {
    email: 'other@example.com',
    password: PASSWORD,
    businessName: partner.businessName.toLowerCase(),
  })
  expect(sameName.status).toBe(409)
  expect(sameName.body).toEqual({
    success: false,
    code: 'BUSINESS_EXISTS',
    error: 'A business with this name exists',
  })
})

test('business names that differ only in case are treated as the same name, even with accents, and a taken email is reported before a taken name', async () => {
  await portal.newPartner({ email: 'cafe@example.com', businessName: 'Café Élan' })
  const form = { email: 'other-cafe@example.com', password: PASSWORD, businessName: 'CAFÉ ÉLAN' }
  expect((await portal.post('/auth/signup', form)).body.code).toBe('BUSINESS_EXISTS')
  expect((await portal.post('/auth/signup', { ...form, email: 'cafe@example.com' })).body.code).toBe('EMAIL_EXISTS')
})

test('a business name that looks like another one is taken, and names that looked alike before the upgrade stay and are listed', async () => {
  const twins = [
    'Real Broker & Co',
    'real\u00a0 broker & co',
    'Rеаl Вrοker & Co',
    'Ｒeal Broker & Co',
    'Real B\u200croker & Co',
  ]
  const answers = []
  for (const [at, businessName] of twins.entries()) {
    const form = { email: `twin${at}@example.com`, password: PASSWORD, businessName }
    answers.push((await portal.post('/auth/signup', form)).body.code)
  }
  expect(answers).toEqual([undefined, ...Array.from({ length: 4 }, () => 'BUSINESS_EXISTS')])

  const { db } = portal.deps
  const [older, newer, third] = [await portal.newPartner(), await portal.newPartner(), await portal.newPartner()]
  await sql`update partners set business_name = 'Old Twin', created_at = '2020-01-01' where id = ${older.id}`.execute(
    db,
  )
  await sql`update partners set business_name = 'Old Тwin' where id = ${newer.id}`.execute(db)
  await fillComparedNames.run(portal.deps, {}, AbortSignal.timeout(10_000))
  await using folder = await openDataFolder()
  const { out } = await folder.command(['partners'], { DATABASE_URL: portal.database.url })
  expect(out).toContain('Business names that look alike, each with its own account: "Old Twin", "Old \\u{422}win"\n')
  const saved = await newer.put('/profile', { business_name: 'Old Тwin', first_name: 'Ada' })
  expect([saved.status, saved.body.data.business_name]).toEqual([200, 'Old Тwin'])
  expect((await third.put('/profile', { business_name: 'OLD  TWIN' })).body.code).toBe('BUSINESS_EXISTS')
  expect((await newer.put('/profile', { business_name: 'New Name' })).status).toBe(200)
})

test('a business name that another partner takes at the same moment is refused with 409', async () => {
  const [quick, slow] = [await portal.newPartner(), await portal.newPartner()]
  const business_name = 'Wanted By Two'
  const answer = await portal.deps.db.transaction().execute(async (tx) => {
    await tx.updateTable('partners').set({ business_name }).where('id', '=', quick.id).execute()
    const asked = slow.put('/profile', { business_name })
    await waitFor('the second change to wait for the first', async () => {
      const { rows } = await sql`select from pg_stat_activity where wait_event = 'transactionid'`.execute(
        portal.deps.db,
      )
      return rows.length > 0
    })
    return { asked }
  })
  const { status, body } = await answer.asked
  expect([status, body.code]).toEqual([409, 'BUSINESS_EXISTS'])
})

test('a mail to an address that contains a comma, which earlier versions took, goes to that one address', async () => {
  const { id } = await portal.newPartner()
  const email = 'x,victim@example.com'
  await portal.deps.db.updateTable('people').set({ email }).where('partner_id', '=', id).execute()
  await portal.post('/auth/forgot-password', { email })
  expect(await portal.mailTo('<"x,victim"@example.com>')).toContain('Set a new password')
})

test('if two identical sign-ups arrive at once, one makes a partner and the other is refused with 409', async () => {
  const form = { email: 'twice@example.com', password: PASSWORD, businessName: 'Twice' }
  const answers = await Promise.all([portal.post('/auth/signup', form), portal.post('/auth/signup', form)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409])
})

test('a refused sign-in says whether the address is unknown or the password is wrong', async () => {
  const partner = await portal.newPartner()
  const unknown = await portal.post('/auth/login', { email: 'nobody@example.com', password: PASSWORD })
  expect([unknown.status, unknown.body.code, unknown.body.error]).toEqual([
    401,
    'EMAIL_NOT_FOUND',
    'No user with this email',
  ])
  const wrong = await portal.post('/auth/login', { email: partner.email, password: 'not it at all' })
  expect([wrong.status, wrong.body.code, wrong.body.error]).toEqual([401, 'INVALID_PASSWORD', 'Incorrect password'])
  expect(wrong.body.error).not.toMatch(/email|user/i)
})

test('with HIDE_ACCOUNT_EXISTENCE, login and forgot-password give the same answer for known and unknown addresses', async () => {
  await using discreet = await startPortal({ env: { HIDE_ACCOUNT_EXISTENCE: 'true' } })
  const partner = await discreet.newPartner()
  await discreet.mailTo(partner.email) // waits for the welcome mail, so that the next mail is the reset link
  const known = await discreet.post('/auth/login', { email: partner.email, password: 'not it at all' })
  const unknown = await discreet.post('/auth/login', { email: 'nobody@example.com', password: 'not it at all' })
  expect(unknown.body).toEqual(known.body)
  expect(unknown.status).toBe(known.status)

  const forgot = await discreet.post('/auth/forgot-password', { email: partner.email })
  expect(await discreet.post('/auth/forgot-password', { email: 'nobody@example.com' })).toMatchObject({
    status: forgot.status,
    body: forgot.body,
  })
  const isMailed = async () => (await discreet.mailTo(partner.email)).includes('/reset-password?token=')
  expect(await waitFor('the reset link', isMailed)).toBe(true)
})

test('POST /auth/verify returns the partner and the person of a session token', async () => {
  const partner = await portal.newPartner()
  const verified = await portal.post('/auth/verify', { token: partner.token })
  expect(verified.body).toEqual({
    success: true,
    data: {
      partnerId: partner.id,
      businessName: partner.businessName,
      partnerEmail: partner.email,
      personId: expect.any(String),
      personName: expect.any(String),
      role: 'owner',
      hasUnverifiedEmail: true,
      mustConfirmEmail: false,
      hold: null,
      hiddenRecords: 0,
      crmTakesNone: false,
      manager: null,
      announcement: null,
      agreement: null,
      seesPayments: false,
    },
  })
  const refused = await portal.post('/auth/verify', { token: 'not-a-token' })
  expect([refused.status, refused.body.error]).toEqual([401, 'Token verification failed'])
  for (const body of [{}, { token: '' }, { token: null }]) {
    const missing = await portal.post('/auth/verify', body)
    expect([missing.status, missing.body.fields]).toEqual([400, { token: 'No token available' }])
  }
})

test('POST /auth/refresh returns a new token, and the old one stays valid for half a minute', async () => {
  await using ownClock = await startPortal()
  const partner = await ownClock.newPartner()
  const refreshed = await partner.post('/auth/refresh')
  const token: string = refreshed.body.data.token
  expect(refreshed.body).toEqual({ success: true, data: { token: expect.stringMatching(/^[\w-]{43}$/) } })
  expect(token).not.toBe(partner.token)
  expect((await partner.get('/profile')).status).toBe(200)

  ownClock.advance(31_000)
  expect((await partner.get('/profile')).status).toBe(401)
  expect((await ownClock.get('/profile', { token })).status).toBe(200)
})

test('a session lasts 24 hours, and daily refreshes extend it to 30 days', async () => {
  await using ownClock = await startPortal()
  const partner = await ownClock.newPartner()
  let { token } = partner
  for (let day = 0; day < 30; day++) {
    const refreshed = await ownClock.post('/auth/refresh', undefined, { token })
    expect(refreshed.status).toBe(200)
    token = refreshed.body.data.token
    ownClock.advance(23.99 * 3_600_000)
  }
  // 719.7 hours have passed since the sign-in, and the session ends after 720.
  const last = await ownClock.post('/auth/refresh', undefined, { token })
  token = last.body.data.token
  expect((await ownClock.get('/profile', { token })).status).toBe(200)
  ownClock.advance(0.4 * 3_600_000)
  expect((await ownClock.get('/profile', { token })).status).toBe(401)
})

test('POST /auth/logout ends the session', async () => {
  const partner = await portal.newPartner()
  const signedOut = await partner.post('/auth/logout')
  expect([signedOut.status, signedOut.body]).toEqual([200, { success: true, data: {} }])
  expect((await partner.get('/profile')).status).toBe(401)
})

test('POST /auth/forgot-password returns the reset token in development', async () => {
  const partner = await portal.newPartner()
  const forgot = await portal.post('/auth/forgot-password', { email: partner.email.toUpperCase() })
  expect([forgot.status, forgot.body]).toEqual([
    200,
    { success: true, data: { resetToken: expect.stringMatching(/^[\w-]{43}$/) } },
  ])
  const missing = await portal.post('/auth/forgot-password', {})
  expect([missing.status, missing.body.fields]).toEqual([400, { email: 'Email is required' }])
})

test('POST /auth/reset-password sets a new password once and ends all sessions', async () => {
  const partner = await portal.newPartner()
  await portal.mailTo(partner.email) // waits for the welcome mail, so that the next mail is the reset link
  const forgot = await portal.post('/auth/forgot-password', { email: partner.email })
  expect(forgot.status).toBe(200)
  const resetToken: string = forgot.body.data.resetToken
  expect(await portal.mailTo(partner.email)).toContain(`/reset-password?token=${resetToken}`)

  const newPassword = 'another-fine-horse'
  const weak = await portal.post('/auth/reset-password', { token: resetToken, newPassword: 'password1' })
  expect([weak.status, weak.body.code, weak.body.fields]).toEqual([
    400,
    'WEAK_PASSWORD',
    {
      newPassword:
        'Password is too weak. Please choose a stronger password. Many people use this password or one like it.',
    },
  ])
  const short = await portal.post('/auth/reset-password', { token: '', newPassword: 'short' })
  expect(short.body.fields).toEqual({
    token: 'Invalid reset token. Please request a new password reset.',
    newPassword: 'Password must be at least 8 characters long',
  })
  const reset = await portal.post('/auth/reset-password', { token: resetToken, newPassword })
  const nothingElse = { removed: [], left: [] }
  expect([reset.status, reset.body]).toEqual([200, { success: true, data: nothingElse }])
  expect((await partner.get('/profile')).status).toBe(401)
  const again = await portal.post('/auth/reset-password', { token: resetToken, newPassword })
  expect([again.status, again.body.code]).toEqual([400, 'INVALID_RESET_TOKEN'])

  const signedIn = await portal.post('/auth/login', { email: partner.email, password: newPassword })
  const profile = await portal.get('/profile', { token: signedIn.body.token })
  expect(profile.body.data.email_verified).toBe(true)
})

test('a newer reset token voids the older one, and a reset token is valid for an hour', async () => {
  await using ownClock = await startPortal()
  const partner = await ownClock.newPartner()
  const older = await ownClock.post('/auth/forgot-password', { email: partner.email })
  const newer = await ownClock.post('/auth/forgot-password', { email: partner.email })
  const reset = (token: string) => ownClock.post('/auth/reset-password', { token, newPassword: 'another-fine-horse' })
  expect((await reset(older.body.data.resetToken)).body.code).toBe('INVALID_RESET_TOKEN')
  ownClock.advance(3_600_001)
  const expired = await reset(newer.body.data.resetToken)
  expect([expired.status, expired.body.error]).toEqual([
    400,
    'Reset token has expired. Please request a new password reset.',
  ])
})

test('forgot-password says that an address is unknown, and accepts three requests an hour', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const unknown = await limited.post('/auth/forgot-password', { email: 'nobody@example.com' })
  expect([unknown.status, unknown.body.error]).toEqual([404, 'Email not found'])
  const { email } = await limited.newPartner()
  for (let i = 0; i < 3; i++) expect((await limited.post('/auth/forgot-password', { email })).status).toBe(200)
  const fourth = await limited.post('/auth/forgot-password', { email })
  expect(fourth.status).toBe(429)
  expect(fourth.body.error).toMatch(/rate|limit/i)
  expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('the eleventh failed sign-in to an account from one IP address within a minute is answered with 429', async () => {
  await using limited = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const { email } = await limited.newPartner()
  const tries = []
  for (let i = 0; i < 11; i++) tries.push(await limited.post('/auth/login', { email, password: 'wrong' }))
  expect(tries.map((answer) => answer.status)).toEqual([...Array(10).fill(401), 429])
  expect(tries[0]?.headers.get('ratelimit-remaining')).toBe('9')
})

test('the welcome mail’s link confirms the address of the signed-in account, and then says so for as long as it lives', async () => {
  await using own = await startPortal({ env: { ROLE: 'all' } })
  const partner = await own.newPartner()
  const mailed = await own.mailTo(partner.email, '/verify-email?token=')
  const token = /verify-email\?token=([\w-]+)/.exec(mailed)?.[1]
  expect((await partner.post('/auth/verify-email', { token })).body.data).toEqual({ already: false })
  expect((await partner.get('/profile')).body.data.email_verified).toBe(true)
  // Reloaded, on another device, by another person, and after a day.
  const stranger = await own.newPartner()
  for (const caller of [partner, own, stranger]) {
    expect((await caller.post('/auth/verify-email', { token })).body.data).toEqual({ already: true })
  }
  expect((await own.post('/auth/disown', { token })).body.code).toBe('INVALID_VERIFICATION_TOKEN')
  own.advance(24 * 3_600_000)
  expect((await own.post('/auth/verify-email', { token })).body.data).toEqual({ already: true })
  own.advance(365 * 24 * 3_600_000)
  expect((await own.post('/auth/verify-email', { token })).body.code).toBe('INVALID_VERIFICATION_TOKEN')
})

test('without the account’s own session or password, the link does not confirm the address and is not used up', async () => {
  const partner = await portal.newPartner()
  const stranger = await portal.newPartner()
  const token = await linkToken(partner.email)
  const alone = await portal.post('/auth/verify-email', { token })
  expect([alone.status, alone.body.code]).toEqual([400, 'CONFIRM_PASSWORD'])
  expect((await stranger.post('/auth/verify-email', { token })).body.code).toBe('CONFIRM_PASSWORD')
  const wrong = await portal.post('/auth/verify-email', { token, password: 'not it at all' })
  expect([wrong.status, wrong.body.code, wrong.body.fields]).toEqual([
    400,
    'CONFIRM_PASSWORD',
    { password: 'Incorrect password' },
  ])
  expect((await partner.get('/profile')).body.data.email_verified).toBe(false)
  expect((await portal.post('/auth/verify-email', { token, password: PASSWORD })).status).toBe(200)
  expect((await partner.get('/profile')).body.data.email_verified).toBe(true)
})

test('POST /auth/send-verification mails another link, and the older one stays valid', async () => {
  const partner = await portal.newPartner()
  const older = await linkToken(partner.email)
  expect((await partner.post('/auth/send-verification')).status).toBe(200)
  const newer = await linkToken(partner.email, 'Subject: Confirm your email address')
  expect(newer).not.toBe(older)
  expect((await partner.post('/auth/verify-email', { token: older })).status).toBe(200)
  expect((await partner.post('/auth/verify-email', { token: newer })).body.data).toEqual({ already: true })
  expect((await partner.post('/auth/send-verification')).status).toBe(409)
})

test('GET /profile returns the business and the person', async () => {
  const partner = await portal.newPartner({ firstName: 'Ada' })
  expect((await partner.get('/profile')).body).toEqual({
    success: true,
    data: {
      id: partner.id,
      person_id: expect.any(String),
      role: 'owner',
      tax: null,
      zoho_id: null,
      business_name: partner.businessName,
      first_name: 'Ada',
      last_name: null,
      email: partner.email,
      phone: null,
      is_active: true,
      email_verified: false,
    },
  })
})

test('PUT /profile changes the names and the phone, but not the email', async () => {
  const partner = await portal.newPartner()
  const change = {
    business_name: `${partner.businessName} (new)`,
    first_name: 'Ada',
    last_name: ' ',
    phone: '0491 570 006',
  }
  const changed = await partner.put('/profile', change)
  expect(changed.status).toBe(200)
  expect((await partner.get('/profile')).body.data).toEqual({
    id: partner.id,
    person_id: expect.any(String),
    role: 'owner',
    tax: null,
    zoho_id: null,
    business_name: change.business_name,
    first_name: 'Ada',
    last_name: null,
    email: partner.email,
    phone: '+61491570006',
    is_active: true,
    email_verified: false,
  })
  expect((await partner.put('/profile', { ...change, business_name: '' })).body.error).toBe('Business name is required')
  const { body } = await partner.put('/profile', { ...change, email: 'x@y.co' })
  expect(body.fields).toEqual({
    email: 'The email address cannot be changed here. Change it under Email Address in Profile Settings.',
  })
  // A caller can send back a profile as it was read. An absent field stays unchanged, and null clears a field.
  const profile = (await partner.get('/profile')).body.data
  expect((await partner.put('/profile', { ...profile, is_active: false, zoho_id: '1' })).body.data).toEqual(profile)
  expect((await partner.put('/profile', { phone: null })).body.data).toEqual({ ...profile, phone: null })
  const other = await portal.newPartner()
  expect((await partner.put('/profile', { ...change, business_name: other.businessName })).body.code).toBe(
    'BUSINESS_EXISTS',
  )
})

test('a changed profile takes no address or invisible sign into a name, but a stored name comes back as it is', async () => {
  const partner = await portal.newPartner({ businessName: 'Coffee @ Home, 🧑🏽\u200d🌾' })
  const stored = { business_name: 'Loans\u200b @www.old.example', first_name: 'ada@old', last_name: 'Lovelace\u00ad' }
  const { business_name, ...names } = stored
  await portal.deps.db.updateTable('partners').set({ business_name }).where('id', '=', partner.id).execute()
  await portal.deps.db.updateTable('people').set(names).where('partner_id', '=', partner.id).execute()
  expect((await partner.put('/profile', stored)).status).toBe(200)
  const { body } = await partner.put('/profile', {
    ...stored,
    business_name: `${business_name}!`,
    first_name: 'A\u2060',
  })
  expect(body.fields).toEqual({
    business_name: 'Business name contains a character that nobody can see. Please type it instead of pasting it.',
    first_name: 'First name contains a character that nobody can see. Please type it instead of pasting it.',
  })
  const named = await partner.put('/profile', { business_name: 'Loans', first_name: 'visit http://old' })
  expect(named.body.fields).toEqual({ first_name: 'First name must not contain a web or email address' })
})

test.each([
  [{ confirmPassword: 'different' }, 400, 'PASSWORD_MISMATCH', 'Passwords do not match'],
  [
    { newPassword: 'short', confirmPassword: 'short' },
    400,
    'WEAK_PASSWORD',
    'Password must be at least 8 characters long',
  ],
  [
    { newPassword: 'x'.repeat(129), confirmPassword: 'x'.repeat(129) },
    400,
    'VALIDATION',
    'Password must be at most 128 characters long',
  ],
  [{ currentPassword: 'not it' }, 400, 'INVALID_CURRENT_PASSWORD', 'Current password is incorrect'],
  [
    { newPassword: PASSWORD, confirmPassword: PASSWORD },
    400,
    'SAME_PASSWORD',
    'New password must be different from current password',
  ],
  [{ confirmPassword: '' }, 400, 'VALIDATION', 'Password confirmation is required'],
])('PUT /profile/password with %j is refused with %i %s', async (change, status, code, error) => {
  const partner = await portal.newPartner()
  const form = { currentPassword: PASSWORD, newPassword: 'another-fine-horse', confirmPassword: 'another-fine-horse' }
  const answer = await partner.put('/profile/password', { ...form, ...change })
  expect([answer.status, answer.body.code, answer.body.error]).toEqual([status, code, error])
  expect(Object.values(answer.body.fields)).toContain(error)
})

test('PUT /profile/password ends the other sessions and keeps the caller’s', async () => {
  const partner = await portal.newPartner()
  const other = await portal.post('/auth/login', { email: partner.email, password: PASSWORD })
  const form = { currentPassword: PASSWORD, newPassword: 'another-fine-horse', confirmPassword: 'another-fine-horse' }
  const changed = await partner.put('/profile/password', form)
  const nothingElse = { removed: [], left: [] }
  expect([changed.status, changed.body]).toEqual([200, { success: true, data: nothingElse }])
  expect((await partner.get('/profile')).status).toBe(200)
  expect((await portal.get('/profile', { token: other.body.token })).status).toBe(401)
})
