import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { type Scan, scansOfList } from '../server/src/testing/list-scans.ts'
import { type Product, startProduct, withEmptyFolder } from './product.ts'
import { BIG_PARTNER, loadScaleData } from './scale-data.ts'
import { type BigPartner, QUESTIONS, type Question, signIn } from './scale-questions.ts'
import { timePalette } from './time-palette.ts'

const SIZES = [
  { name: '100-thousand', leads: 100_000, ports: { PORT: '3421', CRM_PORT: '3921' } },
  { name: '10-million', leads: 10_000_000, ports: { PORT: '3422', CRM_PORT: '3922' } },
]
const P99_MS_MAX = 50
const RATIO_MAX = 1.5
const PALETTE = 'palette, from the last key to the hit'
const PALETTE_MS_MAX = 100
const TYPINGS = 60
/** A scan of so much of a partner's rows counts as one of all. */
const ALL = 0.9
const WARM_UP = 50
/** The two sizes take turns after this many requests, so that a noisy moment affects both sizes. */
const AT_A_TIME = 25

const { values: options } = parseArgs({
  options: {
    // A folder that keeps the loaded databases for the next run. Without it they are removed.
    data: { type: 'string' },
    // How many requests of each kind are made at each size.
    requests: { type: 'string', default: '500' },
    // Only the kinds of call whose name contains this text are measured.
    only: { type: 'string', default: '' },
  },
})
const requests = Number(options.requests)

if (options.data) await compareSizes(options.data)
else await withEmptyFolder(compareSizes)

async function compareSizes(folder: string): Promise<void> {
  console.log('The larger database takes 40 GB of disk while it is loaded, which takes three quarters of an hour.')
  for (const { name, leads } of SIZES) await loadOnce(join(folder, name), leads)
  const products: Product[] = []
  try {
    for (const { name, ports } of SIZES) products.push(await startProduct(join(folder, name), ports))
    await comparePartners(products)
  } finally {
    for (const product of products) await product.stop()
  }
}

async function loadOnce(folder: string, leads: number): Promise<void> {
  // The mark is written last, so that an interrupted load does not count as loaded.
  const mark = join(folder, 'loaded')
  if (existsSync(mark)) return
  console.log(`loading ${leads.toLocaleString('en')} leads …`)
  await loadScaleData(folder, leads, console.log)
  await writeFile(mark, '')
}

async function comparePartners(products: Product[]): Promise<void> {
  const partners = await Promise.all(products.map(signIn))
  const lister = await findLister(products)
  console.log(
    '\nA partner with a hundredth of all leads sends one request after another, so that no request waits for others:',
  )
  console.log(`${requests} requests of each kind at each size. The sizes take turns, ${AT_A_TIME} requests a turn.\n`)
  console.log(
    `${''.padEnd(46)}${SIZES.map(({ leads }) => `${leads.toLocaleString('en')} leads`.padStart(20)).join('')}`,
  )
  console.log(`${''.padEnd(46)}${'    p50 ms    p99 ms'.repeat(SIZES.length)}   ratio of p99   largest scan of a list`)
  const missed: string[] = []
  const readingAll: string[] = []
  for (const question of QUESTIONS.filter(({ name }) => name.includes(options.only))) {
    const [smaller = [], larger = []] = await measure(partners, question)
    const ratio = at(larger, 0.99) / at(smaller, 0.99)
    if (at(larger, 0.99) > (question.msMax ?? P99_MS_MAX) || ratio > RATIO_MAX) missed.push(question.name)
    const cells = [smaller, larger].flatMap((times) => [at(times, 0.5), at(times, 0.99)])
    const scans = await scansOf(lister, question)
    if (readsTooMuch(question, scans, lister.rows)) readingAll.push(question.name)
    const [largest] = scans
    console.log(
      `${question.name.padEnd(46)}${cells.map((ms) => ms.toFixed(1).padStart(10)).join('')}${ratio.toFixed(2).padStart(15)}${largest ? `   ${largest.entries} of ${largest.of}` : ''}`,
    )
  }
  if (PALETTE.includes(options.only)) {
    const times: number[][] = []
    for (const partner of partners) times.push(await timePalette(partner, TYPINGS))
    if (at(times.at(-1) ?? [], 0.5) > PALETTE_MS_MAX) missed.push(PALETTE)
    const cells = times.flatMap((sorted) => [at(sorted, 0.5), at(sorted, 0.99)])
    console.log(`${PALETTE.padEnd(46)}${cells.map((ms) => ms.toFixed(1).padStart(10)).join('')}`)
  }
  const goal = `p99 under ${P99_MS_MAX} ms (or what the kind of call has as its own), and at most ${RATIO_MAX} times that of the smaller database`
  console.log(`\n${goal}: met by all${but(missed)}`)
  const plans = 'no list reads all rows of the partner, or with a filter and another order at most one index of them'
  console.log(`${plans}: met by all${but(readingAll)}`)
}

function but(missed: string[]): string {
  return missed.length === 0 ? '' : ` but ${missed.join('; ')}`
}

interface Lister {
  pool: pg.Pool
  sample: BigPartner['sample']
  id: string
  businessName: string
  personId: string
  /** How many leads and deals the partner's lists have. */
  rows: Record<'leads' | 'deals', number>
}

/** The big partner in the larger database. */
async function findLister(products: Product[]): Promise<Lister> {
  const product = products.at(-1)
  const { rows } = await (product?.pool.query<Omit<Lister, 'pool' | 'sample'>>(
    `select partners.id, business_name as "businessName", people.id as "personId",
            json_build_object('leads', (select count(*) from leads
                                         where partner_id = partners.id and converted_at is null and archived_at is null),
                              'deals', (select count(*) from deals where partner_id = partners.id and archived_at is null)) as rows
       from people join partners on partners.id = partner_id where email = $1`,
    [BIG_PARTNER.email],
  ) ?? Promise.reject(new Error('there is no product')))
  const [row] = rows
  if (!product || !row) throw new Error('the partner is not in the larger database')
  const { sample } = await signIn(product)
  return { ...row, pool: product.pool, sample }
}

/** What the plans of a list without a search scan, the largest first. Of other calls, nothing. */
async function scansOf(lister: Lister, { paths }: Question): Promise<Scan[]> {
  const [address = ''] = paths(lister.sample)
  const scans = (await scansOfList(lister.pool, lister, address)) ?? []
  return scans.toSorted((one, other) => other.entries - one.entries)
}

function readsTooMuch({ name, msMax }: Question, scans: Scan[], rows: Lister['rows']): boolean {
  const most = ALL * rows[name.startsWith('deals') ? 'deals' : 'leads']
  const ofAll = scans.filter(({ entries }) => entries >= most)
  return msMax === undefined ? ofAll.length > 0 : ofAll.length > 1 || ofAll.some(({ isIndex }) => !isIndex)
}

/** Makes the calls of the question. Returns the times of each partner's calls, the shortest first. */
async function measure(partners: BigPartner[], question: Question): Promise<number[][]> {
  const all = partners.map((partner) => ({
    partner,
    paths: question.paths(partner.sample),
    times: new Array<number>(),
  }))
  for (let done = -WARM_UP; done < requests; done += AT_A_TIME) {
    for (const { partner, paths, times } of all) {
      for (let i = 0; i < AT_A_TIME; i++) {
        const ms = await partner.get(paths[(done + WARM_UP + i) % paths.length] ?? '', question.isFirstByte)
        if (done >= 0) times.push(ms)
      }
    }
  }
  return all.map(({ times }) => times.sort((a, b) => a - b))
}

function at(times: number[], share: number): number {
  return times[Math.floor(times.length * share)] ?? Number.NaN
}
