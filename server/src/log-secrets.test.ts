import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { newLead, startPortal } from './testing/start-portal.ts'

test('no password, token, key or hash is ever logged, not even at the most talkative level', async () => {
  const lines: string[] = []
  const secrets: string[] = []
  {
    await using portal = await startPortal({ withCrm: true, onLogLine: (line) => lines.push(line) })
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
    const key = 'a-key-that-nobody-guesses'
    const headers = { 'idempotency-key': key }
    const created = await portal.post('/dashboard/leads', newLead(), { token, headers })
    expect(created.status).toBe(201)
    await portal.get('/profile', { token: 'an-unknown-but-secret-token' })
    const apiKey: string = (await portal.post('/dashboard/generate-api-key', undefined, { token })).body.data.api_key
    await portal.get('/webhook/status/LO-00000000', { token: apiKey })
    await portal.withoutDatabase(async () => {
      await portal.get('/profile', { token })
      await portal.get('/webhook/status/LO-00000000', { token: apiKey })
      await portal.post('/auth/login', { email: partner.email, password: changedPassword })
    })
    const tokens = [partner.token, refreshed.body.data.token, token, resetToken, verify, apiKey]
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
  expect(log).not.toMatch(/authorization|"password/i)
})
