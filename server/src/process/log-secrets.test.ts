import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDatabase } from '../testing/databases.ts'
import { answering, startReceiver } from '../testing/receiver.ts'
import { newLead, startPortal } from '../testing/start-portal.ts'
import { tellNewsSoon } from '../testing/tell-news.ts'
import { waitFor } from '../testing/wait-for.ts'

test('no password, token, key or hash is ever logged, not even at the most detailed level', async () => {
  const lines: string[] = []
  const secrets: string[] = []
  {
    const env = { WEBHOOK_ALLOW_PRIVATE: 'true' }
    await using portal = await startPortal({ withCrm: true, env, onLogLine: (line) => lines.push(line) })
    await using receiver = await startReceiver()
    const password = 'first-secret-horse'
    const partner = await portal.newPartner({ password })
    const wrong = 'wrong-secret-horse'
    await portal.post('/auth/login', { email: partner.email, password: wrong })
    await portal.post('/auth/signup', { email: partner.email, password: wrong, businessName: 'Other' })
    await portal.post('/auth/signup', `{"email":"${partner.email}","password":"${wrong}"`)
    const refreshed = await partner.post('/auth/refresh')
    const verify = /verify-email\?token=([\w-]+)/.exec(await portal.mailTo(partner.email))?.[1] ?? ''
    const forgot = await portal.post('/auth/forgot-password', { email: partner.email })
    const resetToken: string = forgot.body.data.resetToken
    await portal.get(`/auth/reset-password?token=${resetToken}`)
    const newPassword = 'second-secret-horse'
    await portal.post('/auth/reset-password', { token: resetToken, newPassword })
    const again = await portal.post('/auth/login', { email: partner.email, password: newPassword })
    const token: string = again.body.token
    const changedPassword = 'third-secret-horse'
    const change = { currentPassword: newPassword, newPassword: changedPassword, confirmPassword: changedPassword }
    expect((await portal.ask('PUT', '/profile/password', { token, body: change })).status).toBe(200)
    const webhookUrl = `${receiver.url}?key=a-part-of-the-address-that-is-secret`
    const endpoint = await portal.ask('PUT', '/dashboard/webhook-url', { token, body: { webhook_url: webhookUrl } })
    const rotated = await portal.post('/dashboard/webhook-secret', undefined, { token })
    const webhookSecrets: string[] = [endpoint.body.data.secret, rotated.body.data.secret]
    const key = 'a-key-that-nobody-guesses'
    const headers = { 'idempotency-key': key }
    const created = await portal.post('/dashboard/leads', newLead(), { token, headers })
    expect(created.status).toBe(201)
    const [sent] = await receiver.first(1)
    const signatures = sent?.headers['webhook-signature']?.split(' ') ?? []
    secrets.push(...webhookSecrets, ...webhookSecrets.map((one) => one.replace('whsec_', '')))
    secrets.push(...signatures, 'a-part-of-the-address-that-is-secret', sent?.text ?? '')
    receiver.respond = answering(410)
    await portal.post('/dashboard/webhook-test', undefined, { token })
    await waitFor('the endpoint to be disabled', async () => {
      return !(await portal.get('/dashboard/webhook-url', { token })).body.data.is_active
    })
    await tellNewsSoon(portal)
    const disabled = await portal.mailTo(partner.email, 'disabled')
    const unsubscribe = /unsubscribe\?token=([\w-]+)/.exec(disabled)?.[1] ?? ''
    await fetch(`${portal.url}/unsubscribe?token=${unsubscribe}`, { method: 'POST' })
    await portal.post('/unsubscribe', { token: unsubscribe })
    await portal.get('/profile', { token: 'an-unknown-but-secret-token' })
    const apiKey: string = (await portal.post('/dashboard/generate-api-key', undefined, { token })).body.data.api_key
    await portal.get('/webhook/status/LO-00000000', { token: apiKey })
    await portal.withoutDatabase(async () => {
      await portal.get('/profile', { token })
      await portal.get('/webhook/status/LO-00000000', { token: apiKey })
      await portal.post('/auth/login', { email: partner.email, password: changedPassword })
    })
    const tokens = [partner.token, refreshed.body.data.token, token, resetToken, verify, apiKey, unsubscribe]
    expect(tokens).not.toContain('')
    const hashes = tokens.flatMap((one) => {
      const hash = createHash('sha256').update(one).digest()
      return [hash.toString('hex'), hash.toString('base64')]
    })
    secrets.push(
      password,
      wrong,
      newPassword,
      changedPassword,
      key,
      'an-unknown-but-secret-token',
      ...tokens,
      ...hashes,
    )
    secrets.push('$argon2id$', new URL(portal.database.url).password, 'refresh_token=')
  }
  const log = lines.join('')
  expect(lines.length).toBeGreaterThan(10)
  for (const secret of secrets.filter((one) => one !== '')) {
    expect(lines.filter((line) => line.includes(secret))).toEqual([])
  }
  expect(log).not.toMatch(/authorization|"password":/i)
})

test('the log has an error’s message, but not the connection or the row that the error also contains', async () => {
  const lines: string[] = []
  const own = await createDatabase()
  // PostgreSQL trusts the test and does not check the password.
  const url = own.url.replace('postgres@', 'postgres:a-password-of-the-database@')
  expect(url).toContain('a-password-of-the-database')
  const email = 'in-the-row@example.com'
  {
    await using portal = await startPortal({
      on: { database: { ...own, url } },
      onLogLine: (line) => lines.push(line),
    })
    const { db } = portal.deps
    await sql`alter table people add constraint not_this_one check (email <> ${sql.lit(email)})`.execute(db)
    const form = { email, password: 'correct-horse-battery', businessName: 'Whose row is refused' }
    expect((await portal.post('/auth/signup', form)).status).toBe(500)
    // Leaves two connections idle: the check of /ready may use one of them before its loss is noticed.
    await db.connection().execute(() => db.connection().execute((second) => sql`select 1`.execute(second)))
    await portal.withoutDatabase(async () => {
      expect((await portal.get('/ready')).status).toBe(503)
    })
    await waitFor('the lost connections in the log', async () =>
      ['database connection lost', 'the job queue reported an error'].every((text) =>
        lines.some((line) => line.includes(`"${text}"`)),
      ),
    )
  }

  const entries = lines.map((line) => JSON.parse(line))
  expect(entries.find(({ msg }) => msg === 'unexpected error').err).toEqual({
    type: 'DatabaseError',
    message: expect.stringContaining('not_this_one'),
    stack: expect.stringContaining('at '),
    code: '23514',
  })
  const lost = { reason: 'terminating connection due to administrator command', code: '57P01' }
  expect(entries.find(({ msg }) => msg === 'database connection lost')).toMatchObject(lost)
  const host = new URL(url).searchParams.get('host') ?? ''
  for (const hidden of [
    'a-password-of-the-database',
    url,
    host,
    'connectionParameters',
    'secretKey',
    email,
    '$argon2id$',
  ]) {
    expect(lines.filter((line) => line.includes(hidden))).toEqual([])
  }
})

test('the log line of a failed job has ids, but no email or IP address', async () => {
  const lines: string[] = []
  // No mail server listens on this port, so the jobs that send mails fail.
  const env = { SMTP_URL: 'smtp://127.0.0.1:1' }
  await using portal = await startPortal({ env, onLogLine: (line) => lines.push(line) })
  const partner = await portal.newPartner()
  await portal.post('/auth/forgot-password', { email: partner.email })
  await partner.post('/dashboard/generate-api-key')
  const failed = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'job failed')
  const payloadOf = (name: string) => failed().find(({ job }) => job === name)?.payload
  await waitFor('the failed jobs', async () => payloadOf('mail-reset-link') && payloadOf('mail-notice'))
  expect(payloadOf('mail-reset-link')).toEqual({})
  expect(payloadOf('mail-notice')).toEqual({ personId: expect.any(String) })
})
