import { afterAll, beforeAll, expect, test } from 'vitest'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { isWellFormedKey, newApiKey } from './key-format.ts'

/** These tests need no background jobs. */
const env = { ROLE: 'web' }

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ env })
})
afterAll(() => portal[Symbol.asyncDispose]())

/** A route that accepts keys and sessions, with the LOID of a record that does not exist. */
const WITH_KEY = '/webhook/status/LO-00000000'

async function generate(partner: TestPartner): Promise<string> {
  const answer = await partner.post('/dashboard/generate-api-key')
  expect(answer.status).toBe(201)
  return answer.body.data.api_key
}

async function statusWith(key: string): Promise<number> {
  return (await portal.get(WITH_KEY, { token: key })).status
}

test('POST /dashboard/generate-api-key returns the whole key, which works at once', async () => {
  const partner = await portal.newPartner()
  const answer = await partner.post('/dashboard/generate-api-key')
  const { api_key } = answer.body.data
  expect(answer.status).toBe(201)
  expect(isWellFormedKey(api_key)).toBe(true)
  const status = await partner.get('/dashboard/api-key-status')
  expect(answer.body.data).toEqual({ ...status.body.data, api_key })
  expect(JSON.stringify(status.body)).not.toContain(api_key)
  expect(await statusWith(api_key)).toBe(404)
})

test('GET /dashboard/api-key-status returns the key’s preview and the time it was generated, once there is a key', async () => {
  const partner = await portal.newPartner()
  const none = await partner.get('/dashboard/api-key-status')
  expect(none.body.data).toEqual({
    has_api_key: false,
    api_key_preview: null,
    business_name: partner.businessName,
    last_generated: null,
    last_used: null,
    base_url: (await partner.get('/dashboard/api-docs')).body.data.baseUrl,
  })
  const key = await generate(partner)
  const { body } = await partner.get('/dashboard/api-key-status')
  expect(body.data).toMatchObject({ has_api_key: true, api_key_preview: `${key.slice(0, 8)}...`, last_used: null })
  expect(Date.parse(body.data.last_generated)).not.toBeNaN()
})

test('once there is a new key, the old one is refused, even if both were requested with the same Idempotency-Key', async () => {
  const partner = await portal.newPartner()
  const headers = { 'idempotency-key': 'again' }
  const first = await partner.post('/dashboard/generate-api-key', undefined, { headers })
  expect(await statusWith(first.body.data.api_key)).toBe(404)
  const second = await partner.post('/dashboard/generate-api-key', undefined, { headers })
  expect(second.headers.get('idempotency-replayed')).toBeNull()
  expect(second.body.data.api_key).not.toBe(first.body.data.api_key)
  expect(await statusWith(first.body.data.api_key)).toBe(401)
  expect(await statusWith(second.body.data.api_key)).toBe(404)
})

test('DELETE /dashboard/revoke-api-key revokes the key at once, and also succeeds if there is no key', async () => {
  const partner = await portal.newPartner()
  const key = await generate(partner)
  expect(await statusWith(key)).toBe(404)
  const revoked = await portal.ask('DELETE', '/dashboard/revoke-api-key', { token: partner.token })
  expect([revoked.status, revoked.body.data]).toMatchObject([200, { has_api_key: false, api_key_preview: null }])
  expect(await statusWith(key)).toBe(401)
  expect((await portal.ask('DELETE', '/dashboard/revoke-api-key', { token: partner.token })).status).toBe(200)
})

test('a key that another process replaces stops working at once', async () => {
  await using other = await startPortal({ on: portal, env })
  const partner = await portal.newPartner()
  const key = await generate(partner)
  expect((await other.get(WITH_KEY, { token: key })).status).toBe(404)
  await generate(partner)
  expect((await other.get(WITH_KEY, { token: key })).status).toBe(401)
})

test('the key of a deactivated partner is refused', async () => {
  const partner = await portal.newPartner()
  const key = await generate(partner)
  await portal.deps.db.updateTable('partners').set({ is_active: false }).where('id', '=', partner.id).execute()
  expect(await statusWith(key)).toBe(401)
})

test('a route for sessions refuses keys', async () => {
  const partner = await portal.newPartner()
  const key = await generate(partner)
  for (const path of ['/profile', '/dashboard/leads', '/dashboard/api-key-status']) {
    expect([path, (await portal.get(path, { token: key })).status]).toEqual([path, 401])
  }
  const generated = await portal.post('/dashboard/generate-api-key', undefined, { token: key })
  expect(generated.status).toBe(401)
  expect((await partner.get(WITH_KEY)).status).toBe(404)
})

test('a key with a wrong checksum is refused without a look-up in the database', async () => {
  const unknown = newApiKey()
  const mistyped = unknown.slice(0, -1) + (unknown.endsWith('x') ? 'y' : 'x')
  await portal.withoutDatabase(async () => {
    expect(await statusWith(mistyped)).toBe(401)
    expect(await statusWith(unknown)).toBe(503)
  })
  await waitFor('the database to be back', async () => (await statusWith(unknown)) === 401)
})

test('the time of the last use is stored to the minute', async () => {
  const partner = await portal.newPartner()
  const key = await generate(partner)
  const lastUsed = async () => (await partner.get('/dashboard/api-key-status')).body.data.last_used
  await statusWith(key)
  const first: string = await waitFor('the first use', lastUsed)
  expect(first).toMatch(/:00\.000Z$/)
  portal.advance(5 * 60_000)
  await statusWith(key)
  const second = await waitFor('the second use', async () => (await lastUsed()) !== first && lastUsed())
  expect(Date.parse(second) - Date.parse(first)).toBeGreaterThanOrEqual(5 * 60_000)
  await generate(partner)
  expect(await lastUsed()).toBeNull()
})

test('many calls in one minute write the time of the last use only once', async () => {
  const partner = await portal.newPartner()
  const key = await generate(partner)
  // Moves the portal's clock to the beginning of a minute.
  portal.advance(60_000 - (portal.deps.clock.now().getTime() % 60_000))
  const row = () =>
    portal.deps.pool.query('select xmin::text, last_used_at from api_keys where partner_id = $1', [partner.id])
  await Promise.all(Array.from({ length: 20 }, () => statusWith(key)))
  await waitFor('the first use', async () => (await row()).rows[0]?.last_used_at)
  const before = (await row()).rows
  await Promise.all(Array.from({ length: 20 }, () => statusWith(key)))
  expect((await row()).rows).toEqual(before)
})

test('the database does not contain the key itself', async () => {
  const partner = await portal.newPartner()
  const headers = { 'idempotency-key': 'keep it' }
  const key: string = (await partner.post('/dashboard/generate-api-key', undefined, { headers })).body.data.api_key
  await portal.post('/webhook/lead', newLead({ [key]: key }), { token: key, headers })
  const { pool } = portal.deps
  const { rows: tables } = await pool.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  expect(tables.length).toBeGreaterThan(15)
  for (const { name } of tables) {
    const { rows } = await pool.query(`select 1 from ${name} as one where one::text like $1`, [`%${key}%`])
    expect([name, rows]).toEqual([name, []])
  }
})

test('a key gets 120 calls a minute, including refused calls, and the answers say how many are left', async () => {
  await using limited = await startPortal({ env: { ...env, RATE_LIMITS: 'on' } })
  const [ada, bob] = [await limited.newPartner(), await limited.newPartner()]
  const key: string = (await ada.post('/dashboard/generate-api-key')).body.data.api_key
  const first = await limited.get(WITH_KEY, { token: key })
  expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['120', '119'])
  const refusedFirst = await limited.get(`${WITH_KEY}?admin=true`, { token: key })
  expect([refusedFirst.status, refusedFirst.headers.get('ratelimit-remaining')]).toEqual([400, '118'])
  const answers = await Promise.all(Array.from({ length: 119 }, () => limited.get(WITH_KEY, { token: key })))
  expect(answers.filter((answer) => answer.status === 404)).toHaveLength(118)
  const refused = answers.find((answer) => answer.status === 429)
  expect([refused?.body.code, refused?.headers.get('ratelimit-remaining')]).toEqual(['RATE_LIMITED', '0'])
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)

  const other: string = (await bob.post('/dashboard/generate-api-key')).body.data.api_key
  expect((await limited.get(WITH_KEY, { token: other })).status).toBe(404)
  const unknown = await limited.get(WITH_KEY, { token: newApiKey() })
  expect([unknown.status, unknown.headers.get('ratelimit-limit')]).toEqual([401, null])
  expect((await ada.get(WITH_KEY)).headers.get('ratelimit-limit')).toBeNull()
})
