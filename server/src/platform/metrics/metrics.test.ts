import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { runSweep, sweep } from '../../crm/pull/sweep/sweep.job.ts'
import { openDatabaseProxy } from '../../testing/database-proxy.ts'
import { createDatabase } from '../../testing/databases.ts'
import { answering, hanging, startReceiver } from '../../testing/receiver.ts'
import { newLead, startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const DEPLOY = join(import.meta.dirname, '../../../../deploy')
const Line = z.looseObject({
  msg: z.string(),
  port: z.optional(z.number()),
  path: z.optional(z.string()),
  trace: z.optional(z.string()),
})

/** A portal with metrics, and a function that reads them. */
async function startMeasured(options: Parameters<typeof startPortal>[0] = {}) {
  const lines: z.infer<typeof Line>[] = []
  const portal = await startPortal({
    ...options,
    env: { METRICS_PORT: '0', ...options.env },
    onLogLine: (line) => lines.push(Line.parse(JSON.parse(line))),
  })
  const port = lines.find(({ msg }) => msg === 'metrics are served')?.port
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return { portal, lines, port, scrape }
}

test('the metrics count connections, CRM calls and the requests of each route, and contain no id or query', async () => {
  const { portal, port, scrape } = await startMeasured({ withCrm: true })
  await using _ = portal
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  await partner.get(`/crm/lead/${loid}`)
  await portal.get('/no/such/address?secret=1')
  expect((await portal.get('/live')).status).toBe(401)
  await partner.pushedLead(loid)
  await portal.deps.pool.query(SWEPT_LONG_AGO)
  await runSweep(portal.deps, AbortSignal.timeout(30_000))

  const text = await waitFor('the requests in the metrics', async () => {
    const now = await scrape()
    return now.includes('status="404"') && now
  })
  expect(text).toMatch(/^portal_http_requests_total\{method="GET",route="\/api\/crm\/lead\/:id",status="200"\} \d+$/m)
  expect(text).toMatch(
    /^portal_http_request_duration_seconds_count\{method="POST",route="\/api\/dashboard\/leads"\} 1$/m,
  )
  expect(text).toMatch(/^portal_http_request_duration_seconds_count\{method="GET",route="\/api\/live"\} 1$/m)
  expect(text).not.toContain(loid)
  expect(text).not.toContain('secret')
  expect(text).toMatch(/^portal_pool_connections\{pool="pages",state="idle"\} \d+$/m)
  expect(text).toMatch(/^portal_crm_calls_total [1-9]/m)
  expect(text).toMatch(/^portal_build_info\{version="\d+\.\d+\.\d+",commit=""\} 1$/m)
  expect(text).toMatch(/^portal_database_up 1$/m)
  expect(sweepAgeIn(text)).toBeLessThan(3_600)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  expect((await portal.get('/metrics')).status).toBe(404)
})

test('a METRICS_HOST that stands for all addresses of the machine has a line in the log, and the default has none', async () => {
  // Node listens on 0.0.0.0 for it.
  const open = await startMeasured({ env: { METRICS_HOST: '0' } })
  await using _ = open.portal
  const usual = await startMeasured()
  await using __ = usual.portal
  const linesOf = ({ lines }: typeof open) =>
    lines.filter(({ msg }) => msg.startsWith('METRICS_HOST opens the metrics'))
  expect([linesOf(open).length, linesOf(usual).length]).toEqual([1, 0])
})

test('a scrape waits only briefly for a silent database, and says that the database is away', async () => {
  const database = await createDatabase()
  await using proxy = await openDatabaseProxy(database.url)
  const { portal, scrape } = await startMeasured({ on: { database: { ...database, url: proxy.url } } })
  await using _ = portal
  await portal.get('/health')
  proxy.fallSilent()
  const startedAt = performance.now()
  const text = await scrape()
  expect(performance.now() - startedAt).toBeLessThan(3_000)
  expect(text).toMatch(/^portal_database_up 0$/m)
  expect(text).not.toMatch(/^portal_jobs/m)
  expect(text).toMatch(/^portal_http_requests_total/m)
  proxy.passNew()
  await waitFor('the database to be back', async () => /^portal_database_up 1$/m.test(await scrape()))
})

/** Sets the last complete reading of the CRM's leads to a day ago. */
const SWEPT_LONG_AGO =
  "insert into sweep_cursors (list, position, swept_at) values ('leads', now(), now() - interval '1 day')"

function sweepAgeIn(text: string): number {
  return Number(/^portal_sweep_age_seconds (\S+)$/m.exec(text)?.[1])
}

test('the sweep’s age grows if the CRM does not answer, and if no sweep has ever run', async () => {
  const [away, never] = [await startMeasured(), await startMeasured()]
  await using portal = away.portal
  await using unused = never.portal
  await unused.deps.pool.query("update kysely_migration set timestamp = '2020-01-01T00:00:00.000Z'")
  expect(sweepAgeIn(await never.scrape())).toBeGreaterThan(86_400)

  await portal.deps.pool.query(SWEPT_LONG_AGO)
  await sweep.run(portal.deps, {}, AbortSignal.timeout(30_000))
  await addTrouble(portal, (await portal.newPartner()).id)
  expect(sweepAgeIn(await away.scrape())).toBeGreaterThan(86_000)
})

test('alerts and the dashboard use only metrics that exist', async () => {
  const database = await createDatabase()
  // A database can also serve as its own replica.
  const env = { DATABASE_URL: database.url, DATABASE_READ_URL: database.url }
  const { portal, scrape } = await startMeasured({ on: { database }, env })
  await using _ = portal
  const partner = await portal.newPartner()
  await addTrouble(portal, partner.id)
  const text = await scrape()
  expect(text).toMatch(/^portal_mails_waiting 2$/m)
  const exported = new Set([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name]) => name))
  const asked = [
    await readFile(join(DEPLOY, 'prometheus-alerts.yml'), 'utf8'),
    await readFile(join(DEPLOY, 'grafana-dashboard.json'), 'utf8'),
  ]
    .flatMap((file) => [...file.matchAll(/\b(?:portal|nodejs|process)_[a-z\d_]+/g)])
    .map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''))
  expect(asked.length).toBeGreaterThan(30)
  expect([...new Set(asked)].filter((name) => !exported.has(name))).toEqual([])
})

/** Adds rows, because some metrics have no line while there is nothing to report. */
async function addTrouble({ deps }: TestPortal, partnerId: string): Promise<void> {
  const at = new Date().toISOString()
  await deps.pool.query(`
    insert into jobs.job (name, state, data, policy, completed_on) values ('sweep', 'completed', '{}', 'stately', '${at}');
    insert into jobs.job (name, state, data, policy, start_after)
      values ('mail-notice', 'retry', '{"partnerId":"${partnerId}"}', 'standard', now() + interval '1 hour'),
             ('send-news-mail', 'retry', '{}', 'standard', now() + interval '1 hour'),
             ('watch-crm', 'retry', '{}', 'stately', now());
    insert into crm_credits_left (credits, told_at) values (20000, now())`)
}

test('a caller’s trace is logged and sent to the CRM and to a collector, and a delivery has its own trace', async () => {
  const asked: string[] = []
  const crm = createServer((request, response) => {
    if (request.headers['traceparent']) asked.push(request.headers['traceparent'].toString())
    const body = { access_token: 'x', expires_in: 3_600, code: 'OAUTH_SCOPE_MISMATCH' }
    response.writeHead(request.url?.startsWith('/oauth') ? 200 : 401).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(crm, 'listening')
  const address = crm.address()
  const crmUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  await using receiver = await startReceiver()
  await using collector = await startReceiver(answering(200, {}, '{}'))
  const { portal, lines } = await startMeasured({
    crmUrl,
    env: { WEBHOOK_ALLOW_PRIVATE: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  })
  const trace = `${'a'.repeat(31)}1`
  const caller = 'b'.repeat(16)
  {
    await using _ = portal
    const partner = await portal.newPartner()
    await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })

    // The partner gets a CRM id here, so that the lead's push need not create the partner's record first.
    await portal.deps.db
      .updateTable('partners')
      .set({ zoho_id: '1', crm: 'synced' })
      .where('id', '=', partner.id)
      .execute()

    await partner.post('/dashboard/leads?secret=1', newLead(), { headers: { traceparent: `00-${trace}-${caller}-01` } })
    const answered = await waitFor('the log line', async () =>
      lines.find(({ msg, path }) => msg === 'answered' && path === '/api/dashboard/leads'),
    )
    expect(answered.trace).toBe(trace)
    await waitFor('the CRM to be called', async () => asked.find((header) => header.startsWith(`00-${trace}-`)))
    await receiver.first(1)
  }
  crm.close()
  const [delivery] = receiver.received
  const deliveryTrace = delivery?.headers['webhook-id']?.replaceAll('-', '')

  // The recorded spans are sent when the portal closes, at the latest.
  expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(['/hook/v1/traces']))
  const sent = collector.received.flatMap(({ body }) => readSpans(body))
  const [request, ...others] = sent.filter(({ parentSpanId }) => parentSpanId === caller)
  expect(others).toEqual([])
  expect(request).toMatchObject({ traceId: trace, name: 'POST /api/dashboard/leads' })
  const partsOf = (whole: Span | undefined) => sent.filter(({ parentSpanId }) => parentSpanId === whole?.spanId)
  expect(partsOf(request).map(({ name }) => name)).toEqual(expect.arrayContaining(['select partners', 'insert leads']))
  const job = partsOf(request).find(({ name }) => name === 'push-lead')
  expect(job?.status.code).toBe(2)
  const call = partsOf(job).find(({ name }) => name === 'POST coql')
  expect(call?.traceId).toBe(trace)
  expect(asked).toContain(`00-${trace}-${call?.spanId}-01`)
  const attempt = sent.find(({ traceId }) => traceId === deliveryTrace)
  expect(attempt?.name).toBe('deliver')
  expect(delivery?.headers['traceparent']).toBe(`00-${deliveryTrace}-${attempt?.spanId}-01`)

  const text = collector.received.map((one) => one.text).join()
  expect(text).toContain('"partner-portal"')
  expect(text).not.toMatch(/secret|Okafor|example\.com/)
})

test('a hanging collector delays no request, and delays the stop by a few seconds at most', async () => {
  await using collector = await startReceiver(hanging)
  const { portal } = await startMeasured({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  const partner = await portal.newPartner()
  expect((await partner.get('/profile')).status).toBe(200)
  const startedAt = performance.now()
  await portal[Symbol.asyncDispose]()
  // The exporter itself would wait ten seconds.
  expect(performance.now() - startedAt).toBeLessThan(8_000)
  expect(collector.received).not.toEqual([])
})

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.optional(z.string()),
  name: z.string(),
  status: z.object({ code: z.number() }),
})
type Span = z.infer<typeof Span>

/** The part of the SDK's OTLP JSON that the test reads. */
function readSpans(body: unknown): Span[] {
  const Sent = z.object({
    resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(Span) })) })),
  })
  return Sent.parse(body).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}
