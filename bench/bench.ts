import { setTimeout as sleep } from 'node:timers/promises'
import { loadOverHttp, loadWithDriver, type Measured } from './load.ts'
import { DEALS, LEADS, type LoadedPartner, loadData, PARTNERS } from './load-data.ts'
import { type Product, startProduct, withEmptyFolder } from './product.ts'
import { type RecordedCall, recordCreate, recordDetail, recordList, recordSearch } from './recorded-statements.ts'

const CONCURRENCY = 16
const ROUNDS = 3
const ROUND_SECONDS = 4
const SECOND_STARTS = 5
const BETWEEN_ROUNDS_MS = 500

/** Each figure stands beside the raw driver's in the same run: machines are noisy, ratios are not. */
await withEmptyFolder(async (folder) => {
  let product = await startProduct(folder)
  console.log(`first start, to ready                ${seconds(product.startMs)}`)
  console.log(`loading ${PARTNERS} partners, ${LEADS} leads, ${DEALS} deals …`)
  const partners = await loadData(product)
  await product.stop()

  const starts: number[] = []
  for (let i = 0; i < SECOND_STARTS; i++) {
    product = await startProduct(folder)
    starts.push(product.startMs)
    if (i < SECOND_STARTS - 1) await product.stop()
  }
  console.log(`second start, to ready               ${seconds(median(starts))}   goal < 1.5 s`)

  console.log(`\n${CONCURRENCY} at once, ${ROUNDS} rounds of ${ROUND_SECONDS} s each, HTTP and driver in turn\n`)
  console.log('                      HTTP req/s   p50 ms   p99 ms   driver calls/s   p50 ms   p99 ms   ratio   goal')
  const { pool } = product
  await compare(product, 'first page of leads', '≥ 0.5', partners, await recordList(pool, partners), (partner) => ({
    path: '/api/dashboard/leads',
    headers: bearer(partner),
  }))
  await compare(product, 'a lead’s detail', '≥ 0.5', partners, await recordDetail(pool, partners), (partner) => ({
    path: `/api/crm/lead/${partner.loid}`,
    headers: bearer(partner),
  }))
  await compare(product, 'search', 'p99 < 20', partners, await recordSearch(pool, partners), (partner) => ({
    path: `/api/crm/search?q=${encodeURIComponent(partner.words)}`,
    headers: bearer(partner),
  }))
  await compare(product, 'creating a lead', '', partners, await recordCreate(pool, partners), (partner) => ({
    path: '/api/dashboard/leads',
    method: 'POST' as const,
    headers: { ...bearer(partner), 'content-type': 'application/json' },
    body: JSON.stringify(partner.newLead),
  }))
  console.log(`\nresident memory of the server, highest under load   ${product.residentMb()} MB   goal < 250 MB`)
  await product.stop()
})

async function compare(
  product: Product,
  name: string,
  goal: string,
  partners: LoadedPartner[],
  calls: RecordedCall[],
  request: Parameters<typeof loadOverHttp>[2],
): Promise<void> {
  const http: Measured[] = []
  const driver: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    http.push(await loadOverHttp(product.url, partners, request, CONCURRENCY, ROUND_SECONDS))
    await sleep(BETWEEN_ROUNDS_MS)
    driver.push(await loadWithDriver(product.pool, calls, CONCURRENCY, ROUND_SECONDS))
    await sleep(BETWEEN_ROUNDS_MS)
  }
  const [ours, raw] = [middle(http), middle(driver)]
  const cells = [
    name.padEnd(20),
    figure(ours.perSecond, 11, 0),
    figure(ours.p50, 9, 1),
    figure(ours.p99, 9, 1),
    figure(raw.perSecond, 17, 0),
    figure(raw.p50, 9, 1),
    figure(raw.p99, 9, 1),
    figure(ours.perSecond / raw.perSecond, 8, 2),
    goal.padStart(11),
  ]
  console.log(cells.join(''))
}

function middle(rounds: Measured[]): Measured {
  const of = (key: keyof Measured) => median(rounds.map((round) => round[key]))
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99') }
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

function bearer(partner: LoadedPartner) {
  return { authorization: `Bearer ${partner.token}` }
}

function figure(value: number, width: number, decimals: number): string {
  return value.toFixed(decimals).padStart(width)
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`
}
