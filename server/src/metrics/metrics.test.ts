import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { openDatabaseProxy } from '../testing/database-proxy.ts'
import { createDatabase } from '../testing/databases.ts'
import { startReceiver } from '../testing/receiver.ts'
import { newLead, startPortal, type TestPortal } from '../testing/start-portal.ts'
import { waitFor } from '../testing/wait-for.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')
const Line = z.looseObject({
  msg: z.string(),
  port: z.optional(z.number()),
  path: z.optional(z.string()),
  trace: z.optional(z.string()),
})

/** A portal with metrics, and what they say. */
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

test('metrics tell what happened by route, and what waits', async () => {
  const { portal, port, scrape } = await startMeasured({ withCrm: true })
  await using _ = portal
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  await partner.get(`/crm/lead/${loid}`)
  await portal.get('/no/such/address?secret=1')
  await partner.pushedLead(loid)

  const text = await waitFor('the calls', async () => {
    const now = await scrape()
    return now.includes('status="404"') && now
  })
  expect(text).toMatch(/^portal_http_requests_total\{method="GET",route="\/api\/crm\/lead\/:id",status="200"\} \d+$/m)
  expect(text).toMatch(
    /^portal_http_request_duration_seconds_count\{method="POST",route="\/api\/dashboard\/leads"\} 1$/m,
  )
  expect(text).not.toContain(loid)
  expect(text).not.toContain('secret')
  expect(text).toMatch(/^portal_pool_connections\{pool="pages",state="idle"\} \d+$/m)
  expect(text).toMatch(/^portal_crm_calls_total [1-9]/m)
  expect(text).toMatch(/^portal_database_up 1$/m)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  expect((await portal.get('/metrics')).status).toBe(404)
})

test('a scrape does not wait for a database that fell silent, and says that it is away', async () => {
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
  await waitFor('the database', async () => /^portal_database_up 1$/m.test(await scrape()))
})

test('alerts and dashboard ask only for metrics that there are', async () => {
  const { portal, scrape } = await startMeasured()
  await using _ = portal
  const partner = await portal.newPartner()
  await addTrouble(portal, partner.id)
  const text = await scrape()
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

/** What has a line only where there is something to tell. */
async function addTrouble({ deps }: TestPortal, partnerId: string): Promise<void> {
  const at = new Date().toISOString()
  await deps.pool.query(`
    insert into jobs.job (name, state, data, policy, completed_on) values ('sweep', 'completed', '{}', 'stately', '${at}');
    insert into jobs.job (name, state, data, policy) values ('mail-notice', 'retry', '{"partnerId":"${partnerId}"}', 'standard');
    insert into crm_credits_left (credits, told_at) values (20000, now())`)
}

test('a caller’s trace is in the log and goes on to the CRM; a delivery has one of its own', async () => {
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
  const { portal, lines } = await startMeasured({ crmUrl, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  await using _ = portal
  const partner = await portal.newPartner()
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })

  // Its own record is there, so that the lead's push need not wait for it.
  await portal.deps.db
    .updateTable('partners')
    .set({ zoho_id: '1', crm: 'synced' })
    .where('id', '=', partner.id)
    .execute()

  const trace = `${'a'.repeat(31)}1`
  await partner.post('/dashboard/leads', newLead(), { headers: { traceparent: `00-${trace}-${'b'.repeat(16)}-01` } })
  const answered = await waitFor('the line', async () =>
    lines.find(({ msg, path }) => msg === 'answered' && path === '/api/dashboard/leads'),
  )
  expect(answered.trace).toBe(trace)
  await waitFor('the CRM to be called', async () => asked.find((header) => header.startsWith(`00-${trace}-`)))
  const [delivery] = await receiver.first(1)
  expect(delivery?.headers['traceparent']).toMatch(
    new RegExp(`^00-${delivery?.headers['webhook-id']?.replaceAll('-', '')}-[0-9a-f]{16}-01$`),
  )
  crm.close()
})
