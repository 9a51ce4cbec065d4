// `npm run bench:capacity`: the CPU time that each kind of work costs the portal's process and PostgreSQL, and the
// memory of a process and a connection. Other programs on the machine hardly change the CPU times.
// docs/operations.md uses the figures.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHANGES_MAX } from '@portal/contract/limits.ts'
import autocannon from 'autocannon'
import { Kysely, PostgresDialect } from 'kysely'
import type { Tables } from '../server/src/platform/db/tables.ts'
import type { AnyEvent } from '../server/src/records/events/event-data.ts'
import { recordEvents } from '../server/src/records/events/events.ts'
import type { ReadersOrder, ReadersReport } from './live-readers.ts'
import { bearer, type HttpRequest, jobsEnd } from './load.ts'
import { DEALS, LEADS, type LoadedPartner, loadData, PARTNERS } from './load-data.ts'
import { type Product, startProduct, withEmptyFolder } from './product.ts'

const AT_ONCE = 8
const READS = 2_000
const SUBMITTED = 300
const EVENTS = 2_000
const FEED_PAGES = 10_000
const FEED_PAGE = 10
const DEEP_PAGE_RATIO_MAX = 1.2
const EVENTS_IN_A_TRANSACTION = 10
const STREAMS_A_PARTNER = 10
const SETTLE_MS = 10_000
const IDLE_SECONDS = 20
const WAIT_MS_MAX = 120_000
const DASHBOARD = ['stats', 'recent-activity', 'pipeline', 'trends', 'news', 'attention']

await withEmptyFolder(async (folder) => {
  const product = await startProduct(folder, { LOG_LEVEL: 'error', WEBHOOK_ALLOW_PRIVATE: 'true' })
  console.log(`${PARTNERS} partners, ${LEADS} leads, ${DEALS} deals\n`)
  const partners = await loadData(product)
  await jobsEnd(product)

  console.log('ms of CPU time'.padEnd(58), 'portal  PostgreSQL')
  await sleep(SETTLE_MS)
  const idle = await measure(product, () => sleep(1_000 * IDLE_SECONDS))
  const idleOfSecond = idle.ms.map((ms) => ms / idle.seconds)
  print('one second without callers (subtracted below)', idleOfSecond)
  await read('first page of leads', () => ['/api/dashboard/leads'])
  await read('leads of one status', () => ['/api/dashboard/leads?status=Contacted'])
  await read('a lead’s detail', ({ loid }) => [`/api/crm/lead/${loid}`])
  await read('search', ({ words }) => [`/api/crm/search?q=${encodeURIComponent(words)}`])
  await read('the dashboard, six calls', () => DASHBOARD.map((name) => `/api/dashboard/${name}`))
  await cost('submitting a lead, its event and push included', SUBMITTED, async () => {
    await load(product, SUBMITTED, partners.map(submission))
    await jobsEnd(product)
  })

  await measureFeed(product, partners, cost)
  await cost('an event without open pages or endpoints', EVENTS, () => record(product, partners))
  const readers = fork(join(import.meta.dirname, 'live-readers.ts'))
  const report = async (order: ReadersOrder | 'report'): Promise<ReadersReport> => {
    readers.send(order)
    const [answer] = (await once(readers, 'message')) as [ReadersReport]
    return answer
  }
  await report({ url: product.url, tokens: partners.map(({ token }) => token), perToken: STREAMS_A_PARTNER })
  await cost(`an event sent to ${STREAMS_A_PARTNER} open pages`, EVENTS, () => record(product, partners))
  readers.disconnect()
  await once(readers, 'exit')
  await measureDeliveries(product, partners, cost)

  console.log(`\nhighest resident memory of the portal: ${product.residentMb()} MB`)
  console.log(`unshared memory of one connection to PostgreSQL: ${(product.connectionKb() / 1_024).toFixed(1)} MB`)
  await product.stop()

  async function cost(name: string, count: number, work: () => Promise<unknown>): Promise<number[]> {
    const { ms, seconds } = await measure(product, work)
    const ofOne = ms.map((all, i) => (all - seconds * (idleOfSecond[i] ?? 0)) / count)
    print(name, ofOne)
    return ofOne
  }

  /** Makes the calls of each partner in turn, `READS` times in all. Prints the cost of one partner's calls. */
  async function read(name: string, pathsOf: (partner: LoadedPartner) => string[]): Promise<void> {
    const requests = partners.flatMap((partner) =>
      pathsOf(partner).map((path) => ({ path, headers: { ...bearer(partner), 'accept-encoding': 'gzip, br' } })),
    )
    const calls = requests.length / partners.length
    // This first run compiles code and plans queries. That happens once, so it is not part of a call's cost.
    await load(product, calls * READS, requests)
    await cost(name, READS, () => load(product, calls * READS, requests))
  }
})

/** Prints and returns the cost of one unit of work, such as a call. `work` does `count` of them. */
type Cost = (name: string, count: number, work: () => Promise<unknown>) => Promise<number[]>

/** Reads the feed of one partner, whose leads all changed at one instant, at its first and its ten-thousandth page. */
async function measureFeed(product: Product, partners: LoadedPartner[], cost: Cost): Promise<void> {
  const [partner] = partners
  if (!partner) throw new Error('nobody has signed in')
  const { api_key } = await ask(product, '/dashboard/api-keys', partner, { name: 'Bench', rights: ['read'] })
  const reader = { token: api_key }
  const follow = (begin: string, count: number) => followFeed(product, reader, begin, count)
  const first = await follow('', Number.POSITIVE_INFINITY)
  await product.pool.query(
    `insert into leads (id, partner_id, loid, business_name, lead_status, created_at, modified_time, crm)
     select gen_random_uuid(), $1, 'LO-F' || lpad(upper(to_hex(i)), 7, '0'), 'Deep ' || i, 'New Lead', now(), now(), 'synced'
       from generate_series(1, $2::int) i`,
    [partner.id, FEED_PAGES * FEED_PAGE + FEED_PAGE],
  )
  await product.pool.query('vacuum (analyze) leads, record_changes')
  const deep = await follow(first, (FEED_PAGES - 1) * FEED_PAGE)
  const { events } = await ask(product, feedAddress(deep, FEED_PAGE), reader)
  if (events.length !== FEED_PAGE) throw new Error('the feed is not as deep as the changes')
  const costs: number[] = []
  for (const [name, since] of [
    ['first', first],
    [`${FEED_PAGES.toLocaleString('en')}th`, deep],
  ] as const) {
    const requests = [{ path: `/api${feedAddress(since, FEED_PAGE)}`, headers: bearer(reader) }]
    await load(product, READS, requests)
    const ms = await cost(`the ${name} page of the feed, ${FEED_PAGE} changes`, READS, () =>
      load(product, READS, requests),
    )
    costs.push(ms.reduce((sum, one) => sum + one))
  }
  const [atFirst = Number.NaN, atDepth = Number.NaN] = costs
  const ratio = atDepth / atFirst
  const verdict = ratio <= DEEP_PAGE_RATIO_MAX ? 'met' : 'missed'
  console.log(
    `  ${ratio.toFixed(2)} times the first page, portal and PostgreSQL together (goal ${DEEP_PAGE_RATIO_MAX}, ${verdict})`,
  )
}

async function measureDeliveries(product: Product, partners: LoadedPartner[], cost: Cost): Promise<void> {
  let arrived = 0
  const receiver = createServer((request, response) => {
    arrived += 1
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  for (const partner of partners) {
    const answer = await fetch(`${product.url}/api/dashboard/webhook-url`, {
      method: 'PUT',
      headers: { ...bearer(partner), 'content-type': 'application/json' },
      body: JSON.stringify({ webhook_url: `http://127.0.0.1:${port}/hook` }),
    })
    if (!answer.ok) throw new Error(`the portal answered ${answer.status} to a webhook URL`)
  }
  await cost('an event with its delivery to an endpoint', EVENTS, async () => {
    await record(product, partners)
    const deadline = performance.now() + WAIT_MS_MAX
    while (arrived < EVENTS && performance.now() < deadline) await sleep(100)
  })
  if (arrived < EVENTS) throw new Error(`${EVENTS - arrived} deliveries did not arrive`)
  receiver.closeAllConnections()
  receiver.close()
}

function feedAddress(since: string, limit: number): string {
  return `/partner/events?limit=${limit}${since && `&since=${since}`}`
}

/** Reads so many changes. Returns where the next read begins. */
async function followFeed(product: Product, reader: { token: string }, begin: string, count: number): Promise<string> {
  let since = begin
  for (let left = count; left > 0; left -= CHANGES_MAX) {
    const page = await ask(product, feedAddress(since, Math.min(left, CHANGES_MAX)), reader)
    since = page.cursor
    if (!page.has_more) break
  }
  return since
}

/** The CPU time that the portal and PostgreSQL use during the work. */
async function measure(product: Product, work: () => Promise<unknown>): Promise<{ ms: number[]; seconds: number }> {
  const startedAt = performance.now()
  const before = [product.cpuMs(), product.postgresCpuMs()]
  await work()
  const ms = [product.cpuMs(), product.postgresCpuMs()].map((now, i) => now - (before[i] ?? 0))
  return { ms, seconds: (performance.now() - startedAt) / 1_000 }
}

function print(name: string, ms: number[]): void {
  console.log(name.padEnd(58), ...ms.map((one) => one.toFixed(2).padStart(8)))
}

async function load({ url }: Product, amount: number, requests: HttpRequest[]): Promise<void> {
  const { non2xx, errors } = await autocannon({ url, connections: AT_ONCE, amount, requests })
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were errors, ${errors} calls got no answer`)
}

function submission(partner: LoadedPartner): HttpRequest {
  return {
    path: '/api/dashboard/leads',
    method: 'POST',
    headers: { ...bearer(partner), 'content-type': 'application/json' },
    body: JSON.stringify(partner.newLead),
  }
}

/** What the answers about the feed have, together. */
interface Fed {
  api_key: string
  cursor: string
  has_more: boolean
  events: object[]
}

async function ask({ url }: Product, path: string, caller: { token: string }, body?: object): Promise<Fed> {
  const answer = await fetch(`${url}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...bearer(caller), ...(body && { 'content-type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null,
  })
  if (!answer.ok) throw new Error(`the portal answered ${answer.status} to ${path}`)
  return ((await answer.json()) as { data: Fed }).data
}

async function record(product: Product, partners: LoadedPartner[]): Promise<void> {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: product.pool }) })
  const data = { business_name: 'Okafor Freight', amount: null, status: 'New Lead' }
  for (let recorded = 0; recorded < EVENTS; recorded += EVENTS_IN_A_TRANSACTION) {
    const events = Array.from({ length: EVENTS_IN_A_TRANSACTION }, (_, i): AnyEvent => {
      const partnerId = partners[(recorded + i) % partners.length]?.id ?? ''
      return { partnerId, loid: 'LO-00000000', type: 'lead.created', data, at: new Date().toISOString() }
    })
    await db.transaction().execute((tx) => recordEvents(tx, events))
  }
  await jobsEnd(product)
}
