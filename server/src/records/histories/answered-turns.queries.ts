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

/** What passes a record's turn on: the lender asks something (D105), or the partner has answered (D127). */
export interface PassedTurn {
  is_asked: boolean
  is_answered: boolean
}

/**
 * SQL: the columns of `PassedTurn` of a record of the partner $1. The partner has answered if it has written a note or
 * marked the turn as done since the status or stage began.
 */
export const PASSED_TURN = {
  leads: `${isAsked('leads')} as is_asked, ${hasAnswered('leads')} as is_answered`,
  deals: `${isAsked('deals')} as is_asked, ${hasAnswered('deals')} as is_answered`,
}

/**
 * SQL: as `PASSED_TURN`, but with the parameter's statuses or stages nothing is answered. Lists give the values in which
 * the partner has nothing to do, because looking for answers takes a third of PostgreSQL's time for a list.
 */
export function passedTurnUnless(table: 'leads' | 'deals', parameter: `$${number}`): string {
  const value = { leads: 'lead_status', deals: 'stage' }[table]
  const hasNoTurn = `${value} = any(${parameter}::text[])`
  return `${isAsked(table)} as is_asked, case when ${hasNoTurn} then false else ${hasAnswered(table)} end as is_answered`
}

/** SQL: whether the partner $1 has written a note, or marked the turn as done, since the status or stage began. */
export function hasAnswered(table: 'leads' | 'deals'): string {
  return `(${isAnswered(table)} or ${isDone('your-turn', `${table}.id`, versionOf(BEGAN[table]))})`
}
