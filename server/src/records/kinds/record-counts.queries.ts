import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'

/** SQL: how many open leads or deals the partner $1 has. */
export const OPEN_RECORDS = { leads: openRecords('lead'), deals: openRecords('deal') }

function openRecords(kind: 'lead' | 'deal'): string {
  return `select sum(records)::integer from record_counts where partner_id = $1 and kind = '${kind}' and not is_converted`
}

/** How many of the partner's open leads have each status, or how many of its deals each stage. */
export async function countByValue(
  reads: Reads,
  partnerId: string,
  kind: 'lead' | 'deal',
): Promise<Record<string, number>> {
  const rows = await sendNamed<{ value: string; records: number }>(reads, {
    sql: `select value, sum(records)::integer as records
            from record_counts where partner_id = $1 and kind = $2 and not is_converted
           group by value having sum(records) > 0`,
    parameters: [partnerId, kind],
  })
  return Object.fromEntries(rows.map(({ value, records }) => [value, records]))
}

/** How many open leads or deals the partner has, or how many with one of these statuses or stages. */
export async function countRecords(
  reads: Reads,
  partnerId: string,
  kind: 'lead' | 'deal',
  values?: readonly string[],
): Promise<number> {
  const counts = await countByValue(reads, partnerId, kind)
  return Object.entries(counts).reduce((sum, [value, records]) => {
    return !values || values.includes(value) ? sum + records : sum
  }, 0)
}

/** Every 16th row puts its partner's rows together, so this many are usual. */
const ROWS_APART = 16

/** Puts the rows of partners together that have many more rows than counts, as after a change of many records at once. */
export async function putCountsTogetherOfAllPartners(db: Db, signal: AbortSignal): Promise<void> {
  const { rows } = await sql<{ partner_id: string }>`
    select partner_id from record_counts
     group by partner_id
    having count(*) > ${ROWS_APART} + count(distinct (kind, value, is_converted))`.execute(db)
  for (const { partner_id: partnerId } of rows) {
    signal.throwIfAborted()
    await sql`select put_counts_together(${partnerId})`.execute(db)
  }
}
