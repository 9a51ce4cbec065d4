import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { newApiKey } from '../api-keys/key-format.ts'

/** These tests need no background jobs. */
const env = { ROLE: 'web' }

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ env })
})
afterAll(() => portal[Symbol.asyncDispose]())

const LEAST = { business_name: 'Okafor Freight', email: 'nkem@okafor.example' }

async function withKey(on: TestPortal = portal): Promise<{ partner: TestPartner; key: string }> {
  const partner = await on.newPartner()
  const answer = await partner.post('/dashboard/generate-api-key')
  return { partner, key: answer.body.data.api_key }
}

/** The partner's logged calls, the oldest first. */
function logOf(partner: TestPartner, on: TestPortal = portal) {
  return on.deps.db.selectFrom('webhook_logs').selectAll().where('partner_id', '=', partner.id).orderBy('id').execute()
}

test.each(['/partner/leads', '/webhook/lead', '/webhook/deal'])(
  'POST %s logs the request’s body and the answer unchanged',
  async (path) => {
    const { partner, key } = await withKey()
    const text = '{ "business_name": "Okafor",\n  "phone": "0491 570 156" }'
    const answer = await portal.post(path, text, { token: key })
    expect(answer.status).toBe(201)
    expect(await logOf(partner)).toMatchObject([
      {
        direction: 'inbound',
        status: 'success',
        endpoint: `/api${path}`,
        loid: answer.body.data.loid,
        response_status: 201,
        error_message: null,
        request_body: text,
        response_body: JSON.stringify(answer.body),
        event_id: null,
        event_type: null,
        next_attempt_at: null,
      },
    ])
  },
)

test('a call with a session is logged', async () => {
  const partner = await portal.newPartner()
  await partner.post('/webhook/lead', LEAST)
  expect(await logOf(partner)).toMatchObject([{ endpoint: '/api/webhook/lead', status: 'success' }])
})

test('refused calls are logged with the reason, such as an invalid field, broken JSON or a body that is too large', async () => {
  const { partner, key } = await withKey()
  const headers = { 'idempotency-key': 'one' }
  const ask = (body: unknown, more: Record<string, string> = {}) =>
    portal.post('/webhook/lead', body, { token: key, headers: more })
  await ask({ ...LEAST, email: 'nkem' })
  await ask('{"business_name":\u0000')
  await ask('a=b', { 'content-type': 'text/plain' })
  await ask('x'.repeat(70_000))
  await ask(undefined)
  await ask(LEAST, headers)
  await ask({ ...LEAST, business_name: 'Other' }, headers)
  const rows = await logOf(partner)
  expect(rows.map((row) => [row.response_status, row.status, row.error_message, row.request_body])).toEqual([
    [400, 'failed', 'Please enter a valid email address', JSON.stringify({ ...LEAST, email: 'nkem' })],
    [400, 'failed', 'The request could not be read.', '{"business_name":\ufffd'],
    [415, 'failed', 'The body must be JSON (content-type: application/json).', null],
    [413, 'failed', 'The body is larger than 64 KiB.', null],
    [400, 'failed', 'Business name is required', null],
    [201, 'success', null, JSON.stringify(LEAST)],
    [409, 'failed', 'This Idempotency-Key was used with another request', expect.stringContaining('Other')],
  ])
  expect(rows[0]?.response_body).toContain('"code":"VALIDATION"')
})

test('a repeated call is logged separately, with the LOID of the first call', async () => {
  const { partner, key } = await withKey()
  const request = { token: key, headers: { 'idempotency-key': 'one' } }
  const first = await portal.post('/partner/leads', LEAST, request)
  await portal.post('/partner/leads', LEAST, request)
  const { loid } = first.body.data
  expect(await logOf(partner)).toMatchObject([
    { status: 'success', loid },
    { status: 'success', loid },
  ])
})

test('calls beyond the rate limit are logged', async () => {
  await using limited = await startPortal({ env: { ...env, RATE_LIMITS: 'on' } })
  const { partner, key } = await withKey(limited)
  await Promise.all(Array.from({ length: 121 }, () => limited.post('/webhook/lead', {}, { token: key })))
  const statuses = (await logOf(partner, limited)).map((row) => row.response_status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  expect(statuses).toHaveLength(121)
})

test('a call that fails with an internal error is logged', async () => {
  await using broken = await startPortal({ env })
  const { partner, key } = await withKey(broken)
  await broken.deps.pool.query('alter table history_entries rename to history_elsewhere')
  expect((await broken.post('/webhook/lead', LEAST, { token: key })).status).toBe(500)
  expect(await logOf(partner, broken)).toMatchObject([
    {
      status: 'failed',
      response_status: 500,
      error_message: expect.stringContaining('Something went wrong'),
      loid: null,
    },
  ])
})

test('a call succeeds even if the log cannot be written', async () => {
  await using broken = await startPortal({ env })
  const { partner, key } = await withKey(broken)
  await broken.deps.pool.query('alter table webhook_logs rename to logs_elsewhere')
  const answer = await broken.post('/webhook/lead', LEAST, { token: key })
  expect(answer.status).toBe(201)
  expect((await partner.get(`/crm/lead/${answer.body.data.loid}`)).status).toBe(200)
})

test('calls by unknown callers and calls to other routes are not logged', async () => {
  const { partner, key } = await withKey()
  const before = await portal.deps.db.selectFrom('webhook_logs').select('id').execute()
  expect((await portal.post('/webhook/lead', LEAST, { token: newApiKey() })).status).toBe(401)
  expect((await portal.post('/partner/leads', LEAST, { token: partner.token })).status).toBe(401)
  expect((await portal.post('/webhook/lead', LEAST)).status).toBe(401)
  await portal.get('/webhook/status/LO-00000000', { token: key })
  await partner.submitLead()
  expect(await portal.deps.db.selectFrom('webhook_logs').select('id').execute()).toHaveLength(before.length)
})

test('an API key in a body is shortened in the log', async () => {
  const { partner, key } = await withKey()
  await portal.post('/webhook/lead', { ...LEAST, additional_info: `my key is ${key}`, [key]: key }, { token: key })
  const [row] = await logOf(partner)
  expect(JSON.stringify(row)).not.toContain(key)
  expect(row?.request_body).toContain(`my key is ${key.slice(0, 8)}...`)
})

test('the log keeps at most 64 KiB of a body and splits no character', async () => {
  const { partner, key } = await withKey()
  // Each of these 60,000 bytes is invalid in UTF-8, so a replacement character of three bytes takes its place.
  await fetch(`${portal.url}/api/webhook/lead`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: Buffer.alloc(60_000, 0xff),
  })
  const [row] = await logOf(partner)
  const kept = row?.request_body ?? ''
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(65_536)
  expect(kept).toBe('\ufffd'.repeat(21_845))
})
