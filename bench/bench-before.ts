// `npm run bench:before -- <commit>`: the CPU time of calls at a million leads, portal and PostgreSQL together, compared
// with an earlier commit. Exits with 1 if a goal is missed in every round.
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { loidFromBytes } from '../contract/src/loid.ts'
import { searchColumns } from '../server/src/platform/db/search-columns.ts'
import { jobsEnd } from './load.ts'
import { newLead } from './load-data.ts'
import { cloneAt, type Product, startProduct, withEmptyFolder } from './product.ts'
import { loadScaleData } from './scale-data.ts'
import { type BigPartner, QUESTIONS, type Question, signIn } from './scale-questions.ts'

const LEADS = 1_000_000
const ROUNDS = 5
/** How often each call is made in a round. */
const CALLS = 100
const LEADS_SUBMITTED = 100
const ROWS_INSERTED = 10_000
const ROWS_AT_ONCE = 500
/** Within this time after a push, the CRM's notification of it comes and becomes a job. */
const NOTIFIED_MS = 3_000
/** The earlier commit runs at the same time on these ports. */
const BEFORE_PORTS = { PORT: '3421', CRM_PORT: '3921' }
/** A kept folder has the writers of former runs. */
const writer = `writer-${Date.now()}`
const WRITER = { email: `${writer}@example.com`, password: 'a-password-for-the-bench', businessName: writer }

/** The goals: CPU of the present code as a ratio to the earlier commit's. */
const LIST_MAX = 1.05
/** A list's search tells a total (D80), which earlier commits may not count, so that only the search page has a goal. */
const SEARCH_MAX = 1.1
const INSERT_MAX = 0.9
const SUBMIT_MAX = 0.6

interface Version {
  product: Product
  partner: BigPartner
  /** Whether the portal computes what a search reads. In the earlier commit, PostgreSQL may do it. */
  writesSearchColumns: boolean
}

/** Does something several times and returns the CPU milliseconds that one time took. */
type Measure = (version: Version) => Promise<number>

/** What a round measured, in CPU milliseconds. */
interface Round {
  before: number
  now: number
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  // A folder that keeps the loaded databases and the earlier commit for the next run.
  options: { data: { type: 'string' } },
})
const [commit] = positionals
if (commit === undefined) throw new Error('Name the earlier commit: npm run bench:before -- <commit>')

if (options.data) await compare(options.data, commit)
else await withEmptyFolder((folder) => compare(folder, commit))

async function compare(folder: string, commit: string): Promise<void> {
  const clone = join(folder, 'a clone')
  if (!existsSync(clone)) cloneAt(commit, clone)
  // Only the earlier commit's own loader fits its tables. The first start installs what that loader needs.
  await (await startProduct(join(folder, 'empty'), BEFORE_PORTS, clone)).stop()
  const loaderThen: typeof import('./scale-data.ts') = await import(join(clone, 'bench/scale-data.ts'))
  await loadOnce(join(folder, 'before'), loaderThen.loadScaleData)
  await loadOnce(join(folder, 'now'), loadScaleData)
  const before = await start(join(folder, 'before'), BEFORE_PORTS, clone)
  const now = await start(join(folder, 'now'))
  try {
    await compareVersions(before, now)
  } finally {
    await before.product.stop()
    await now.product.stop()
  }
}

async function loadOnce(folder: string, load: typeof loadScaleData): Promise<void> {
  // The mark is written last, so that an interrupted load does not count as loaded.
  const mark = join(folder, 'loaded')
  if (existsSync(mark)) return
  console.log(`loading ${LEADS.toLocaleString('en')} leads …`)
  await load(folder, LEADS, console.log)
  await writeFile(mark, '')
}

async function start(folder: string, settings?: Record<string, string>, root?: string): Promise<Version> {
  const product = await startProduct(folder, settings, root)
  // The first start after a load computes the usual times of all partners, for a minute.
  await jobsEnd(product)
  const { rowCount } = await product.pool.query(
    "select from information_schema.columns where table_name = 'leads' and column_name = 'search_fold'",
  )
  return { product, partner: await signIn(product), writesSearchColumns: rowCount === 1 }
}

async function compareVersions(before: Version, now: Version): Promise<void> {
  console.log(`\nCPU of a call, portal and PostgreSQL together; medians of ${ROUNDS} rounds in turn`)
  console.log(`${''.padEnd(44)} before ms    now ms  ratio (lowest to highest)`)
  const inTurn = async (name: string, measure: Measure, goal?: number) => {
    const rounds: Round[] = []
    // The first round warms up and does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      rounds.push({ before: await measure(before), now: await measure(now) })
    }
    rounds.shift()
    show(name, rounds, goal)
    return rounds
  }

  const named = (pattern: RegExp) => QUESTIONS.filter(({ name }) => pattern.test(name))
  for (const question of named(/^(leads|deals), first page$|^a lead’s detail$/)) {
    await inTurn(question.name, call(question), LIST_MAX)
  }
  const searches: Round[][] = []
  for (const question of named(/^search, /)) searches.push(await inTurn(question.name, call(question)))
  show('a search, mean of these kinds', meanOf(searches), SEARCH_MAX)
  for (const question of named(/^leads list, /)) await inTurn(question.name, call(question))
  await inTurn('a row inserted', insertRows, INSERT_MAX)
  await Promise.all([signUpWriter(before), signUpWriter(now)])
  await inTurn('a lead submitted, with push and echo', submitLeads, SUBMIT_MAX)
}

function call(question: Question): Measure {
  return async ({ product, partner }) => {
    const paths = question.paths(partner.sample)
    const startedAt = cpuMs(product)
    for (let i = 0; i < CALLS; i++) await partner.get(paths[i % paths.length] ?? '')
    return (cpuMs(product) - startedAt) / CALLS
  }
}

/**
 * Inserts leads that are like other leads, as a sync inserts what the CRM has. This process does the portal's part of
 * the work, so its CPU time counts.
 */
async function insertRows({ product, writesSearchColumns }: Version): Promise<number> {
  const { rows: columns } = await product.pool.query<{ names: string }>(
    `select string_agg(column_name, ', ') as names from information_schema.columns
      where table_name = 'leads' and column_name <> 'id' and is_generated = 'NEVER'`,
  )
  const names = columns[0]?.names ?? ''
  const { rows: leads } = await product.pool.query<{ id: string; partner_id: string }>(
    `select uuidv7() as id, ${names} from leads tablesample bernoulli (2) limit ${ROWS_INSERTED}`,
  )
  const startedAt = cpuMs(product)
  const own = process.cpuUsage()
  for (let i = 0; i < leads.length; i += ROWS_AT_ONCE) {
    const rows = leads.slice(i, i + ROWS_AT_ONCE).map((lead) => {
      const row = { ...lead, loid: loidFromBytes(randomBytes(8)), zoho_id: randomUUID() }
      return writesSearchColumns ? { ...row, ...searchColumns('leads', row) } : row
    })
    await product.pool.query(
      `insert into leads (id, ${names}) select id, ${names} from json_populate_recordset(null::leads, $1::json)`,
      [JSON.stringify(rows)],
    )
  }
  const { user, system } = process.cpuUsage(own)
  return (cpuMs(product) - startedAt + (user + system) / 1_000) / leads.length
}

async function signUpWriter({ product: { url, pool } }: Version): Promise<void> {
  await post(`${url}/api/auth/signup`, WRITER)
  await pool.query('update people set email_verified = true where email = $1', [WRITER.email])
}

async function submitLeads({ product }: Version): Promise<number> {
  const { token } = (await post(`${product.url}/api/auth/login`, WRITER)) as { token: string }
  await jobsEnd(product)
  const startedAt = cpuMs(product)
  for (let i = 0; i < LEADS_SUBMITTED; i++) await post(`${product.url}/api/dashboard/leads`, newLead(i), token)
  await jobsEnd(product)
  await sleep(NOTIFIED_MS)
  await jobsEnd(product)
  return (cpuMs(product) - startedAt) / LEADS_SUBMITTED
}

async function post(url: string, body: object, token?: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

function cpuMs(product: Product): number {
  return product.cpuMs() + product.postgresCpuMs()
}

/** The means of several calls in each round. */
function meanOf(calls: Round[][]): Round[] {
  const mean = (round: number, version: keyof Round) =>
    calls.reduce((sum, rounds) => sum + (rounds[round]?.[version] ?? Number.NaN), 0) / calls.length
  return Array.from({ length: ROUNDS }, (_, round) => ({ before: mean(round, 'before'), now: mean(round, 'now') }))
}

function show(name: string, rounds: Round[], goal?: number): void {
  const ratios = rounds.map(({ before, now }) => now / before).toSorted((a, b) => a - b)
  const ratio = median(ratios)
  const isMissed = goal !== undefined && !ratios.some((one) => one <= goal)
  if (isMissed) process.exitCode = 1
  const verdict = isMissed ? 'missed' : goal !== undefined && ratio > goal ? 'within the spread' : 'met'
  const cells = [
    name.padEnd(44),
    median(rounds.map(({ before }) => before))
      .toFixed(3)
      .padStart(10),
    median(rounds.map(({ now }) => now))
      .toFixed(3)
      .padStart(10),
    `  ${ratio.toFixed(2)} (${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)})`,
    goal === undefined ? '' : `  goal ≤ ${goal}: ${verdict}`,
  ]
  console.log(cells.join(''))
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
