import { setTimeout as sleep } from 'node:timers/promises'
import { fold, foldSigns } from '@portal/contract/fold.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from './database.ts'
import { updateSet } from './row-sets.ts'
import type { DealRow, LeadRow } from './tables.ts'

export type SearchedTable = 'leads' | 'deals'

/** The columns in which people search (D24). The lists' search boxes search only in the first line. */
export const LINES = {
  leads: [
    ['loid', 'phone', 'business_name', 'first_name', 'last_name', 'email'],
    ['loan_type', 'business_industry'],
  ],
  deals: [['loid', 'lead_loid', 'phone', 'deal_name', 'business_name', 'contact_name', 'email'], ['loan_type']],
} as const satisfies { leads: (keyof LeadRow)[][]; deals: (keyof DealRow)[][] }

export interface SearchColumns {
  search_fold: string
  search_keys: number[]
}

/**
 * The text and the keys by which a row is found. Every write of one of the columns in `LINES` writes these as well. A
 * trigger drops the keys unless the partner is in `keyed_partners`.
 */
export function searchColumns(table: SearchedTable, row: { partner_id: string } & object): SearchColumns {
  const values = new Map(Object.entries(row))
  const lines = LINES[table].map((columns) =>
    columns.flatMap((column) => searchedWords(column, values.get(column))).join(' '),
  )
  const searched = forIndex(lines.join('\n'))
  return { search_fold: searched, search_keys: keysOf(row.partner_id, trigramsIn(searched)) }
}

const WRITTEN_OUT = /proprietary|limited/i

function searchedWords(column: string, value: unknown): string[] {
  if (typeof value !== 'string' || value === '') return []
  if (column === 'phone') return [fold(value).replace(/\D/g, '')]
  if (column === 'loid' || column === 'lead_loid') return [fold(value), value.replace('-', '').toLowerCase()]
  // 'Limited' is also found by its first letters, as somebody types them.
  const written = WRITTEN_OUT.test(value) ? foldSigns(value).match(/proprietary|limited/g) : null
  return [fold(value), ...(written ?? [])]
}

/**
 * As much of a text as fits an entry of an index, 2,704 bytes, beside a status and a source of 120 letters of three
 * bytes each.
 */
function forIndex(text: string): string {
  if (text.length <= 475 || Buffer.byteLength(text) <= 1_900) return text
  return Array.from(text).slice(0, 475).join('')
}

/** The trigrams of all words. A sign that is neither a letter nor a digit ends a word. */
function trigramsIn(text: string): Set<string> {
  const trigrams = new Set<string>()
  for (const word of text.match(/[\p{L}\p{N}]{3,}/gu) ?? []) {
    const letters = Array.from(word)
    for (let at = 2; at < letters.length; at++) trigrams.add(`${letters[at - 2]}${letters[at - 1]}${letters[at]}`)
  }
  return trigrams
}

/**
 * A number for each trigram. Each 256th of the partners has numbers of its own, so that a trigram which many leads of
 * others have costs a partner little (docs/decisions/scale.md).
 */
export function keysOf(partnerId: string, trigrams: Iterable<string>): number[] {
  const group = Number.parseInt(partnerId.slice(-2), 16)
  const keys = new Set<number>()
  for (const trigram of trigrams) {
    // FNV-1a, and then the last step of MurmurHash3, which spreads the group over all bits.
    let hash = 0x811c9dc5 ^ group
    for (let at = 0; at < trigram.length; at++) hash = Math.imul(hash ^ trigram.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    keys.add((hash ^ (hash >>> 16)) | 0)
  }
  return [...keys]
}

/**
 * Fills in the search columns of all rows that lack them, which a version before 0.3.0 has written. It does so batch by
 * batch, so no other statement waits long for a row, and a run that was killed goes on where it ended.
 */
export async function fillAllSearch(db: Db): Promise<void> {
  for (const table of TABLES) {
    while (await isUnfilled(db, table)) {
      let after: { partner_id: string; id: string } | undefined
      do {
        // Goes on behind the last rows: the index still has their entries until a vacuum.
        const which = after
          ? sql<SqlBool>`${IS_UNFOLDED} and (partner_id, id) > (${after.partner_id}::uuid, ${after.id}::uuid)`
          : IS_UNFOLDED
        const filled = await db.transaction().execute((tx) => fillSearch(tx, table, which, ROWS_AT_ONCE))
        after = filled.at(-1)
      } while (after)
      // Another transaction may hold the last rows.
      await sleep(NEXT_LOOK_MS)
    }
  }
}

/**
 * Keeps keys for each partner that soon has more rows than a search reads before it looks further back, and fills in those
 * that are missing (docs/decisions/scale.md).
 */
export async function fillKeysOfAllPartners(db: Db, signal: AbortSignal): Promise<void> {
  await sql`
    insert into keyed_partners
    select distinct partner_id from record_counts
     where not is_converted and partner_id not in (select partner_id from keyed_partners)
     group by partner_id, kind having sum(records) > ${KEYED_FROM}
        on conflict do nothing`.execute(db)
  for (const table of TABLES) {
    for (const partnerId of await findUnkeyed(db, table)) {
      const which = sql<SqlBool>`search_keys is null and partner_id = ${partnerId}`
      let filled: unknown[]
      do {
        signal.throwIfAborted()
        filled = await db.transaction().execute((tx) => fillSearch(tx, table, which, ROWS_AT_ONCE))
      } while (filled.length === ROWS_AT_ONCE)
    }
  }
}

/** The partners with keys, some of whose rows lack them. */
async function findUnkeyed(db: Db, table: SearchedTable): Promise<string[]> {
  const { rows } = await sql<{ partner_id: string }>`
    select partner_id from keyed_partners as keyed
     where exists (select from ${sql.table(table)} as one where one.partner_id = keyed.partner_id and search_keys is null)`.execute(
    db,
  )
  return rows.map((row) => row.partner_id)
}

const TABLES = ['deals', 'leads'] as const
/** A little less than the newest rows that a search reads, so that the keys are there when they are needed. */
const KEYED_FROM = 900
const IS_UNFOLDED = sql<SqlBool>`search_fold is null`
const ROWS_AT_ONCE = 500
const NEXT_LOOK_MS = 100

/** Whether a search would miss rows. */
export async function isSearchUnfilled(db: Db): Promise<boolean> {
  for (const table of TABLES) if (await isUnfilled(db, table)) return true
  return false
}

async function isUnfilled(db: Db, table: SearchedTable): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} where ${IS_UNFOLDED} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Fills in the search columns of the rows that `which` selects, the first `rowsMax` in order of partner and id. Rows that
 * another transaction is changing are left out. Returns the filled rows.
 */
async function fillSearch(
  tx: Tx,
  table: SearchedTable,
  which: RawBuilder<SqlBool>,
  rowsMax: number,
): Promise<{ partner_id: string; id: string }[]> {
  const columns = sql.join(['id', 'partner_id', ...LINES[table].flat()].map((column) => sql.id(column)))
  const { rows } = await sql<{ id: string; partner_id: string }>`
    select ${columns} from ${sql.table(table)}
     where ${which}
     order by partner_id, id limit ${rowsMax}
       for no key update skip locked`.execute(tx)
  await updateSet(
    tx,
    table,
    rows.map((row) => ({ id: row.id, ...searchColumns(table, row) })),
  )
  return rows
}

/** Fills in the search columns of these rows, which a statement has just changed without them. */
export async function refillSearch(tx: Tx, table: SearchedTable, loids: readonly string[]): Promise<void> {
  if (loids.length > 0) await fillSearch(tx, table, sql`${IS_UNFOLDED} and loid = any(${loids})`, loids.length)
}
