// `npm run bench:hang`: compares, within one run, how fast pages are while the CRM answers and while it hangs. Then
// measures how soon the portal notices a silent database, and how soon everything works again once the database is
// back. `--minutes` is how long the CRM hangs in all (default 1), divided among `--rounds` (default 3). Exits with 1
// when a goal is missed.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../server/src/platform/local/embedded-postgres.ts'
import { openDatabaseProxy } from '../server/src/testing/database-proxy.ts'
import { type LoadedPartner, loadData, newLead } from './load-data.ts'
import { type Product, startProduct, withEmptyFolder } from './product.ts'

const GOALS = { ratio: 1.3, noticedSeconds: 3, backSeconds: 10 }
/** Requests per second for each page except `submit`, at regular intervals, even if earlier requests are unanswered. */
const REQUESTS_PER_SECOND = 25
const SUBMITS_PER_SECOND = 5
/** How long the CRM hangs in a call: longer than the portal waits for any call. */
const HANG_MS = 3_600_000
/** The longest measurement with an answering CRM. It is enough for the comparison, however long the CRM hangs. */
const ANSWERING_SECONDS_MAX = 60
/** New partners per round, each with a lead to push and a sync to run. That makes more jobs than can run at once. */
const NEW_PARTNERS = 12
const WAIT_MS_MAX = 60_000
/** How long the database is silent: first shorter, then longer than the portal keeps an idle connection. */
const SILENCES_SECONDS = [3, 20]
const PAGES = ['list', 'detail', 'dashboard', 'submit'] as const
const DASHBOARD = ['stats', 'pipeline', 'recent-activity']

type Page = (typeof PAGES)[number]
type Latencies = Record<Page, number[]>

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, rounds: { type: 'string', default: '3' } },
})
const rounds = Number(options.rounds)
const roundSeconds = (Number(options.minutes) * 60) / rounds
const met: boolean[] = []
let signedUp = 0
let dashboards = 0

await withEmptyFolder(async (folder) => {
  const log = { debug: () => undefined, warn: (text: string) => console.error(text) }
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { log })
  await using proxy = await openDatabaseProxy(postgres.url)
  const product = await startProduct(folder, { DATABASE_URL: postgres.url, LOG_LEVEL: 'fatal' })
  const partners = await loadData(product)
  await compareHanging(product, partners)
  await product.stop()

  const behindProxy = await startProduct(folder, { DATABASE_URL: proxy.url, LOG_LEVEL: 'fatal' })
  await setFaults(behindProxy, {})
  for (const seconds of SILENCES_SECONDS) await measureSilence(behindProxy, proxy, partners, seconds)
  await behindProxy.stop()
  await postgres.stop()
})
process.exit(met.every(Boolean) ? 0 : 1)

async function compareHanging(product: Product, partners: LoadedPartner[]): Promise<void> {
  const answeringSeconds = Math.min(roundSeconds, ANSWERING_SECONDS_MAX)
  console.log(
    `\nin each of ${rounds} rounds the CRM answers for ${answeringSeconds} s and then hangs for ${roundSeconds} s`,
  )
  const answering: Latencies[] = []
  const hanging: Latencies[] = []
  const refused = { answering: 0, hanging: 0 }
  let notReady = 0
  for (let round = 0; round < rounds; round++) {
    await setFaults(product, {})
    await untilIdle(product)
    const before = await visit(product, partners, answeringSeconds)
    answering.push(before.latencies)
    refused.answering += before.refused
    await setFaults(product, { slowMs: HANG_MS })
    await makeBacklog(product)
    const during = await visit(product, partners, roundSeconds)
    hanging.push(during.latencies)
    refused.hanging += during.refused
    notReady += during.notReady
    console.log(`  round ${round + 1}: ${during.jobs} jobs running or waiting while the CRM hung`)
  }
  console.log('\np99 ms          answering (spread)        hanging (spread)    ratio   goal')
  for (const page of PAGES) {
    const before = p99s(answering, page)
    const during = p99s(hanging, page)
    const ratio = median(during) / median(before)
    const cells = [page.padEnd(12), figures(before), figures(during), ratio.toFixed(2).padStart(9)]
    goal(cells.join(''), `≤ ${GOALS.ratio}`, ratio <= GOALS.ratio)
  }
  const failed = `failed requests: ${refused.answering} while the CRM answered, ${refused.hanging} while it hung`
  goal(failed, `≤ ${refused.answering}`, refused.hanging <= refused.answering)
  goal(`answers of /api/ready other than 200 while the CRM hung: ${notReady}`, '0', notReady === 0)
}

/**
 * Sends requests for all pages at even intervals. Returns their latencies, how many failed, how often the portal was
 * not ready, and how many jobs were running or waiting at the end.
 */
async function visit({ url, pool }: Product, partners: LoadedPartner[], seconds: number) {
  const latencies: Latencies = { list: [], detail: [], dashboard: [], submit: [] }
  const open = new Set<Promise<void>>()
  let notReady = 0
  let refused = 0
  let sent = 0

  function send(page: Page): void {
    const partner = partners[sent++ % partners.length]
    if (!partner) throw new Error('there are no partners')
    const startedAt = performance.now()
    const asked = ask(url, partner, page)
      .catch(() => void refused++)
      .then(() => void latencies[page].push(performance.now() - startedAt))
    open.add(asked)
    void asked.then(() => open.delete(asked))
  }

  async function watchReady(): Promise<void> {
    if ((await fetch(`${url}/api/ready`)).status !== 200) notReady++
  }

  const timers = [
    ...PAGES.map((page) =>
      setInterval(() => send(page), 1_000 / (page === 'submit' ? SUBMITS_PER_SECOND : REQUESTS_PER_SECOND)),
    ),
    setInterval(() => void watchReady(), 1_000),
  ]
  await sleep(seconds * 1_000)
  for (const timer of timers) clearInterval(timer)
  await Promise.all(open)
  const { rows } = await pool.query<{ jobs: number }>(
    "select count(*)::int as jobs from jobs.job where state in ('created', 'retry', 'active')",
  )
  return { latencies, refused, notReady, jobs: rows[0]?.jobs ?? 0 }
}

async function ask(url: string, partner: LoadedPartner, page: Page): Promise<void> {
  if (page === 'submit') return call(`${url}/api/dashboard/leads`, partner.token, partner.newLead)
  if (page === 'list') return call(`${url}/api/dashboard/leads`, partner.token)
  if (page === 'detail') return call(`${url}/api/crm/lead/${partner.loid}`, partner.token)
  return call(`${url}/api/dashboard/${DASHBOARD[dashboards++ % DASHBOARD.length]}`, partner.token)
}

/** Signs up partners that the CRM does not know yet. Each has a lead to push and a sync under way. */
async function makeBacklog({ url }: Product): Promise<void> {
  for (let i = 0; i < NEW_PARTNERS; i++) {
    const account = { email: `new${++signedUp}@example.com`, password: 'a-password-for-the-bench' }
    await post(`${url}/api/auth/signup`, { ...account, businessName: `New Partner ${signedUp}` })
    const { token } = (await post(`${url}/api/auth/login`, account)) as { token: string }
    await call(`${url}/api/dashboard/leads`, token, newLead(signedUp))
    call(`${url}/api/dashboard/sync-leads`, token, {}).catch(() => undefined)
  }
}

/** Waits until no job is running, but for a minute at most. */
async function untilIdle({ pool }: Product): Promise<void> {
  for (let look = 0; look < 120; look++) {
    const { rowCount } = await pool.query("select from jobs.job where state = 'active' limit 1")
    if (rowCount === 0) return
    await sleep(500)
  }
}

async function measureSilence(
  product: Product,
  proxy: Awaited<ReturnType<typeof openDatabaseProxy>>,
  partners: LoadedPartner[],
  seconds: number,
): Promise<void> {
  const [partner] = partners
  if (!partner) throw new Error('there are no partners')
  await untilIdle(product)
  // Makes the portal open connections, as in normal use.
  await visit(product, partners, 3)
  const silentAt = performance.now()
  proxy.fallSilent()
  const pages = Promise.allSettled(PAGES.flatMap((page) => partners.map((one) => ask(product.url, one, page))))
  while ((await fetch(`${product.url}/api/ready`)).status === 200) await sleep(100)
  const noticed = (performance.now() - silentAt) / 1_000
  const name = `silent for ${seconds} s`
  goal(
    `${name}: /api/ready answers 503 after ${noticed.toFixed(1)} s`,
    `≤ ${GOALS.noticedSeconds} s`,
    noticed <= GOALS.noticedSeconds,
  )

  await sleep(Math.max(0, seconds * 1_000 - (performance.now() - silentAt)))
  const backAt = performance.now()
  proxy.passNew()
  while (!(await isAllWell(product, partner)) && performance.now() < backAt + WAIT_MS_MAX) await sleep(100)
  const back = (performance.now() - backAt) / 1_000
  goal(
    `${name}: everything works ${back.toFixed(1)} s after the database came back`,
    `≤ ${GOALS.backSeconds} s`,
    back <= GOALS.backSeconds,
  )
  await pages
}

/** Whether the portal is ready, every page answers, and a new lead reaches the CRM. */
async function isAllWell({ url }: Product, partner: LoadedPartner): Promise<boolean> {
  try {
    await call(`${url}/api/ready`, partner.token)
    await Promise.all(PAGES.filter((page) => page !== 'submit').map((page) => ask(url, partner, page)))
    const headers = { authorization: `Bearer ${partner.token}` }
    const { data } = (await post(`${url}/api/dashboard/leads`, partner.newLead, headers)) as { data: { loid: string } }
    for (let look = 0; look < 100; look++) {
      const answer = await fetch(`${url}/api/crm/lead/${data.loid}`, { headers })
      const body = (await answer.json()) as { data?: { lead: { crm: string } } }
      if (!answer.ok) return false
      if (body.data?.lead.crm === 'synced') return true
      await sleep(50)
    }
    return false
  } catch {
    return false
  }
}

async function call(url: string, token: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  if (body) return void (await post(url, body, headers))
  const response = await fetch(url, { headers })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

async function setFaults({ crmUrl }: Product, faults: object): Promise<void> {
  await post(`${crmUrl}/sandbox/faults`, faults)
}

function p99s(rounds: Latencies[], page: Page): number[] {
  const p99 = (sorted: number[]) => sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
  return rounds.map((round) => p99(round[page].toSorted((a, b) => a - b))).toSorted((a, b) => a - b)
}

function median(sorted: number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function figures(sorted: number[]): string {
  const spread = `(${sorted[0]?.toFixed(1)}–${sorted.at(-1)?.toFixed(1)})`
  return `${median(sorted).toFixed(1).padStart(9)} ${spread.padStart(14)}`
}

function goal(text: string, wanted: string, isMet: boolean): void {
  met.push(isMet)
  console.log(`${text}   ${wanted}: ${isMet ? 'met' : 'missed'}`)
}
