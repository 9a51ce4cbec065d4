import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchCrm } from '../../crm/pull/notified/watch-crm.job.ts'
import { openDatabaseProxy } from '../../testing/database-proxy.ts'
import { createDatabase } from '../../testing/databases.ts'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

/** What passes takes so long on its way to PostgreSQL: longer than everything else that a call does. */
const FLIGHT_MS = 400
/** What a web process and a worker send to PostgreSQL. */
const sent: Record<'web' | 'worker', string[]> = { web: [], worker: [] }
const opened = new AsyncDisposableStack()
let web: TestPortal
/** Delays what the web process sends. */
let delay: (ms: number) => void

beforeAll(async () => {
  const database = await createDatabase()
  const openProxy = async (role: 'web' | 'worker') =>
    opened.use(await openDatabaseProxy(database.url, (text) => sent[role].push(text)))
  const behind = ({ url }: { url: string }) => ({ database: { ...database, url } })
  opened.use(await startPortal({ withCrm: true, on: behind(await openProxy('worker')) }))
  const proxy = await openProxy('web')
  delay = proxy.delay
  web = opened.use(await startPortal({ withCrm: true, on: behind(proxy), env: { ROLE: 'web' } }))
  await watchCrm.run(web.deps, {}, new AbortController().signal)
})
afterAll(() => opened.disposeAsync())

/** A partner that the CRM knows, and whose first lead has come back from it. */
async function newPushedPartner(): Promise<TestPartner> {
  const partner = await web.newPartner()
  await partner.submitLead()
  await allPushed()
  return partner
}

async function allPushed(): Promise<void> {
  await waitFor('the CRM to have all leads and the portal to have read them', async () => {
    const { rows } = await web.deps.pool.query(
      `select from leads where crm <> 'synced' union all select from noted_records
        union all select from jobs.job where name in ('push-lead', 'pull-noted') and state < 'completed'`,
    )
    return rows.length === 0
  })
}

test('a lead is stored with four statements, and its notification writes nothing to its row', async () => {
  const partner = await newPushedPartner()
  // The caller is remembered for a second.
  await partner.get('/dashboard/pipeline')
  sent.web = []
  sent.worker = []
  await partner.post('/dashboard/leads', newLead(), { headers: { 'idempotency-key': 'counted' } })
  expect(sent.web.slice(sent.web.findIndex((text) => text.includes('idempotency_keys')))).toHaveLength(4)
  await waitFor('the notification', async () => sent.web.some((text) => text.includes('insert into noted_records')))
  await allPushed()
  expect(sent.worker.filter((text) => /update "?leads"?/.test(text))).toEqual([
    expect.stringContaining('crm_sent_at'),
    expect.stringContaining('zoho_id'),
  ])
})

test('a lead waits for PostgreSQL twice', async () => {
  const partner = await newPushedPartner()
  await partner.get('/dashboard/pipeline')
  delay(FLIGHT_MS)
  const began = performance.now()
  await partner.post('/dashboard/leads', newLead(), { headers: { 'idempotency-key': 'timed' } })
  const takenMs = performance.now() - began
  delay(0)
  expect(Math.floor(takenMs / FLIGHT_MS)).toBe(2)
})

test('forty leads that come together take at most twelve statements each, with their pushes and notifications', async () => {
  const partners = [
    await newPushedPartner(),
    await newPushedPartner(),
    await newPushedPartner(),
    await newPushedPartner(),
  ]
  sent.web = []
  sent.worker = []
  const leads = partners.flatMap((partner) => Array.from({ length: 10 }, () => partner.submitLead()))
  await Promise.all(leads)
  await allPushed()
  const statements = [...sent.web, ...sent.worker].filter((text) => !text.includes('from noted_records\n'))
  expect(statements.length / leads.length).toBeLessThanOrEqual(12)
})
