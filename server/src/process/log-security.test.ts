import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { setPartnerActive } from '../features/accounts/set-partner-active.ts'
import { startPortal } from '../testing/start-portal.ts'

test('for each call and each security event the log has a line with the caller’s ids; only a line about a mail in the outbox has an email address', async () => {
  const lines: string[] = []
  const email = 'who-is-it@example.com'
  let partnerId: string
  let personId: string
  {
    await using portal = await startPortal({ onLogLine: (line) => lines.push(line) })
    const password = 'correct-horse-battery'
    await portal.post('/auth/signup', { email, password, businessName: 'Who Broking' })
    const { token, partner, person } = (await portal.post('/auth/login', { email, password })).body
    partnerId = partner.id
    personId = person.id
    await portal.get('/profile', { token })
    const { api_key } = (await portal.post('/dashboard/generate-api-key', undefined, { token })).body.data
    await portal.get('/webhook/status/LO-00000000', { token: api_key })
    const body = { webhook_url: 'https://partner.example/hook?secret=x' }
    await portal.ask('PUT', '/dashboard/webhook-url', { token, body })
    await portal.ask('DELETE', '/dashboard/revoke-api-key', { token })
    const newPassword = 'another-fine-horse'
    const passwords = { currentPassword: password, newPassword, confirmPassword: newPassword }
    await portal.ask('PUT', '/profile/password', { token, body: passwords })
    await portal.post('/auth/login', { email, password })
    await portal.post('/auth/login', { email: 'nobody@example.com', password })
    const { resetToken } = (await portal.post('/auth/forgot-password', { email })).body.data
    await portal.post('/auth/reset-password', { token: resetToken, newPassword: password })
    await setPartnerActive(portal.deps.db, partnerId, false)
    await portal.post('/auth/login', { email, password })
  }
  const entries = lines.map((line) => JSON.parse(line))
  const answers = entries.filter(({ msg }) => msg === 'answered')
  for (const path of ['/api/profile', '/api/webhook/status/LO-00000000', '/api/dashboard/generate-api-key']) {
    expect(answers.find((entry) => entry.path === path)).toMatchObject({ partner: partnerId })
  }
  expect(answers.find((entry) => entry.path === '/api/profile')).toMatchObject({ person: personId })
  const events = entries.filter(({ msg }) => msg === 'security')
  expect(events.find(({ security }) => security === 'signed-in')).toMatchObject({ person: personId })
  expect(events.map(({ security, partner, reason }) => ({ security, partner, reason }))).toEqual(
    [
      ['signed-up'],
      ['signed-in'],
      ['api-key-made'],
      ['webhook-url-changed'],
      ['api-key-revoked'],
      ['password-changed'],
      ['sign-in-failed', 'INVALID_PASSWORD'],
      ['sign-in-failed', 'EMAIL_NOT_FOUND', undefined],
      ['password-reset'],
      ['sign-in-failed', 'ACCOUNT_INACTIVE'],
    ].map((event) => ({ security: event[0], partner: event.length === 3 ? undefined : partnerId, reason: event[1] })),
  )
  for (const event of events) expect(event).toMatchObject({ ip: '127.0.0.1', reqId: expect.any(String) })
  const hidden = lines.filter((line) => /who-is-it@|nobody@|secret=x/.test(line) && !line.includes('mail written'))
  expect(hidden).toEqual([])
})

test('behind https every API answer, even a refusal, has an HSTS header that is valid for a year, and the cookie is marked Secure', async () => {
  await using portal = await startPortal({ env: { PUBLIC_URL: 'https://portal.example' } })
  for (const path of ['/ready', '/profile', '/nothing', '/auth/login', '/partner/docs']) {
    const { headers } = await portal.get(path)
    expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000; includeSubDomains'])
  }
  const socket = connect(Number(new URL(portal.url).port), '127.0.0.1').end('nonsense\r\n\r\n')
  let unreadable = ''
  for await (const piece of socket) unreadable += piece
  expect(unreadable).toMatch(/^HTTP\/1.1 400 [\s\S]*\r\nstrict-transport-security: max-age=31536000/)
  const { email, password } = await portal.newPartner()
  const [cookie] = (await portal.post('/auth/login', { email, password })).headers.getSetCookie()
  expect(cookie).toMatch(/; Secure/)
})
