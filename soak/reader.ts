import { setTimeout as sleep } from 'node:timers/promises'
import { openRandom } from '../server/src/testing/random.ts'
import type { Difference } from './compare.ts'
import { ask, type Partner } from './partners.ts'
import type { World } from './world.ts'

interface Event {
  type: string
  loid: string
  version: string
  lead: { lead_status: string } | null
  deal: { stage: string } | null
}

export interface Reader {
  /** Reads to the end and stops. Returns how what was read differs from the portal's records. */
  finish(): Promise<Difference[]>
  /** Stops without a comparison. */
  stop(): void
}

const PAUSE_MS = 200
const SETTLE_MS_MAX = 60_000

/**
 * Follows the feed of the partner with an API key, by cursor, as a system of the partner does (D84). Some answers are
 * thrown away and asked for again, as by a system that is killed before it has stored them.
 */
export async function openReader({ url, rows }: World, partner: Partner, seed: number): Promise<Reader> {
  const random = openRandom(seed)
  const made = await partner.post('/dashboard/api-keys', { name: 'Reader', rights: ['read'] })
  if (made.status !== 201) throw new Error(`making a key was answered with ${JSON.stringify(made.body)}`)
  const headers = { authorization: `Bearer ${made.body.data.api_key}` }
  const seen: Event[] = []
  const faults: string[] = []
  let cursor: string | undefined
  let isStopped = false

  /** Returns whether there is more. */
  async function readPage(): Promise<boolean> {
    const query = new URLSearchParams({ limit: String(1 + random.below(40)), ...(cursor && { since: cursor }) })
    const { status, body } = await ask(url, 'GET', `/partner/events?${query}`, undefined, headers)
    if (body.code === 'ACCOUNT_SUSPENDED') return false
    if (status !== 200) {
      faults.push(`the feed of partner ${partner.number} answered ${status} ${JSON.stringify(body)}`)
      return false
    }
    if (random.chance(0.1)) return true
    seen.push(...body.data.events)
    cursor = body.data.cursor
    return body.data.has_more
  }

  const following = (async () => {
    while (!isStopped) if (!(await readPage())) await sleep(PAUSE_MS)
  })()
  // It is awaited at the end, and must not end the process before.
  following.catch(() => undefined)

  return {
    stop() {
      isStopped = true
    },
    async finish() {
      isStopped = true
      await following
      await waitForOlderTransactions(rows)
      while (await readPage()) continue
      return [...faults, ...(await differencesOf(rows, partner, seen))].map((what) => ({ what, log: [] }))
    },
  }
}

/** A change is served once no older transaction is open in the whole database server. */
async function waitForOlderTransactions(rows: World['rows']): Promise<void> {
  const deadline = Date.now() + SETTLE_MS_MAX
  while (Date.now() < deadline) {
    const [row] = await rows<{ is_final: boolean }>(
      `select not exists (select from record_changes where xid >= pg_snapshot_xmin(pg_current_snapshot())) as is_final`,
    )
    if (row?.is_final) return
    await sleep(PAUSE_MS)
  }
}

async function differencesOf(rows: World['rows'], { id, number }: Partner, seen: readonly Event[]): Promise<string[]> {
  const kindOf = ({ type }: Event) => type.split('.')[0]
  const named = seen.map((event) => `${kindOf(event)} ${event.loid} ${event.version}`)
  const repeated = named.filter((name, at) => named.indexOf(name) !== at)
  const last = new Map(seen.map((event) => [`${kindOf(event)} ${event.loid}`, event]))
  const read = [...last].flatMap(([record, { type, version, lead, deal }]) =>
    type.endsWith('.changed') ? [`${record} ${version} ${lead?.lead_status ?? deal?.stage}`] : [],
  )
  const listed = await rows<{ record: string }>(
    `select concat_ws(' ', kind, loid, xid || '.' || place, value) as record
       from (select id, 'lead' as kind, loid, lead_status as value from leads
              where partner_id = $1 and converted_at is null and archived_at is null and erased_at is null
             union all
             select id, 'deal', loid, stage from deals where partner_id = $1 and archived_at is null and erased_at is null) listed
       join (select record_id, xid, place from record_changes where partner_id = $1) change on record_id = id`,
    [id],
  )
  const records = new Set(listed.map(({ record }) => record))
  return [
    ...repeated.map((name) => `partner ${number} read ${name} twice`),
    ...[...records].filter((one) => !read.includes(one)).map((one) => `partner ${number} did not read ${one}`),
    ...read
      .filter((one) => !records.has(one))
      .map((one) => `partner ${number} read ${one}, which the portal does not have`),
  ]
}
