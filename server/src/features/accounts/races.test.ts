import { once } from 'node:events'
import { request as openRequest } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countLockWaits } from '../../testing/lock-waits.ts'
import { addApp, addPasskey, beginApp, makePasskey } from '../../testing/second-factor.ts'
import {
  type Answer,
  addColleague,
  confirmEmail,
  invitationToken,
  startPortal,
  type TestPortal,
} from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

// In many of these tests, an intruder who knows the password or has a session makes a call while the owner shuts the
// intruder out.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const NEW_PASSWORD = 'quite-another-horse'

interface Account {
  email: string
  password: string
}

async function signIn({ email, password }: Account): Promise<string> {
  return (await portal.post('/auth/login', { email, password })).body.token
}

async function secondStep({ email, password }: Account): Promise<string> {
  return (await portal.post('/auth/login', { email, password })).body.second_factor.token
}

async function isOpen(token: string | undefined) {
  return (await portal.get('/profile', { token: token ?? 'none' })).status === 200
}

/**
 * Takes a lock and makes calls that wait for it. Each call begins once the previous call waits. The lock is released
 * once the last call waits and `meanwhile` has ended.
 */
async function whileLocked(lock: string, calls: (() => Promise<Answer>)[], meanwhile?: () => Promise<unknown>) {
  const { db } = portal.deps
  // Sets a last-seen time so far in the future that no call stores its own. A call that stores its time would change the
  // locked row, and PostgreSQL would then not keep the order of the calls that wait for the row.
  await db.updateTable('sessions').set({ last_seen_at: '9999-01-01T00:00:00.000Z' }).execute()
  return db.connection().execute(async (own) => {
    await sql`begin`.execute(own)
    const answers: Promise<Answer>[] = []
    try {
      await sql.raw(lock).execute(own)
      for (const call of calls) {
        answers.push(call())
        await waitFor('the call to wait', async () => (await countLockWaits(own)) >= answers.length)
      }
      await meanwhile?.()
    } finally {
      await sql`rollback`.execute(own)
    }
    return Promise.all(answers)
  })
}

/** Sends the headers of a request. `end` sends the body and returns the status. */
function beginCall(method: string, path: string, token: string, content: object) {
  const body = JSON.stringify(content)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  const call = openRequest(`${portal.url}/api${path}`, { method, headers })
  const answered = once(call, 'response')
  call.flushHeaders()
  return {
    async end() {
      call.end(body)
      const [{ statusCode }] = await answered
      return statusCode
    },
  }
}

/**
 * While this lock is held, a change of the person's password, factors or access waits. So does a sign-in, after it has
 * checked the password. The waiting calls get the lock in the order in which they came.
 */
function person({ email }: Pick<Account, 'email'>): string {
  return `select from people where email = '${email}' for update`
}

/** How an owner shuts out an intruder. Prepares an account and returns the intruder's token and the call that shuts out. */
const SHUT_OUTS: Record<string, () => Promise<{ intruder: string; shutOut: () => Promise<Answer> }>> = {
  async deactivation() {
    const ada = await portal.newPartner()
    const bob = await addColleague(portal, ada, 'owner')
    return { intruder: bob.token, shutOut: () => ada.put(`/team/people/${bob.id}`, { is_active: false }) }
  },
  async demotion() {
    const ada = await portal.newPartner()
    const bob = await addColleague(portal, ada, 'owner')
    return { intruder: bob.token, shutOut: () => ada.put(`/team/people/${bob.id}`, { role: 'viewer' }) }
  },
  async 'ending the other sessions'() {
    const ada = await portal.newPartner()
    return { intruder: await signIn(ada), shutOut: () => ada.post('/account/sessions/end-others') }
  },
  async 'ending the session'() {
    const ada = await portal.newPartner()
    const intruder = await signIn(ada)
    const { sessions } = (await portal.get('/account/sessions', { token: intruder })).body.data
    const { id } = sessions.find(({ is_this_one }: { is_this_one: boolean }) => is_this_one)
    return { intruder, shutOut: () => ada.ask('DELETE', `/account/sessions/${id}`) }
  },
  async 'signing out'() {
    const ada = await portal.newPartner()
    return { intruder: ada.token, shutOut: () => ada.post('/auth/logout') }
  },
  async 'a new password'() {
    const ada = await portal.newPartner()
    const change = { currentPassword: ada.password, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
    return { intruder: await signIn(ada), shutOut: () => ada.put('/profile/password', change) }
  },
  async 'a reset by email'() {
    const ada = await portal.newPartner()
    const { resetToken: token } = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data
    return {
      intruder: ada.token,
      shutOut: () => portal.post('/auth/reset-password', { token, newPassword: NEW_PASSWORD }),
    }
  },
  async 'a reset by email that revokes access'() {
    const ada = await portal.newPartner()
    const accomplice = await addColleague(portal, ada, 'owner')
    const { resetToken: token } = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data
    return {
      intruder: accomplice.token,
      shutOut: () => portal.post('/auth/reset-password', { token, newPassword: NEW_PASSWORD, revokeAccess: true }),
    }
  },
  async 'removing everything else that can get in'() {
    const ada = await portal.newPartner()
    return {
      intruder: await signIn(ada),
      shutOut: () => ada.post('/account/access/remove-others', { password: ada.password }),
    }
  },
  async 'undoing a change of the address'() {
    const ada = await portal.newPartner()
    await confirmEmail(portal, ada)
    const email = `taken-${ada.email}`
    await ada.put('/account/email', { email })
    await portal.post('/auth/confirm-email', { token: await mailedToken(email, 'confirm-email') })
    const token = await mailedToken(ada.email, 'undo-email')
    return { intruder: ada.token, shutOut: () => portal.post('/auth/undo-email', { token }) }
  },
  async 'disowning the account'() {
    const ada = await portal.newPartner()
    const token = await mailedToken(ada.email, 'disown')
    return { intruder: ada.token, shutOut: () => portal.post('/auth/disown', { token }) }
  },
}

async function mailedToken(email: string, page: string) {
  const mail = await portal.mailTo(email, `/${page}?token=`)
  return new RegExp(`${page}\\?token=([\\w-]+)`).exec(mail)?.[1]
}

// oxlint-disable-next-line node/no-process-env -- a longer run than that of every day
const RACES_A_WAY = Number(process.env['RACES'] ?? 1)
const RACES = Object.entries(SHUT_OUTS).flatMap((way) => Array.from({ length: RACES_A_WAY }, () => way))

test.each(RACES)('ten refreshes at once cannot stop %s', async (_way, prepare) => {
  const { intruder, shutOut } = await prepare()
  const refreshes: Promise<Answer>[] = []
  const refresh = (token: string) => {
    const answered = portal.post('/auth/refresh', undefined, { token })
    refreshes.push(answered)
    return answered
  }
  const ended = Promise.all(Array.from({ length: 10 }, () => refresh(intruder))).then(async (answers) => {
    // The intruder goes on with the successor while the owner's call may still be waiting.
    const successor = answers.map(({ body }) => body.data?.token).find((token) => token !== undefined)
    if (successor) await Promise.all(Array.from({ length: 10 }, () => refresh(successor)))
  })
  const answer = await shutOut()
  await ended
  const answers = await Promise.all(refreshes)
  expect(answer.status).toBe(200)
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  const tokens = new Set([intruder, ...answers.flatMap(({ body }) => body.data?.token ?? [])])
  for (const token of tokens) expect((await portal.get('/team', { token })).status).not.toBe(200)
})

test.each(['end-others', 'logout'])('if %s ends a session during a refresh, the new token is refused', async (how) => {
  const ada = await portal.newPartner()
  const intruder = await signIn(ada)
  const end = () =>
    how === 'logout'
      ? portal.post('/auth/logout', undefined, { token: intruder })
      : ada.post('/account/sessions/end-others')
  const [refreshed, ended] = await whileLocked(`select from people where email = '${ada.email}' for update`, [
    () => portal.post('/auth/refresh', undefined, { token: intruder }),
    end,
  ])
  expect(ended?.status).toBe(200)
  expect(await isOpen(refreshed?.body.data?.token)).toBe(false)
})

test('a sign-in with a password that changes meanwhile begins no session that lasts', async () => {
  const ada = await portal.newPartner()
  const change = { currentPassword: ada.password, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
  const [changed, begun] = await whileLocked(person(ada), [
    () => ada.put('/profile/password', change),
    () => portal.post('/auth/login', ada),
  ])
  expect(changed?.status).toBe(200)
  // On a busy machine the sign-in can come first. Then the change ends its session.
  const left = begun?.status === 200 ? await isOpen(begun.body.token) : begun?.body.code
  expect([false, 'SIGN_IN_EXPIRED']).toContain(left)
})

test('a sign-in by password fails if a second factor is added before the session begins, and a second step fails if the password changes', async () => {
  const ada = await portal.newPartner()
  const app = await beginApp(portal, ada)
  const [added, begun] = await whileLocked(person(ada), [
    () => ada.post('/account/totp/confirm', { code: app.codeAt() }),
    () => portal.post('/auth/login', ada),
  ])
  expect([added?.status, begun?.body.code]).toEqual([200, 'SIGN_IN_EXPIRED'])

  const step = { token: await secondStep(ada), code: app.nextCode() }
  const change = { currentPassword: ada.password, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
  const [changed, finished] = await whileLocked(person(ada), [
    () => ada.put('/profile/password', change),
    () => portal.post('/auth/second-factor', step),
  ])
  expect([changed?.status, finished?.body.code]).toEqual([200, 'SIGN_IN_EXPIRED'])
})

test('a sign-in by passkey fails if the passkey is removed before the session begins', async () => {
  const ada = await portal.newPartner()
  const phone = await addPasskey(portal, ada)
  const { id } = (await ada.get('/account/second-factor')).body.data.passkeys[0]
  const steps = { token: await secondStep(ada), passkey: await phone.answer() }
  const passkey = await phone.answer()
  const [removed, ...begun] = await whileLocked(person(ada), [
    () => ada.ask('DELETE', `/account/passkeys/${id}`),
    () => portal.post('/auth/second-factor', steps),
    () => portal.post('/auth/passkey', { passkey }),
  ])
  expect(removed?.status).toBe(200)
  expect(begun.map(({ body }) => body.code)).toEqual(['SIGN_IN_EXPIRED', 'SIGN_IN_EXPIRED'])
})

test('a person who is deactivated while signing in has no session after being activated again', async () => {
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'member')
  const setActive = (is_active: boolean) => ada.put(`/team/people/${bob.id}`, { is_active })
  const [, begun] = await whileLocked(person(bob), [() => setActive(false), () => portal.post('/auth/login', bob)])
  expect([begun?.status, begun?.body.code]).toEqual([403, 'ACCOUNT_INACTIVE'])
  await setActive(true)
  const { rows } = await sql`select 1 from sessions where person_id = ${bob.id}`.execute(portal.deps.db)
  expect(rows).toHaveLength(0)
})

test('a change of the password that began before a reset does not undo the reset', async () => {
  const ada = await portal.newPartner()
  const token = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data.resetToken
  const change = {
    currentPassword: ada.password,
    newPassword: 'horse-of-an-intruder',
    confirmPassword: 'horse-of-an-intruder',
  }
  const changes = [1, 2, 3].map(() => ada.put('/profile/password', change))
  const [reset] = await Promise.all([
    portal.post('/auth/reset-password', { token, newPassword: NEW_PASSWORD }),
    ...changes,
  ])
  expect(reset.status).toBe(200)
  const tries = ['horse-of-an-intruder', NEW_PASSWORD].map((password) =>
    portal.post('/auth/login', { ...ada, password }),
  )
  expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([401, 200])
})

test('a call whose body arrives after its session has ended is refused', async () => {
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'member')
  const late = beginCall('PUT', '/profile', bob.token, { first_name: 'Late' })
  expect((await ada.put(`/team/people/${bob.id}`, { is_active: false })).status).toBe(200)
  portal.advance(2_000)
  expect(await late.end()).toBe(401)
})

test('a call that began before a reset cannot make an API key, webhook URL or invitation after the reset', async () => {
  const ada = await portal.newPartner()
  await confirmEmail(portal, ada)
  const { resetToken } = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data
  const late = [
    beginCall('POST', '/dashboard/generate-api-key', ada.token, {}),
    beginCall('PUT', '/dashboard/webhook-url', ada.token, { webhook_url: 'https://hooks.example/in' }),
    beginCall('POST', '/team/invitations', ada.token, { email: 'guest@example.com', firstName: 'G', role: 'owner' }),
  ]
  const reset = { token: resetToken, newPassword: NEW_PASSWORD, revokeAccess: true }
  expect((await portal.post('/auth/reset-password', reset)).status).toBe(200)
  // The session is gone, and with it the confirmation of the password.
  for (const { end } of late) expect([401, 403]).toContain(await end())
})

test('an owner who is shut out or loses the role while requesting a new signing secret does not get the secret', async () => {
  const ada = await portal.newPartner()
  expect((await ada.put('/dashboard/webhook-url', { webhook_url: 'https://hooks.example/in' })).status).toBe(200)
  const [deactivated, demoted, signedOut] = [
    await addColleague(portal, ada, 'owner'),
    await addColleague(portal, ada, 'owner'),
    await addColleague(portal, ada, 'owner'),
  ]
  const owners = [deactivated, demoted, signedOut]
  const late = owners.map(({ token }) => beginCall('POST', '/dashboard/webhook-secret', token, {}))
  const shutOut = [
    await ada.put(`/team/people/${deactivated.id}`, { is_active: false }),
    await ada.put(`/team/people/${demoted.id}`, { role: 'member' }),
    await signedOut.post('/auth/logout'),
  ]
  expect(shutOut.map(({ status }) => status)).toEqual([200, 200, 200])
  const answers = await Promise.all(late.map(({ end }) => end()))
  // A session that is gone has no confirmation of the password either.
  expect(answers.filter((status) => status !== 401 && status !== 403)).toEqual([])
})

test('of two reset links made at once, only one works', async () => {
  const ada = await portal.newPartner()
  const forget = () => portal.post('/auth/forgot-password', { email: ada.email })
  const links = await whileLocked('lock table account_tokens in exclusive mode', [forget, forget])
  const resets = links.map(({ body }) =>
    portal.post('/auth/reset-password', { token: body.data.resetToken, newPassword: NEW_PASSWORD }),
  )
  expect((await Promise.all(resets)).map(({ status }) => status).toSorted()).toEqual([200, 400])
})

test('after two simultaneous renewals of the recovery codes, there are ten codes', async () => {
  const ada = await portal.newPartner()
  await addApp(portal, ada)
  const renew = () => ada.post('/account/recovery-codes')
  await whileLocked('lock table recovery_codes in exclusive mode', [renew, renew])
  expect((await ada.get('/account/second-factor')).body.data.recovery_codes_left).toBe(10)
})

test('if an authenticator app and a passkey are added at once, the recovery codes that are shown are valid', async () => {
  const ada = await portal.newPartner()
  const app = await beginApp(portal, ada)
  const { add } = await makePasskey(portal, ada)
  const answers = await whileLocked(`select from people where email = '${ada.email}' for update`, [
    () => ada.post('/account/totp/confirm', { code: app.codeAt() }),
    add,
  ])
  const shown = answers.map(({ body }) => body.data.recovery_codes)
  expect(shown.filter((codes) => codes === null)).toHaveLength(1)
  const [code] = shown.find((codes) => codes !== null)
  expect((await portal.post('/auth/second-factor', { token: await secondStep(ada), code })).status).toBe(200)
})

test('a passkey that is added while the only other factor is removed is refused, because it would come without recovery codes', async () => {
  const ada = await portal.newPartner()
  await addApp(portal, ada)
  const { add } = await makePasskey(portal, ada)
  const [removed, added] = await whileLocked(`select from people where email = '${ada.email}' for update`, [
    () => ada.ask('DELETE', '/account/totp'),
    add,
  ])
  expect([removed?.status, added?.status, added?.body.code]).toEqual([200, 409, 'CONFLICT'])
  expect((await addPasskey(portal, ada)).added.body.data.recovery_codes).toHaveLength(10)
})

test('of two copies of a passkey with the same counter, only one signs in', async () => {
  const ada = await portal.newPartner()
  const phone = await addPasskey(portal, ada)
  const questions = await Promise.all([1, 2].map(() => portal.post('/auth/passkey/options', {})))
  const answers = questions.map(({ body }) => phone.device.use(body.data, { count: 7 }))
  const begun = await Promise.all(answers.map((passkey) => portal.post('/auth/passkey', { passkey })))
  expect(begun.map(({ status }) => status).toSorted()).toEqual([200, 401])
})

test('a waiting call by an owner who is shut out or loses the role is refused', async () => {
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'owner')
  await addColleague(portal, ada, 'owner')
  const lock = `select from partners where id = '${ada.id}' for update`
  const personOfBob = async () => {
    const { people } = (await ada.get('/team')).body.data
    return people.find(({ id }: { id: string }) => id === bob.id)
  }
  // Two simultaneous calls of one owner take their locks in the same order, so they do not deadlock.
  const both = await whileLocked(lock, [
    () => ada.put(`/team/people/${bob.id}`, { role: 'owner' }),
    () => ada.put('/team/settings', { second_factor_required: false }),
  ])
  expect(both.map(({ status }) => status)).toEqual([200, 200])

  const [demoted, promoted] = await whileLocked(lock, [
    () => ada.put(`/team/people/${bob.id}`, { role: 'member' }),
    () => bob.put(`/team/people/${bob.id}`, { role: 'owner' }),
  ])
  expect([demoted?.status, promoted?.status, promoted?.body.code]).toEqual([200, 403, 'NOT_ALLOWED'])
  expect((await personOfBob()).role).toBe('member')
  await ada.put(`/team/people/${bob.id}`, { role: 'owner' })

  const [ended, restored] = await whileLocked(lock, [
    () => ada.put(`/team/people/${bob.id}`, { is_active: false }),
    () => bob.put(`/team/people/${bob.id}`, { is_active: true }),
  ])
  expect([ended?.status, restored?.status]).toEqual([200, 401])
  expect((await personOfBob()).is_active).toBe(false)
})

test('an invitation cannot be accepted if its inviter is deactivated at the same moment', async () => {
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'owner')
  await bob.post('/team/invitations', { email: 'second-bob@example.com', firstName: 'Bob', role: 'owner' })
  const token = await invitationToken(portal, 'second-bob@example.com')
  const [ended, accepted] = await whileLocked(`select from partners where id = '${ada.id}' for update`, [
    () => ada.put(`/team/people/${bob.id}`, { is_active: false }),
    () => portal.post('/auth/accept-invitation', { token, password: NEW_PASSWORD }),
  ])
  expect([ended?.status, accepted?.body.code]).toEqual([200, 'INVALID_INVITATION'])
})

test('a reset link that is made while the address changes goes to the new address', async () => {
  const ada = await portal.newPartner()
  await confirmEmail(portal, ada)
  const email = `new-${ada.email}`
  await ada.put('/account/email', { email })
  const token = /confirm-email\?token=([\w-]+)/.exec(await portal.mailTo(email, '/confirm-email'))?.[1]
  const [confirmed] = await whileLocked(`select from people where email = '${ada.email}' for update`, [
    () => portal.post('/auth/confirm-email', { token }),
    () => portal.post('/auth/forgot-password', { email: ada.email }),
  ])
  expect(confirmed?.status).toBe(200)
  await portal.mailTo(email, '/reset-password?token=')
  const toOld = await portal.mailsTo(ada.email)
  expect(toOld.filter((mail) => mail.includes('/reset-password?token='))).toEqual([])
})

test('a link that is mailed while the address is being confirmed cannot close the account', async () => {
  const ada = await portal.newPartner()
  const { resetToken } = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data
  const linksToClose = async () =>
    (await portal.mailsTo(ada.email)).flatMap((mail) => /disown\?token=([\w-]+)/.exec(mail)?.[1] ?? [])
  await waitFor('the first link', async () => (await linksToClose()).length === 1)
  const [reset] = await whileLocked(
    'lock table sessions in exclusive mode',
    [() => portal.post('/auth/reset-password', { token: resetToken, newPassword: NEW_PASSWORD })],
    async () => {
      expect((await ada.post('/auth/send-verification')).status).toBe(200)
      await waitFor('the second link', async () => (await linksToClose()).length === 2)
    },
  )
  expect(reset?.status).toBe(200)
  for (const token of await linksToClose()) {
    expect((await portal.post('/auth/disown', { token })).body.code).toBe('INVALID_VERIFICATION_TOKEN')
  }
})

test('a change of access and its entry in the security log are stored in one transaction', async () => {
  const ada = await portal.newPartner()
  await addApp(portal, ada)
  const seen = async () => (await ada.get('/account/second-factor')).body.data
  const changes = [
    () => ada.put('/team/settings', { second_factor_required: true }),
    () => ada.post('/account/recovery-codes'),
    () => ada.put('/team/settings', { second_factor_required: false }),
    () => ada.ask('DELETE', '/account/totp'),
  ]
  for (const change of changes) {
    const before = await seen()
    const [changed] = await whileLocked('lock table security_log in exclusive mode', [change], async () => {
      expect(await seen()).toEqual(before)
    })
    expect(changed?.body.success).toBe(true)
  }
})

test.each(['verify-email', 'disown'])(
  'a reset and the welcome mail’s link to /%s, used at the same time, do not deadlock',
  async (page) => {
    const ada = await portal.newPartner()
    const token = /verify-email\?token=([\w-]+)/.exec(await portal.mailTo(ada.email, '/verify-email?token='))?.[1]
    const { resetToken } = (await portal.post('/auth/forgot-password', { email: ada.email })).body.data
    const [reset, opened] = await whileLocked(`select from partners where id = '${ada.id}' for update`, [
      () => portal.post('/auth/reset-password', { token: resetToken, newPassword: NEW_PASSWORD }),
      () => portal.post(`/auth/${page}`, { token, ...(page === 'verify-email' && { password: ada.password }) }),
    ])
    // The reset has confirmed the address, and the account cannot be closed any more.
    const answer = page === 'disown' ? { code: 'INVALID_VERIFICATION_TOKEN' } : { data: { already: true } }
    expect([reset?.status, opened?.body]).toMatchObject([200, answer])
  },
)

test('calls that lock the same person at once do not deadlock', async () => {
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'member')
  const resetLink = async (email: string) =>
    (await portal.post('/auth/forgot-password', { email })).body.data.resetToken
  const reset = (token: string) => portal.post('/auth/reset-password', { token, newPassword: NEW_PASSWORD })
  const adasLink = await resetLink(ada.email)
  const [anotherLink, firstReset] = await whileLocked(person(ada), [
    () => portal.post('/auth/forgot-password', { email: ada.email }),
    () => reset(adasLink),
  ])
  expect([anotherLink?.status, firstReset?.body.code]).toEqual([200, 'INVALID_RESET_TOKEN'])

  const [begun, secondReset] = await whileLocked(person(ada), [
    () => portal.post('/auth/login', ada),
    () => reset(anotherLink?.body.data.resetToken),
  ])
  expect([begun?.status, secondReset?.status]).toEqual([200, 200])

  const { token } = (await portal.post('/auth/login', { email: ada.email, password: NEW_PASSWORD })).body
  const bobsLink = await resetLink(bob.email)
  const [deactivated, thirdReset] = await whileLocked(`select from partners where id = '${ada.id}' for update`, [
    () => portal.ask('PUT', `/team/people/${bob.id}`, { token, body: { is_active: false } }),
    () => reset(bobsLink),
  ])
  expect([deactivated?.status, thirdReset?.body.code]).toEqual([200, 'INVALID_RESET_TOKEN'])
})

test('a change of the password and the confirmation of a new address at the same time do not deadlock', async () => {
  const ada = await portal.newPartner()
  const email = `new-${ada.email}`
  await ada.put('/account/email', { email })
  const token = /confirm-email\?token=([\w-]+)/.exec(await portal.mailTo(email, '/confirm-email'))?.[1]
  const change = { currentPassword: ada.password, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
  const [changed, confirmed] = await whileLocked(person(ada), [
    () => ada.put('/profile/password', change),
    () => portal.post('/auth/confirm-email', { token }),
  ])
  expect([changed?.status, confirmed?.body.code]).toEqual([200, 'INVALID_VERIFICATION_TOKEN'])
})
