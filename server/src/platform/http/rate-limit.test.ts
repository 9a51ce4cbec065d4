import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { openDatabase } from '../db/database.ts'

const PASSWORD = 'correct-horse-battery'

test('while rate limits are slow to check, sign-ups do not block one another, even if they outnumber the database connections', async () => {
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const holder = openDatabase(portal.database.url, () => undefined)
  const locked = await holder.pool.connect()
  await locked.query('begin')
  await locked.query('lock table rate_limits')
  const answers = Array.from({ length: 40 }, (_, i) =>
    portal.post('/auth/signup', { email: `crowd${i}@example.com`, password: PASSWORD, businessName: `Crowd ${i}` }),
  )
  await waitFor('the sign-ups to wait', async () => portal.deps.pool.waitingCount >= 24)
  await locked.query('commit')
  locked.release()
  await holder.close()

  const statuses = (await Promise.all(answers)).map((answer) => answer.status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(30)
})

test('the answer to a sign-in says how many tries are left, and a refusal says when to try again', async () => {
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const tries = []
  for (let i = 0; i < 11; i++) tries.push(await portal.post('/auth/login', { email: 'x@example.com', password: 'x' }))
  const remaining = tries.map((answer) => Number(answer.headers.get('ratelimit-remaining')))
  expect(remaining).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0])
  expect(tries[0]?.headers.get('ratelimit-limit')).toBe('10')
  expect(Number(tries[0]?.headers.get('ratelimit-reset'))).toBeGreaterThan(0)
  expect(tries.map((answer) => answer.headers.get('retry-after') !== null)).toEqual([...Array(10).fill(false), true])
  expect(tries[10]?.body).toMatchObject({ success: false, code: 'RATE_LIMITED' })
})

test('a sign-in with the longest possible email address gets the usual answer', async () => {
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const email = `${'a'.repeat(242)}@example.com`
  expect(email).toHaveLength(254)
  expect((await portal.post('/auth/login', { email, password: 'x' })).status).toBe(401)
  expect((await portal.post('/auth/forgot-password', { email })).status).toBe(404)
})

test('two processes share their rate limits', async () => {
  await using first = await startPortal({ env: { RATE_LIMITS: 'on' } })
  await using second = await startPortal({ env: { RATE_LIMITS: 'on' }, on: first })
  for (let i = 0; i < 10; i++) {
    const portal = i % 2 === 0 ? first : second
    expect((await portal.post('/auth/login', { email: 'x@example.com', password: 'x' })).status).toBe(401)
  }
  expect((await second.post('/auth/login', { email: 'x@example.com', password: 'x' })).status).toBe(429)
})

test('only a trusted proxy decides a caller’s IP address', async () => {
  const env = { RATE_LIMITS: 'on' }
  await using behindOurs = await startPortal({ env })
  await using behindAnother = await startPortal({ env: { ...env, TRUST_PROXY: '10.0.0.0/8' } })
  const signUpsLeft = async (portal: typeof behindOurs, address: string) => {
    const form = { email: `${address}@example.com`, password: PASSWORD, businessName: `From ${address}` }
    const answer = await portal.post('/auth/signup', form, { headers: { 'x-forwarded-for': address } })
    expect(answer.status).toBe(201)
    return Number(answer.headers.get('ratelimit-remaining'))
  }
  expect([await signUpsLeft(behindOurs, '203.0.113.1'), await signUpsLeft(behindOurs, '203.0.113.2')]).toEqual([9, 9])
  expect([await signUpsLeft(behindAnother, '203.0.113.1'), await signUpsLeft(behindAnother, '203.0.113.2')]).toEqual([
    9, 8,
  ])
})

test('a call with an API key counts once, even if its body takes a long time to arrive', async () => {
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const partner = await portal.newPartner()
  const { api_key } = (await partner.post('/dashboard/generate-api-key')).body.data
  const body = JSON.stringify({ business_name: 'Slow', phone: '0491 570 156' })
  const call = request(`${portal.url}/api/partner/leads`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api_key}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  call.flushHeaders()
  await once(call, 'continue')
  portal.advance(2_000)
  call.end(body)
  const [answer] = await once(call, 'response')
  answer.resume()
  expect([answer.statusCode, answer.headers['ratelimit-remaining']]).toEqual([201, '119'])
})
