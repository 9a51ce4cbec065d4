// `npm run bench`: compares the product with the bare database driver. Exits with 1 if a goal is missed in every round.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../server/src/platform/db/database.ts'
import {
  asBrowser,
  bearer,
  type HttpRequest,
  jobsEnd,
  type Load,
  loadOverHttp,
  loadPipelined,
  loadWithPool,
  type Measured,
} from './load.ts'
import { DEALS, LEADS, type LoadedPartner, loadData, PARTNERS } from './load-data.ts'
import { type Product, startProduct, withEmptyFolder } from './product.ts'
import { type RecordedCall, recordCreate, recordDetail, recordList, recordSearch } from './recorded-statements.ts'
import { atLeast, atMost, column, type Goal, judge, ratios, show } from './rounds.ts'

const LOAD: Load = { concurrency: 16, seconds: 2 }
const ROUNDS = 9
const SECOND_STARTS = 5
const BETWEEN_ROUNDS_MS = 300
const STATEMENT_MS_MAX = 60_000

interface Server {
  product: Product
  partners: LoadedPartner[]
  /** The bare driver's pool, with a connection for each of the load's concurrent callers. */
  driver: Database
}

const SECOND_START_S = atMost(1.5)
const RESIDENT_MB = atMost(230)

interface Question {
  name: string
  /** The statements that the product sends for this request, one call for each partner. */
  calls: RecordedCall[]
  request(partner: LoadedPartner): HttpRequest
  isWrite?: boolean
  goals: { ofThePool?: Goal; p99Ms?: Goal }
}

/** Speeds are compared with the bare driver's in the same run, because machines are noisy and ratios are not. */
await withEmptyFolder(async (folder) => {
  const own = await startLoaded(join(folder, 'own'))
  const { pool } = own.product

  const rounds = `${LOAD.concurrency} at once, ${ROUNDS} rounds of ${LOAD.seconds} s each, all in turn`
  console.log(`\n${rounds}; in brackets the lowest and the highest round`)
  await ask(own, {
    name: 'first page of leads',
    calls: await recordList(pool, own.partners),
    request: (partner) => ({ path: '/api/dashboard/leads', headers: bearer(partner) }),
    goals: { ofThePool: atLeast(0.5) },
  })
  await ask(own, {
    name: 'a lead’s detail',
    calls: await recordDetail(pool, own.partners),
    request: (partner) => ({ path: `/api/crm/lead/${partner.loid}`, headers: bearer(partner) }),
    goals: { ofThePool: atLeast(0.5) },
  })
  await ask(own, {
    name: 'search',
    calls: await recordSearch(pool, own.partners),
    request: (partner) => ({
      path: `/api/crm/search?q=${encodeURIComponent(partner.words)}`,
      headers: bearer(partner),
    }),
    goals: { p99Ms: atMost(20) },
  })
  await ask(own, {
    name: 'creating a lead',
    calls: await recordCreate(pool, own.partners),
    request: (partner) => ({
      path: '/api/dashboard/leads',
      method: 'POST',
      headers: { ...bearer(partner), 'content-type': 'application/json' },
      body: JSON.stringify(partner.newLead),
    }),
    isWrite: true,
    goals: {},
  })

  console.log('\nhighest resident memory of the server under load')
  judge('MB', [own.product.residentMb()], 0, RESIDENT_MB)
  await stop(own)
})

async function stop({ product, driver }: Server): Promise<void> {
  await driver.close()
  await product.stop()
}

async function startLoaded(folder: string): Promise<Server> {
  let product = await startProduct(folder)
  console.log('first start, to ready')
  judge('s', [product.startMs / 1_000], 2)
  console.log(`loading ${PARTNERS} partners, ${LEADS} leads, ${DEALS} deals …`)
  const partners = await loadData(product)

  const starts: number[] = []
  for (let i = 0; i < SECOND_STARTS; i++) {
    await product.stop()
    product = await startProduct(folder)
    starts.push(product.startMs / 1_000)
  }
  console.log('second start, to ready')
  judge('s', starts, 2, SECOND_START_S)
  return { product, partners, driver: openDriver(product) }
}

function openDriver({ databaseUrl }: Product): Database {
  const limits = { connectionsMax: LOAD.concurrency, statementMsMax: STATEMENT_MS_MAX }
  return openDatabase(databaseUrl, () => undefined, limits)
}

async function ask(own: Server, question: Question): Promise<void> {
  const { name, calls, request, isWrite, goals } = question
  const browser: Measured[] = []
  const plain: Measured[] = []
  const pool: Measured[] = []
  const pipelined: Measured[] = []
  // The first round warms up and does not count. Figures that are compared with each other are measured close together.
  for (let round = 0; round <= ROUNDS; round++) {
    browser.push(await overHttp(own, (partner) => asBrowser(request(partner))))
    pool.push(await loadWithPool(own.driver.pool, calls, LOAD))
    // A transaction cannot run on a connection where other statements come in between.
    if (!isWrite) pipelined.push(await loadPipelined(own.product.databaseUrl, calls, LOAD))
    plain.push(await overHttp(own, request))
  }
  for (const rounds of [browser, plain, pool, pipelined]) rounds.shift()

  console.log(`\n${name.padEnd(28)}per second                p50 ms   p99 ms   CPU ms a request`)
  show('as a browser', browser)
  show('without accept-encoding', plain)
  show('bare driver, its pool', pool)
  show('bare driver, pipelined', pipelined)
  judge('of the pool', ratios(browser, pool, 'perSecond'), 2, goals.ofThePool)
  if (!isWrite) judge('of the pipelined', ratios(browser, pipelined, 'perSecond'), 2)
  if (goals.p99Ms) judge('ms p99', column(browser, 'p99'), 0, goals.p99Ms)
}

async function overHttp({ product, partners }: Server, request: (partner: LoadedPartner) => HttpRequest) {
  const measured = await loadOverHttp(product, partners.map(request), LOAD)
  await jobsEnd(product)
  await sleep(BETWEEN_ROUNDS_MS)
  return measured
}
