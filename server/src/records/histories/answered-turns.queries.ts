import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import { isAsked } from '../requests/requests.queries.ts'

/** SQL: the version of an item that needs attention, which changes with this time. */
export const versionOf = (time: string) => `(extract(epoch from ${time}) * 1000)::bigint`

/** SQL: whether somebody of the partner $1 has marked this version of the item as done. */
export function isDone(kind: string, recordId: string, version: string): string {
  return `exists (select from attention_done where partner_id = $1 and kind = '${kind}' and record_id = ${recordId}
                     and version = ${version})`
}

/**
 * SQL: whether somebody of the partner $1 has written a note on this record since it entered its status or stage. The CRM
 * tells that time in whole seconds, so a note in the same second may be older.
 */
export function isAnswered(table: 'leads' | 'deals'): string {
  return `exists (select from notes where partner_id = $1 and loid = ${table}.loid and not is_from_crm
                     and notes.created_at >= ${BEGAN[table]} + interval '1 second')`
}

/**
 * SQL: when a record entered its status or stage. Records from before these columns, which were closed when they were
 * added, lack the time.
 */
export const BEGAN = {
  leads: 'coalesce(status_since, leads.created_at)',
  deals: 'coalesce(stage_since, deals.created_at)',
}

/**
 * Finds which of these records the lender asks about, and which of the ones whose status is the partner's turn (`theirs`)
 * the partner has answered or marked as done since that status or stage began (D105, D127).
 */
export async function findPassedTurns(
  reads: Reads,
  partnerId: string,
  table: 'leads' | 'deals',
  { loids, theirs }: { loids: readonly string[]; theirs: readonly string[] },
): Promise<ReadonlyMap<string, { is_asked: boolean; is_answered: boolean }>> {
  if (loids.length === 0) return new Map()
  const rows = await sendNamed<{ loid: string; is_asked: boolean; is_answered: boolean }>(reads, {
    sql: `select loid, ${isAsked(table)} as is_asked,
                 loid = any($3) and (${isAnswered(table)} or ${isDone('your-turn', `${table}.id`, versionOf(BEGAN[table]))}) as is_answered
            from ${table}
           where partner_id = $1 and loid = any($2)`,
    parameters: [partnerId, loids, theirs],
  })
  return new Map(rows.map((row) => [row.loid, row]))
}
