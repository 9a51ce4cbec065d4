// `npm run bench:webhooks`: whether hanging or failing receivers delay deliveries to the others (D35), and whether any
// delivery is lost. A round makes ten thousand deliveries; `-- --deliveries=1000` is quicker.
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../server/src/platform/db/tables.ts'
import type { PortalEvent } from '../server/src/records/events/event-data.ts'
import { recordEvent } from '../server/src/records/events/events.ts'
import { startProduct, withEmptyFolder } from './product.ts'
import { type Arrival, FAILING, HANGING, type Order, RECEIVERS, type Report } from './webhook-receivers.ts'

const { values: options } = parseArgs({ options: { deliveries: { type: 'string', default: '10000' } } })
const DELIVERIES = Number(options.deliveries)
/**
 * In the steady rounds, events come at this share of the burst's rate. At a higher rate, deliveries would wait in the
 * queue.
 */
const STEADY_SHARE = 0.4
const TICK_MS = 5
const WAIT_MS_MAX = 600_000
const BAD = HANGING + FAILING

await withEmptyFolder(async (folder) => {
  const product = await startProduct(folder, { WEBHOOK_ALLOW_PRIVATE: 'true' })
  const receivers = await startReceivers()
  const partners = await insertPartners(product.pool, receivers.urls)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: product.pool }) })

  async function measure(record: () => Promise<void>) {
    const since = new Date().toISOString()
    await record()
    const recordedAt = performance.now()
    await untilDelivered(product.pool, partners.slice(BAD), since)
    const seconds = (performance.now() - recordedAt) / 1_000
    const arrivals = await receivers.report()
    return { seconds, since, arrivals, lost: await countLost(product.pool, partners, since, arrivals) }
  }

  console.log(`${DELIVERIES} deliveries to ${RECEIVERS} receivers in each round\n`)
  const burst = await measure(() => recordAtOnce(db, partners))
  const capacity = DELIVERIES / burst.seconds
  console.log(`all at once, every receiver healthy    ${capacity.toFixed(0)} deliveries/s`)

  const rate = Math.floor(capacity * STEADY_SHARE)
  console.log(`\n${rate} events a second; delay from the event to each of the ${RECEIVERS - BAD} healthy receivers\n`)
  console.log('                                          p50 ms    p99 ms')
  const clean = await measure(() => recordSteadily(db, partners, rate))
  const cleanDelays = printDelays('every receiver is healthy', clean.arrivals)
  receivers.order('misbehave')
  const mixed = await measure(() => recordSteadily(db, partners, rate))
  const mixedDelays = printDelays(`${HANGING} hang and ${FAILING} answer 500`, mixed.arrivals)
  const ratio = mixedDelays.p99 / cleanDelays.p99
  console.log(`\np99 compared with the clean round        ${ratio.toFixed(2)}   goal ≤ 1.5`)

  const lost = burst.lost + clean.lost + mixed.lost
  console.log(`deliveries that a receiver never got     ${lost}   goal 0`)
  const bad = await statusesOf(product.pool, partners.slice(0, BAD), mixed.since)
  console.log(`logged deliveries to the ${BAD} bad receivers ${bad}`)
  console.log(`highest resident memory of the server    ${product.residentMb()} MB`)
  receivers.stop()
  await product.stop()
})

interface Partner {
  id: string
  businessName: string
}

async function startReceivers() {
  const child = fork(join(import.meta.dirname, 'webhook-receivers.ts'))
  const first = await answer(child)
  if (!('urls' in first)) throw new Error('the receivers did not say where they are')
  const order = (what: Order) => child.send(what)
  return {
    urls: first.urls,
    order,
    /** The deliveries that have arrived since the last report. */
    async report(): Promise<Arrival[]> {
      order('report')
      const report = await answer(child)
      return 'arrivals' in report ? report.arrivals : []
    },
    stop: () => child.disconnect(),
  }
}

async function answer(child: ChildProcess): Promise<Report> {
  const [report] = (await once(child, 'message')) as [Report]
  return report
}

async function insertPartners(pool: pg.Pool, urls: string[]): Promise<Partner[]> {
  const partners = urls.map((url, i) => ({ id: randomUUID(), businessName: `Webhook Partner ${i}`, url }))
  for (const { id, businessName, url } of partners) {
    await pool.query(
      `insert into partners (id, business_name, created_at, modified_time, crm) values ($1, $2, now(), now(), 'synced')`,
      [id, businessName],
    )
    await pool.query(
      `insert into webhook_endpoints (partner_id, url, secret, created_at, updated_at) values ($1, $2, $3, now(), now())`,
      [id, url, `whsec_${randomBytes(32).toString('base64')}`],
    )
  }
  return partners
}

async function recordAtOnce(db: Kysely<Tables>, partners: Partner[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (let i = 0; i < DELIVERIES; i++) await recordEvent(tx, eventOf(partners, i))
  })
}

/** Records each event in its own transaction, as the product does, for each partner in turn. */
async function recordSteadily(db: Kysely<Tables>, partners: Partner[], perSecond: number): Promise<void> {
  const startedAt = performance.now()
  const recording: Promise<void>[] = []
  while (recording.length < DELIVERIES) {
    const due = Math.min(DELIVERIES, ((performance.now() - startedAt) / 1_000) * perSecond)
    while (recording.length < due) {
      const event = eventOf(partners, recording.length)
      recording.push(db.transaction().execute((tx) => recordEvent(tx, event)))
    }
    await sleep(TICK_MS)
  }
  await Promise.all(recording)
}

function eventOf(partners: Partner[], i: number): PortalEvent<'lead.created'> {
  const partner = partners[i % partners.length]
  if (!partner) throw new Error('there are no partners')
  return {
    partnerId: partner.id,
    loid: `LO-${String(i).padStart(8, '0')}`,
    type: 'lead.created',
    data: { business_name: partner.businessName, amount: 150_000, status: 'New Lead', submitted_by: null },
    at: new Date().toISOString(),
  }
}

/** Waits until every event has its delivery and the deliveries of these partners have succeeded. */
async function untilDelivered(pool: pg.Pool, partners: Partner[], since: string): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX
  const ids = partners.map((partner) => partner.id)
  while (performance.now() < deadline) {
    const { rows } = await pool.query<{ waiting: boolean }>(
      `select exists (select from events where to_deliver)
           or exists (select from webhook_logs where partner_id = any($1) and created_at >= $2 and status <> 'success') as waiting`,
      [ids, since],
    )
    if (!rows[0]?.waiting) return
    await sleep(50)
  }
  throw new Error('the deliveries did not end')
}

/** The number of events without a delivery plus the number of deliveries that a healthy receiver never got. */
async function countLost(pool: pg.Pool, partners: Partner[], since: string, arrivals: Arrival[]): Promise<number> {
  const { rows } = await pool.query<{ id: string; partner_id: string }>(
    'select id, partner_id from webhook_logs where created_at >= $1',
    [since],
  )
  const arrived = new Set(arrivals.map(({ id, receiver }) => `${partners[receiver]?.id} ${id}`))
  const well = new Set(partners.slice(BAD).map((partner) => partner.id))
  const missing = rows.filter((row) => well.has(row.partner_id) && !arrived.has(`${row.partner_id} ${row.id}`))
  return DELIVERIES - rows.length + missing.length
}

function printDelays(name: string, arrivals: Arrival[]) {
  const delays = arrivals.filter(({ receiver }) => receiver >= BAD).map(({ delayMs }) => delayMs)
  delays.sort((a, b) => a - b)
  const at = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN
  const measured = { p50: at(0.5), p99: at(0.99) }
  console.log(name.padEnd(38) + String(measured.p50).padStart(10) + String(measured.p99).padStart(10))
  return measured
}

/** How many deliveries have each status. None may be a success, because these receivers hang or answer 500. */
async function statusesOf(pool: pg.Pool, partners: Partner[], since: string): Promise<string> {
  const { rows } = await pool.query<{ status: string; count: number }>(
    `select status, count(*)::int as count from webhook_logs where partner_id = any($1) and created_at >= $2 group by status`,
    [partners.map((partner) => partner.id), since],
  )
  if (rows.some((row) => row.status === 'success')) throw new Error('the log calls a failure a success')
  return rows.map(({ status, count }) => `${count} ${status}`).join(', ')
}
