import { afterAll, beforeAll, expect, test } from 'vitest'
import { prune } from '../../process/prune.job.ts'
import { addColleague, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { mailEmailChanged } from './mail-email-change.job.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const HOUR_MS = 3_600_000

function tokenIn(mail: string, page: string): string {
  return new RegExp(`/${page}\\?token=([\\w-]+)`).exec(mail)?.[1] ?? ''
}

/** Asks for a change of the address. Returns the token from the mail to the new address. */
async function askedFor(portal: TestPortal, person: Pick<TestPartner, 'put'>, email: string): Promise<string> {
  expect(await person.put('/account/email', { email })).toMatchObject({ status: 200 })
  return tokenIn(await portal.mailTo(email, 'Confirm your new email address'), 'confirm-email')
}

async function changed(portal: TestPortal, person: TestPartner, email: string): Promise<string> {
  const confirmed = await portal.post('/auth/confirm-email', { token: await askedFor(portal, person, email) })
  expect([confirmed.status, confirmed.body.data]).toEqual([200, { email, already: false }])
  return tokenIn(await portal.mailTo(person.email, 'Your email address was changed'), 'undo-email')
}

async function verify(portal: TestPortal, { email, password }: TestPartner) {
  const token = tokenIn(await portal.mailTo(email, '/verify-email'), 'verify-email')
  expect((await portal.post('/auth/verify-email', { token, password })).status).toBe(200)
}

function signIn(portal: TestPortal, email: string, password: string) {
  return portal.post('/auth/login', { email, password })
}

test('opening the link in the mail changes the address once, and nobody can sign in with the old address any more', async () => {
  const ada = await portal.newPartner()
  await verify(portal, ada)
  const email = 'ada@new.example'
  const earlier = await askedFor(portal, ada, 'ada@other.example')
  const token = await askedFor(portal, ada, email)
  expect((await ada.get('/profile')).body.data).toMatchObject({ email: ada.email })
  expect((await portal.post('/auth/confirm-email', { token: earlier })).status).toBe(400)

  const { resetToken } = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data
  // Opened again, the link says that it did its work.
  for (const already of [false, true, true]) {
    const confirmed = await portal.post('/auth/confirm-email', { token })
    expect([confirmed.status, confirmed.body.data]).toEqual([200, { email, already }])
  }
  expect((await ada.get('/profile')).body.data).toMatchObject({ email, email_verified: true })
  expect((await signIn(portal, email, ada.password)).status).toBe(200)
  expect((await signIn(portal, ada.email, ada.password)).status).toBe(401)
  // Links that were mailed to the old address no longer work.
  const reset = { token: resetToken, newPassword: 'another-fine-horse' }
  expect((await portal.post('/auth/reset-password', reset)).body.code).toBe('INVALID_RESET_TOKEN')
  const log = (await ada.get('/security-log?type=email')).body.data.entries
  expect(log.map(({ event }: { event: string }) => event)).toEqual([
    'email-changed',
    'email-change-asked',
    'email-change-asked',
    'email-confirmed',
  ])
})

test('a change of the address requires the password if the sign-in was more than 15 minutes ago, and the mailed link expires after a day', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  portal.advance(16 * 60_000)
  expect((await ada.put('/account/email', { email: 'ada@new.example' })).body.code).toBe('CONFIRM_PASSWORD')
  await ada.post('/account/confirm', { password: ada.password })
  const token = await askedFor(portal, ada, 'ada@new.example')
  portal.advance(24 * HOUR_MS)
  expect((await portal.post('/auth/confirm-email', { token })).status).toBe(400)
})

test('a new password ends a pending change of the address, because somebody who stole the old password may have requested the change', async () => {
  const newPassword = 'quite-another-horse'
  const ways = [
    async (ada: TestPartner) => {
      const { resetToken } = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data
      return portal.post('/auth/reset-password', { token: resetToken, newPassword })
    },
    (ada: TestPartner) =>
      ada.put('/profile/password', { currentPassword: ada.password, newPassword, confirmPassword: newPassword }),
  ]
  for (const choosePassword of ways) {
    const ada = await portal.newPartner()
    await verify(portal, ada)
    const token = await askedFor(portal, ada, `thief-of-${ada.email}`)
    expect((await choosePassword(ada)).status).toBe(200)
    expect((await portal.post('/auth/confirm-email', { token })).status).toBe(400)
    expect((await signIn(portal, ada.email, newPassword)).status).toBe(200)
  }
})

test('within 72 hours, a link in the mail to the old address undoes the change, ends all sessions, and removes the password, later changes and new factors', async () => {
  const ada = await portal.newPartner()
  await verify(portal, ada)
  const undo = await changed(portal, ada, 'thief@example.net')
  // The thief changes the address again and adds an authenticator app.
  const begun = (await signIn(portal, 'thief@example.net', ada.password)).body
  await portal.post('/account/totp', undefined, { token: begun.token })
  const later = await changed(portal, { ...ada, email: 'thief@example.net' }, 'thief@example.org')
  const waiting = await askedFor(portal, ada, 'thief@example.com')

  // Nobody else can take the old address while the change can be undone.
  const form = { email: ada.email, password: ada.password, businessName: 'Somebody Else' }
  expect((await portal.post('/auth/signup', form)).body.code).toBe('EMAIL_EXISTS')
  const eve = await portal.newPartner()
  expect((await eve.put('/account/email', { email: ada.email })).body.code).toBe('EMAIL_EXISTS')

  const undone = await portal.post('/auth/undo-email', { token: undo })
  expect([undone.status, undone.body.data]).toEqual([200, { email: ada.email }])
  for (const token of [begun.token, ada.token]) expect((await portal.get('/profile', { token })).status).toBe(401)
  for (const email of [ada.email, 'thief@example.net', 'thief@example.org']) {
    expect((await signIn(portal, email, ada.password)).status).toBe(401)
  }
  expect((await portal.post('/auth/undo-email', { token: undo })).status).toBe(400)
  expect((await portal.post('/auth/undo-email', { token: later })).status).toBe(400)
  expect((await portal.post('/auth/confirm-email', { token: waiting })).status).toBe(400)
  expect(await portal.deps.db.selectFrom('totp_keys').selectAll().execute()).toEqual([])

  const token = tokenIn(await portal.mailTo(ada.email, 'Reset your'), 'reset-password')
  expect((await portal.post('/auth/reset-password', { token, newPassword: 'another-fine-horse' })).status).toBe(200)
  expect((await signIn(portal, ada.email, 'another-fine-horse')).status).toBe(200)
})

test('after 72 hours a change cannot be undone, and the old address is free', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  await verify(portal, ada)
  const token = await changed(portal, ada, 'ada@new.example')
  portal.advance(72 * HOUR_MS)
  expect((await portal.post('/auth/undo-email', { token })).status).toBe(400)
  expect((await portal.post('/auth/signup', { ...ada, businessName: 'Somebody Else' })).status).toBe(201)
})

test('an old address that was never confirmed gets a mail about the change, but no link to undo it', async () => {
  await using portal = await startPortal()
  const ada = await portal.newPartner()
  expect(await changed(portal, ada, 'ada@new.example')).toBe('')
  expect(await portal.mailTo(ada.email, 'Your email address was changed')).toMatch(/No more emails about the account/)
  // The portal retries an unsent mail for a day, and pruning does not end the retries.
  const { id: changeId } = await portal.deps.db.selectFrom('email_changes').select('id').executeTakeFirstOrThrow()
  portal.advance(23 * HOUR_MS)
  await prune(portal.deps)
  await mailEmailChanged.run(portal.deps, { changeId }, AbortSignal.timeout(10_000))
  const mails = await portal.mailsTo(ada.email)
  expect(mails.filter((mail) => mail.includes('Your email address was changed'))).toHaveLength(2)
  expect((await portal.post('/auth/signup', { ...ada, businessName: 'Somebody Else' })).status).toBe(201)
})

test('if several people try to take an address at once, only one gets it', async () => {
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'viewer')
  const email = 'wanted@example.com'
  for (const person of [ada, bob]) expect((await person.put('/account/email', { email })).status).toBe(200)
  const mails = await waitFor('both mails', async () => {
    const sent = await portal.mailsTo(email)
    return sent.length === 2 && sent
  })
  const tokens = mails.map((mail) => tokenIn(mail, 'confirm-email'))

  const form = { email, password: ada.password, businessName: 'Somebody Else' }
  const answers = await Promise.all([
    ...tokens.map((token) => portal.post('/auth/confirm-email', { token })),
    portal.post('/auth/signup', form),
  ])
  const refusals = answers.filter(({ status }) => status >= 300)
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([409, 'EMAIL_EXISTS']))
})

test('an address is refused if it is taken, invalid or the person’s own', async () => {
  const [ada, eve] = [await portal.newPartner(), await portal.newPartner()]
  expect((await ada.put('/account/email', { email: eve.email.toUpperCase() })).body).toMatchObject({
    code: 'EMAIL_EXISTS',
  })
  for (const email of [ada.email, 'nothing', '', null]) {
    const { status, body } = await ada.put('/account/email', { email })
    expect([status, body.code, Object.keys(body.fields)]).toEqual([400, 'VALIDATION', ['email']])
  }
})
