import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { DealRow, LeadRow } from '../../platform/db/tables.ts'

/** The rows of both kinds of records that are pushed. */
export interface PushedRows {
  leads: LeadRow
  deals: DealRow
}
type Kind = keyof PushedRows

/** A withdrawn lead stays here. A lead that a deal has replaced is also pushed, because it is restored if the deal leaves the CRM. */
const IS_WANTED = {
  leads: sql`archived_reason is distinct from 'withdrawn'`,
  deals: sql`archived_at is null`,
}

/** Finds a record to push. Undefined if there is none, or if it is already in the CRM or erased. */
export async function findToPush<On extends Kind>(
  db: Db,
  on: On,
  partnerId: string,
  loid: string,
): Promise<PushedRows[On] | undefined> {
  const { rows } = await sql<PushedRows[On]>`
    select * from ${sql.table(on)}
     where partner_id = ${partnerId} and loid = ${loid} and crm <> 'synced' and erased_at is null and ${IS_WANTED[on]}`.execute(
    db,
  )
  return rows[0]
}

/** Finds submitted records whose push is pending, the oldest first, at most `limit`. */
export async function findWaiting<On extends Kind>(
  db: Db,
  on: On,
  partnerId: string,
  limit: number,
): Promise<PushedRows[On][]> {
  const { rows } = await sql<PushedRows[On]>`
    select * from ${sql.table(on)}
     where partner_id = ${partnerId} and crm = 'pending' and archived_at is null
     order by created_at limit ${limit}`.execute(db)
  return rows
}

/** Finds the LOIDs of all submitted records whose push is pending, the oldest first. */
export async function findWaitingLoids(db: Db | Tx, on: Kind, partnerId: string): Promise<string[]> {
  const { rows } = await sql<{ loid: string }>`
    select loid from ${sql.table(on)}
     where partner_id = ${partnerId} and crm = 'pending' and archived_at is null
     order by created_at`.execute(db)
  return rows.map((row) => row.loid)
}

/** Stores when the records were first pushed. A time that is already stored is kept. */
export async function markSent(
  db: Db,
  on: Kind,
  partnerId: string,
  loids: readonly string[],
  at: string,
): Promise<void> {
  await sql`
    update ${sql.table(on)} set crm_sent_at = ${at}
     where partner_id = ${partnerId} and loid = any(${loids}) and crm_sent_at is null`.execute(db)
}

/**
 * Clears the time of the first push, because the CRM refused the record. Without this time, the record's absence from
 * the CRM does not count as a deletion.
 */
export async function clearSent(db: Db, on: Kind, partnerId: string, loid: string): Promise<void> {
  await sql`
    update ${sql.table(on)} set crm_sent_at = null where partner_id = ${partnerId} and loid = ${loid}`.execute(db)
}

/** Marks a pending record as failed. A record that has since reached the CRM, or has already failed, stays as it is. */
export async function markPushFailed(tx: Tx, on: Kind, partnerId: string, loid: string, problem: string) {
  const { rows } = await sql<{ loid: string; business_name: string | null }>`
    update ${sql.table(on)} set crm = 'failed', crm_problem = ${problem}
     where partner_id = ${partnerId} and loid = ${loid} and crm = 'pending'
    returning loid, business_name`.execute(tx)
  return rows[0] && { ...rows[0], on: on === 'leads' ? ('lead' as const) : ('deal' as const) }
}

/**
 * Sets a failed record to pending again. Returns the payload of its push, or an empty list if the record had not failed
 * or was erased.
 */
export async function reviveFailed(tx: Tx, on: Kind, partnerId: string, loid: string) {
  const { rows } = await sql<{ partnerId: string; loid: string }>`
    update ${sql.table(on)} set crm = 'pending', crm_problem = null
     where partner_id = ${partnerId} and loid = ${loid} and crm = 'failed' and erased_at is null
    returning partner_id as "partnerId", loid`.execute(tx)
  return rows
}
