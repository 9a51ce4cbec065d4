import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { NewLead } from '@portal/contract/lead-form.ts'
import { SEARCH_RESULTS_MAX } from '@portal/contract/limits.ts'
import { loidFromBytes } from '@portal/contract/loid.ts'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { prepareLead } from '../server/src/features/leads/submit-lead.ts'
import { searchDeals, searchLeads } from '../server/src/features/search/search.queries.ts'
import { type Write, writeTogether } from '../server/src/platform/db/write-together.ts'
import { readStatusMeanings } from '../server/src/records/histories/status-meanings.ts'
import { findNewestLeads } from '../server/src/records/leads/lead-list.queries.ts'
import { getLead } from '../server/src/records/leads/leads.queries.ts'
import { findNotes } from '../server/src/records/notes/notes.queries.ts'
import { type Recorder, type Statement, statementsOf } from '../server/src/testing/statements-of.ts'
import type { LoadedPartner } from './load-data.ts'

const { notPartnersTurn } = await readStatusMeanings()

/** Sends the statements of one recorded call again, through the bare driver. */
export type RecordedCall = (client: pg.ClientBase) => Promise<void>

export function recordList(pool: pg.Pool, partners: LoadedPartner[]): Promise<RecordedCall[]> {
  return record(pool, partners, async (recorder, partner) => {
    await findNewestLeads(recorder.pool, partner, 20, notPartnersTurn['lead-status'])
  })
}

export function recordDetail(pool: pg.Pool, partners: LoadedPartner[]): Promise<RecordedCall[]> {
  return record(pool, partners, async (recorder, partner) => {
    await getLead(recorder.pool, partner, partner.loid)
    await findNotes(recorder.pool, partner.id, partner.loid)
  })
}

const FIRST_PAGE = { page: 1, limit: SEARCH_RESULTS_MAX }

export function recordSearch(pool: pg.Pool, partners: LoadedPartner[]): Promise<RecordedCall[]> {
  return record(pool, partners, async (recorder, partner) => {
    await searchLeads(recorder, partner, partner.words, FIRST_PAGE, notPartnersTurn['lead-status'])
    await searchDeals(recorder, partner.id, partner.words, FIRST_PAGE, notPartnersTurn['deal-stage'])
  })
}

/** Records everything that submitting a lead sends. Each repeat gets new ids and LOIDs. */
export async function recordCreate(pool: pg.Pool, partners: LoadedPartner[]): Promise<RecordedCall[]> {
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) }, schema: 'jobs' })
  return record(pool, partners, async (recorder, partner) => {
    const clock = { now: () => new Date() }
    const statement: Write = { sql: '', parameters: [] }
    const keeping = {
      executeSql: async (sql: string, parameters: unknown[] = []) => {
        Object.assign(statement, { sql, parameters })
        return { rows: [] }
      },
    }
    const jobs = {
      insertOf: async (job: { name: string }, payload: object) => {
        await boss.send(job.name, payload, { db: keeping })
        return { ...statement }
      },
    }
    const { writes } = await prepareLead(
      { db: recorder.db, reads: recorder.pool, clock, jobs },
      { ...partner, submitter: { id: null, name: 'API key' } },
      NewLead.parse(partner.newLead),
    )
    await writeTogether(recorder.pool, writes)
  })
}

/** Runs the product's own query once for each partner and keeps the statements that it sent. */
async function record(
  pool: pg.Pool,
  partners: LoadedPartner[],
  run: (recorder: Recorder, partner: LoadedPartner) => Promise<void>,
): Promise<RecordedCall[]> {
  const calls: RecordedCall[] = []
  for (const partner of partners) {
    const statements = await statementsOf(pool, (recorder) => run(recorder, partner))
    calls.push((client) => replay(client, statements, partner.id))
  }
  return calls
}

async function replay(client: pg.ClientBase, statements: Statement[], partnerId: string): Promise<void> {
  const renamed = renaming(partnerId)
  for (const { text, values } of statements) {
    const isInsert = /^\s*(insert|with)/i.test(text)
    await client.query({
      ...(values.length > 0 && { name: nameOf(text) }),
      text,
      values: isInsert ? values.map(renamed) : values,
    })
  }
}

/** Replaces each LOID with a new LOID, and each id but the partner's; equal LOIDs get the same new LOID. */
function renaming(partnerId: string) {
  const newLoids = new Map<string, string>()
  return (value: unknown): unknown => {
    if (typeof value !== 'string') return value
    if (value !== partnerId && /^[0-9a-f-]{36}$/.test(value)) return randomUUID()
    return value.replace(/LO-[0-9A-Z]{8}/g, (loid) => {
      const newLoid = newLoids.get(loid) ?? loidFromBytes(randomBytes(8))
      newLoids.set(loid, newLoid)
      return newLoid
    })
  }
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known) return known
  const name = createHash('sha1').update(text).digest('hex').slice(0, 20)
  names.set(text, name)
  return name
}
