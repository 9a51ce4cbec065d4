// `npm run bench:directus`: the product's calls beside those of Directus, on the same PostgreSQL and with the same data.
// Exits with 1 if a goal is missed in every round.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Directus, FIELDS, installDirectus, startDirectus } from './directus.ts'
import { asBrowser, bearer, type HttpRequest, type Load, loadOverHttp, type Measured } from './load.ts'
import { LEADS, type LoadedPartner, loadData, PARTNERS, removeCreated, signInPartners } from './load-data.ts'
import { type Product, startProduct, withEmptyFolder } from './product.ts'
import { atLeast, atMost, column, type Goal, judge, median, ratios, show } from './rounds.ts'

const LOAD: Load = { concurrency: 16, seconds: 2 }
/** V8 goes on compiling what is called often for about twenty seconds. */
const WARM_UP: Load = { ...LOAD, seconds: 20 }
const ROUNDS = 7
const BETWEEN_ROUNDS_MS = 300
/** Calls that come whether earlier ones are answered or not, at half of what the portal can answer. */
const OPEN: Load = { concurrency: 64, seconds: 10 }
const OPEN_ROUNDS = 3
const ROWS = 20
const NOTES_OF_LEAD = 3
const STATUSES_OF_LEAD = 4

interface Server {
  url: string
  /** The CPU time of the server and of PostgreSQL. */
  cpuMs(): number
}

interface Question {
  name: string
  /** The calls of the portal and of Directus that answer the same. */
  portal(partner: LoadedPartner): HttpRequest[]
  directus(partner: LoadedPartner): HttpRequest[]
  goal?: Goal
  /** For the milliseconds in which 99 of 100 calls are answered at half of the capacity. */
  openGoal?: Goal
}

const QUESTIONS: Question[] = [
  {
    name: 'first page of leads',
    portal: (partner) => [read(partner, '/api/dashboard/leads')],
    directus: (partner) => [items(partner, 'leads', { limit: String(ROWS) })],
    goal: atLeast(10),
    openGoal: atMost(60),
  },
  {
    name: 'a lead with its notes',
    portal: (partner) => [read(partner, `/api/crm/lead/${partner.loid}`)],
    directus: (partner) => [lead(partner, 'notes', 'requests')],
    goal: atLeast(18),
  },
  {
    name: 'a lead with its notes and history',
    portal: (partner) => [
      read(partner, `/api/crm/lead/${partner.loid}`),
      read(partner, `/api/crm/lead/${partner.loid}/status-history`),
    ],
    directus: (partner) => [lead(partner, 'notes', 'requests', 'history')],
  },
  {
    name: 'search',
    portal: (partner) => [read(partner, `/api/crm/search?q=${encodeURIComponent(partner.words)}`)],
    directus: (partner) =>
      (['leads', 'deals'] as const).map((table) => items(partner, table, { search: partner.words, limit: '50' })),
    goal: atLeast(6.5),
    openGoal: atMost(120),
  },
  {
    name: 'creating a lead, not pushed yet',
    portal: (partner) => [create('/api/dashboard/leads', partner.token, partner.newLead)],
    directus: (partner) => [create('/items/leads?fields=id,loid,lead_status,crm', partner.id, rowOf(partner))],
    goal: atLeast(2.5),
  },
]

const { values: options } = parseArgs({
  options: {
    // Folders that keep the loaded database and Directus for the next run.
    data: { type: 'string' },
    directus: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})

const asked = QUESTIONS.filter(({ name }) => name.includes(options.only))
if (asked.length === 0)
  throw new Error(`--only=${options.only} names no call: ${QUESTIONS.map(({ name }) => name).join(', ')}`)
if (options.data) await compare(options.data)
else await withEmptyFolder(compare)

async function compare(folder: string): Promise<void> {
  const directusFolder = options.directus ?? join(folder, 'directus')
  installDirectus(directusFolder)
  await loadOnce(folder)
  // Without a worker, nothing is pushed.
  const product = await startProduct(join(folder, 'portal'), { ROLE: 'web', LOG_LEVEL: 'error' })
  try {
    await removeCreated(product, 'leads')
    await product.pool.query(`delete from jobs.job where state = 'created'`)
    const partners = await signInPartners(product)
    const directus = await startDirectus(directusFolder, product, partners)
    try {
      await askInTurn(product, directus, partners)
    } finally {
      await directus.stop()
    }
  } finally {
    await product.stop()
  }
}

async function askInTurn(product: Product, directus: Directus, partners: LoadedPartner[]): Promise<void> {
  const rounds = `${LOAD.concurrency} at once, ${ROUNDS} rounds of ${LOAD.seconds} s in turn`
  console.log(`\n${LEADS} leads of ${PARTNERS} partners; ${rounds}`)
  const withPostgres = ({ url, cpuMs }: Server) => ({ url, cpuMs: () => cpuMs() + product.postgresCpuMs() })
  for (const question of asked) await ask(question, withPostgres(product), withPostgres(directus), partners)
}

async function loadOnce(folder: string): Promise<void> {
  // The mark is written last, so that an interrupted load does not count as loaded.
  const mark = join(folder, 'loaded')
  if (existsSync(mark)) return
  console.log('loading …')
  const product = await startProduct(join(folder, 'portal'))
  const partners = await loadData(product)
  await insertWhatHappened(product, partners)
  await product.stop()
  await writeFile(mark, '')
}

/** Gives each lead of the partners that make the calls the same number of notes and statuses. */
async function insertWhatHappened({ pool }: Product, partners: LoadedPartner[]): Promise<void> {
  const ids = partners.map(({ id }) => id)
  await pool.query(
    `insert into notes (id, partner_id, loid, written_on, title, content, created_by, created_at, crm, is_from_crm)
     select gen_random_uuid(), partner_id, loid, 'lead', 'Call ' || i, 'The applicant sends the statements of the bank on Friday.',
            'Priya Nair', created_at + i * interval '1 minute', 'synced', true
       from leads, generate_series(1, $2) i where partner_id = any($1)`,
    [ids, NOTES_OF_LEAD],
  )
  await pool.query(
    `insert into history_entries (id, partner_id, kind, loid, value, changed_time, changed_by, origin)
     select gen_random_uuid(), partner_id, 'lead-status', loid, (array['New Lead', 'Attempting To Contact', 'Contacted', 'Pre Qualified'])[i],
            created_at + i * interval '1 minute', 'Priya Nair', 'observed'
       from leads, generate_series(1, $2) i where partner_id = any($1)`,
    [ids, STATUSES_OF_LEAD],
  )
  await pool.query('vacuum (analyze) notes, history_entries')
}

async function ask(question: Question, portal: Server, directus: Server, partners: LoadedPartner[]): Promise<void> {
  const found = await Promise.all([
    countLeads(portal, partners, question.portal),
    countLeads(directus, partners, question.directus),
  ])
  if (found[0] !== found[1] || found[0] === 0) throw new Error(`${question.name}: ${found.join(' and ')} leads`)
  const ours: Measured[] = []
  const theirs: Measured[] = []
  await measure(portal, partners, question.portal, WARM_UP)
  await measure(directus, partners, question.directus, WARM_UP)
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await measure(portal, partners, question.portal, LOAD))
    theirs.push(await measure(directus, partners, question.directus, LOAD))
  }
  console.log(`\n${question.name.padEnd(34)}per second          p50 ms   p99 ms   CPU ms`)
  show('the portal', ours)
  show('Directus', theirs)
  judge('× Directus', ratios(ours, theirs, 'perSecond'), 1, question.goal)
  judge('of its CPU, PostgreSQL’s included', ratios(ours, theirs, 'cpuMs'), 3)
  if (question.openGoal)
    await askOpenly(question.openGoal, ours, (load) => measure(portal, partners, question.portal, load))
}

/** Says how long calls take that come at half of the rate at which the rounds were answered. */
async function askOpenly(goal: Goal, rounds: Measured[], ask: (load: Load) => Promise<Measured>): Promise<void> {
  const rate = Math.round(median(column(rounds, 'perSecond')) / 2)
  const opened: Measured[] = []
  for (let round = 0; round < OPEN_ROUNDS; round++) opened.push(await ask({ ...OPEN, rate }))
  const p99 = column(opened, 'p99')
  judge(`ms: p99 of ${rate} a second, come what may`, p99, 0, goal)
}

/** The leads in the answers to all partners. */
async function countLeads({ url }: Server, partners: LoadedPartner[], callsOf: Question['portal']): Promise<number> {
  const answers = partners
    .flatMap(callsOf)
    .map(async ({ path, ...request }) => (await fetch(`${url}${path}`, request)).text())
  return (await Promise.all(answers)).join().split('"lead_status":').length - 1
}

/** How often a second a server answers the question, and how long one call takes. */
async function measure(
  server: Server,
  partners: LoadedPartner[],
  callsOf: Question['portal'],
  load: Load,
): Promise<Measured> {
  const requests = partners.flatMap(callsOf)
  const { perSecond, cpuMs, ...latencies } = await loadOverHttp(server, requests.map(asBrowser), load)
  await sleep(BETWEEN_ROUNDS_MS)
  const calls = requests.length / partners.length
  return { perSecond: perSecond / calls, cpuMs: cpuMs * calls, ...latencies }
}

function read(partner: LoadedPartner, path: string): HttpRequest {
  return { path, headers: bearer(partner) }
}

/** The newest rows of the partner, with how many there are in all, as the portal's pages tell it. */
function items(partner: LoadedPartner, table: keyof typeof FIELDS, query: Record<string, string>): HttpRequest {
  const asked = {
    fields: FIELDS[table].join(),
    sort: '-created_at,-id',
    meta: 'filter_count',
    ...ofPartner(partner),
    ...query,
  }
  return { path: `/items/${table}?${new URLSearchParams(asked)}`, headers: bearer({ token: partner.id }) }
}

function lead(partner: LoadedPartner, ...related: string[]): HttpRequest {
  const fields = [...FIELDS.leads, ...related.map((name) => `${name}.*`)].join()
  const asked = { fields, ...ofPartner(partner), 'filter[loid][_eq]': partner.loid, limit: '1' }
  return { path: `/items/leads?${new URLSearchParams(asked)}`, headers: bearer({ token: partner.id }) }
}

function ofPartner({ id }: LoadedPartner) {
  return { 'filter[partner_id][_eq]': id }
}

function create(path: string, token: string, body: object): HttpRequest {
  const headers = { ...bearer({ token }), 'content-type': 'application/json' }
  return { path, method: 'POST', headers, body: JSON.stringify(body) }
}

/** The row that the portal makes of the partner's new lead, without what the database fills in by itself. */
function rowOf({ id, newLead }: LoadedPartner): object {
  const { firstName, lastName, businessName, loanAmount, loanType, loanPurpose, loanTerm, ...same } = newLead
  return {
    ...same,
    partner_id: id,
    first_name: firstName,
    last_name: lastName,
    business_name: businessName,
    loan_amount: loanAmount,
    loan_type: loanType,
    loan_purpose: loanPurpose,
    loan_term: loanTerm,
    lead_source: 'Partner Portal',
    partner_iso: 'AU',
  }
}
