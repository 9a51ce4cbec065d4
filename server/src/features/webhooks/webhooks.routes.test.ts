import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { answering, type Receiver, startReceiver } from '../../testing/receiver.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { removeWebhookLogsOfAllPartners } from './log.queries.ts'

let portal: TestPortal
let receiver: Receiver
let ada: TestPartner

beforeAll(async () => {
  portal = await startPortal({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
})
afterAll(() => portal[Symbol.asyncDispose]())

beforeEach(async () => {
  receiver = await startReceiver()
  ada = await portal.newPartner()
})
afterEach(() => receiver[Symbol.asyncDispose]())

const setUrl = (partner: TestPartner, webhook_url: unknown) => partner.put('/dashboard/webhook-url', { webhook_url })

/** Inserts log rows without making deliveries. */
async function insertLogs(partner: TestPartner, rows: Partial<Tables['webhook_logs']>[]): Promise<string[]> {
  const ids = rows.map((row) => row.id ?? newId())
  const common = {
    partner_id: partner.id,
    direction: 'outbound' as const,
    status: 'success' as const,
    endpoint: 'https://partner.example/hook',
    created_at: new Date().toISOString(),
  }
  const values = rows.map(({ attempts: _, attempts_before: __, ...row }, i) => ({
    ...common,
    ...row,
    id: ids[i] ?? '',
  }))
  await portal.deps.db.insertInto('webhook_logs').values(values).execute()
  return ids
}

async function listed(partner: TestPartner, query = ''): Promise<string[]> {
  const { status, body } = await partner.get(`/dashboard/webhook-logs${query}`)
  expect([query, status]).toEqual([query, 200])
  return body.data.map((row: { id: string }) => row.id)
}

test('GET /dashboard/webhook-url returns null as the URL if the partner has not set a URL', async () => {
  const { status, body } = await ada.get('/dashboard/webhook-url')
  expect(status).toBe(200)
  expect(body.data).toEqual({
    webhook_url: null,
    is_active: false,
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
    secret_preview: null,
    previous_secret_until: null,
  })
})

test('PUT /dashboard/webhook-url shows the secret when the URL is first set, and no later answer shows it again', async () => {
  const { status, body } = await setUrl(ada, `\u200b ${receiver.url}\u2060\u200d `)
  expect(status).toBe(200)
  const { secret, ...shown } = body.data
  expect(secret).toMatch(/^whsec_[\w+/]{32,}=*$/)
  expect(shown).toMatchObject({
    webhook_url: receiver.url,
    is_active: true,
    secret_preview: `${secret.slice(0, 8)}...`,
  })

  const changed = await setUrl(ada, `${receiver.url}/other`)
  expect(changed.body.data).toMatchObject({ webhook_url: `${receiver.url}/other`, secret: null })
  expect(changed.body.data.secret_preview).toBe(shown.secret_preview)
  const read = await ada.get('/dashboard/webhook-url')
  expect(JSON.stringify(read.body)).not.toContain(secret)
})

test('POST /dashboard/webhook-secret sends the owners a mail that does not contain the secret', async () => {
  await setUrl(ada, receiver.url)
  const { secret } = (await ada.post('/dashboard/webhook-secret')).body.data
  expect(await portal.mailTo(ada.email, 'Your signing secret was changed')).not.toContain(secret)
})

test.each([[null], [''], ['   ']])(
  '%j removes the URL, and setting a URL again makes a new secret',
  async (nothing) => {
    const first = (await setUrl(ada, receiver.url)).body.data.secret
    const removed = await setUrl(ada, nothing)
    expect(removed.body.data).toMatchObject({ webhook_url: null, is_active: false, secret: null })
    const second = (await setUrl(ada, receiver.url)).body.data.secret
    expect(second).toMatch(/^whsec_/)
    expect(second).not.toBe(first)
  },
)

test.each([['ftp://partner.example/hook'], ['partner.example/hook'], ['not a url'], [5]])(
  'an invalid webhook URL is refused with an error for its field: %j',
  async (url) => {
    const { status, body } = await setUrl(ada, url)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION', fields: { webhook_url: body.error } })
    expect((await ada.get('/dashboard/webhook-url')).body.data.webhook_url).toBeNull()
  },
)

test('PUT /dashboard/webhook-url without a URL is refused and changes nothing', async () => {
  await setUrl(ada, receiver.url)
  const { status, body } = await ada.put('/dashboard/webhook-url', {})
  expect([status, body.fields]).toEqual([400, { webhook_url: 'Webhook URL must be text, or null to remove it' }])
  expect((await ada.get('/dashboard/webhook-url')).body.data.webhook_url).toBe(receiver.url)
})

test('only an https URL is accepted if private addresses are not allowed', async () => {
  await using strict = await startPortal()
  const partner = await strict.newPartner()
  const { status, body } = await setUrl(partner, 'http://partner.example/hook')
  expect(status).toBe(400)
  expect(body.fields.webhook_url).toBe('Webhook URL must begin with https://')
  expect((await setUrl(partner, 'https://partner.example/hook')).status).toBe(200)
})

test('a test event and a repeated delivery need an enabled URL, and a new secret needs a URL', async () => {
  const [log] = await insertLogs(ada, [{}])
  const again = `/dashboard/webhook-logs/${log}/redeliver`
  for (const path of ['/dashboard/webhook-test', '/dashboard/webhook-secret', again]) {
    const { status, body } = await ada.post(path)
    expect([path, status, body.code]).toEqual([path, 409, 'CONFLICT'])
    expect(body.error).toBe('You have no webhook URL yet: add one first')
  }
  await setUrl(ada, receiver.url)
  await portal.deps.db
    .updateTable('webhook_endpoints')
    .set({ disabled_at: new Date().toISOString(), disabled_reason: 'gone' })
    .where('partner_id', '=', ada.id)
    .execute()
  for (const path of ['/dashboard/webhook-test', again]) {
    const { status, body } = await ada.post(path)
    expect([path, status, body.code]).toEqual([path, 409, 'CONFLICT'])
    expect(body.error).toContain('save it again')
  }
  expect((await ada.get('/dashboard/webhook-url')).body.data).toMatchObject({
    is_active: false,
    disabled_reason: 'gone',
  })
  expect((await setUrl(ada, receiver.url)).body.data).toMatchObject({ is_active: true, disabled_reason: null })
  expect((await ada.post('/dashboard/webhook-test')).status).toBe(201)
})

test('nobody has another server called without end', async () => {
  await using strict = await startPortal({ env: { RATE_LIMITS: 'on', ROLE: 'web' } })
  const partner = await strict.newPartner()
  const paths = ['/dashboard/webhook-test', `/dashboard/webhook-logs/${newId()}/redeliver`]
  const ask = async () => {
    const answers = await Promise.all(paths.map((path) => partner.post(path)))
    return answers.map(({ status }) => status)
  }
  expect(await ask()).toEqual([409, 404])
  await strict.deps.pool.query("update rate_limits set points = 300 where key like 'deliveries-by-hand:%'")
  expect(await ask()).toEqual([429, 429])
})

test('a test event is delivered like any other event, and is in the log', async () => {
  await setUrl(ada, receiver.url)
  receiver.respond = answering(202, {}, 'thank you')
  const { status, body } = await ada.post('/dashboard/webhook-test')
  expect(status).toBe(201)
  const log = await waitFor('the delivery', async () => {
    const one = (await ada.get(`/dashboard/webhook-logs/${body.data.id}`)).body.data
    return one.status === 'success' && one
  })
  expect(log).toMatchObject({
    direction: 'outbound',
    endpoint: receiver.url,
    event_type: 'webhook.test',
    loid: null,
    response_status: 202,
    response_body: 'thank you',
    error_message: null,
    attempts: 1,
    next_attempt_at: null,
    attempt_list: [{ number: 1, response_status: 202, error_message: null }],
  })
  const [sent] = await receiver.first(1)
  expect(sent?.text).toBe(log.request_body)
  expect(sent?.headers['webhook-id']).toBe(body.data.id)
})

test('GET /dashboard/webhook-logs lists the partner’s own rows, newest first, page by page', async () => {
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const [old, middle, young] = await insertLogs(ada, [
    { created_at: at(3) },
    { created_at: at(2) },
    { created_at: at(1) },
  ])
  const bob = await portal.newPartner()
  await insertLogs(bob, [{}])
  expect(await listed(ada)).toEqual([young, middle, old])
  const first = await ada.get('/dashboard/webhook-logs?limit=2')
  expect(first.body.pagination).toEqual({ page: 1, limit: 2, has_more: true })
  const second = await ada.get('/dashboard/webhook-logs?limit=2&page=2')
  expect(second.body.data.map((row: { id: string }) => row.id)).toEqual([old])
  expect(second.body.pagination).toEqual({ page: 2, limit: 2, has_more: false })
})

test('GET /dashboard/webhook-logs filters by status, endpoint, day and words', async () => {
  const [sent, failed, inbound] = await insertLogs(ada, [
    { loid: 'LO-7K3M9QPX', event_type: 'lead.created', created_at: '2026-03-01T12:59:59.000Z' },
    { status: 'failed', error_message: 'The endpoint answered 500', created_at: '2026-03-01T13:00:00.000Z' },
    { direction: 'inbound', endpoint: '/api/webhook/deal', created_at: '2026-03-02T12:59:59.999Z' },
  ])
  const cases: [string, (string | undefined)[]][] = [
    ['?status=failed', [failed]],
    ['?endpoint=WEBHOOK/deal', [inbound]],
    ['?endpoint=partner.example', [failed, sent]],
    ['?endpoint=%25', []],
    // Sydney is eleven hours ahead of UTC in March.
    ['?dateFrom=2026-03-02&dateTo=2026-03-02', [inbound, failed]],
    ['?dateTo=2026-03-01', [sent]],
    ['?search=lo7k3m9qpx', [sent]],
    ['?search=LO-7K3M9QPX', [sent]],
    ['?search=created+lead', [sent]],
    ['?search=answered+500', [failed]],
    ['?search=answered+404', []],
    ['?search=&endpoint=&dateFrom=', [inbound, failed, sent]],
  ]
  for (const [query, ids] of cases) expect([query, await listed(ada, query)]).toEqual([query, ids])
  for (const query of ['?status=fine', '?dateFrom=yesterday', '?dateTo=2026-02-30']) {
    expect([query, (await ada.get(`/dashboard/webhook-logs${query}`)).status]).toEqual([query, 400])
  }
})

test('another partner’s log row can be neither read nor sent again', async () => {
  const bob = await portal.newPartner()
  const [row] = await insertLogs(bob, [{}])
  await setUrl(ada, receiver.url)
  expect((await ada.get(`/dashboard/webhook-logs/${row}`)).status).toBe(404)
  expect((await ada.post(`/dashboard/webhook-logs/${row}/redeliver`)).status).toBe(404)
  expect((await bob.get(`/dashboard/webhook-logs/${row}`)).status).toBe(200)
})

test('a logged call from the partner’s own system cannot be sent again', async () => {
  await setUrl(ada, receiver.url)
  const [row] = await insertLogs(ada, [{ direction: 'inbound', endpoint: '/api/webhook/lead' }])
  const { status, body } = await ada.post(`/dashboard/webhook-logs/${row}/redeliver`)
  expect([status, body.code]).toEqual([409, 'CONFLICT'])
  expect(body.error).toContain('your own system')
})

test('old log rows are removed, and newer rows stay', async () => {
  const [old, young] = await insertLogs(ada, [
    { created_at: '2026-01-01T00:00:00.000Z' },
    { created_at: '2026-01-02T00:00:00.000Z' },
  ])
  const attempt = { number: 1, started_at: new Date().toISOString(), duration_ms: 5, response_status: 200 }
  for (const log_id of [old, young]) {
    await portal.deps.db
      .insertInto('webhook_attempts')
      .values({ ...attempt, log_id: log_id ?? '', error_message: null })
      .execute()
  }
  expect(await removeWebhookLogsOfAllPartners(portal.deps.db, '2026-01-02T00:00:00.000Z', 10)).toBe(1)
  expect(await listed(ada)).toEqual([young])
})
