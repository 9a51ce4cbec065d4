import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { searchColumns } from '../../platform/db/search-columns.ts'
import { type LeadChangeRow, type LeadRow, TYPED_LEAD_COLUMNS } from '../../platform/db/tables.ts'
import type { CrmLead } from '../crm-records.ts'
import { isTouched } from './lead-table.ts'

/** Why a note or file of the partner goes no further. */
export const WITHDRAWN = 'The lead was withdrawn.'

type NewChange = Pick<LeadChangeRow, 'loid' | 'partner_id' | 'person_id' | 'kind' | 'corrected' | 'reason' | 'asked_at'>

/** Stores what somebody asks to change of a lead. Returns false if another change of the lead waits. */
export async function insertLeadChange(tx: Tx, change: NewChange): Promise<boolean> {
  const values = {
    ...change,
    corrected: change.corrected && JSON.stringify(change.corrected),
    state: 'waiting' as const,
    problem: null,
    sent_at: null,
    lead_before: null,
  }
  const inserted = await tx
    .insertInto('lead_changes')
    .values(values)
    .onConflict((conflict) => conflict.column('loid').doUpdateSet(values).where('lead_changes.state', '=', 'refused'))
    .returning('loid')
    .executeTakeFirst()
  return inserted !== undefined
}

export function findWaitingChange(db: Db | Tx, partnerId: string, loid: string): Promise<LeadChangeRow | undefined> {
  return db
    .selectFrom('lead_changes')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
}

/** Remembers the lead as it is before the CRM is first asked to change it. */
export async function markChangeSent(db: Db, lead: LeadRow, at: string): Promise<void> {
  const before = JSON.stringify(Object.fromEntries(TYPED_LEAD_COLUMNS.map((column) => [column, lead[column]])))
  await db
    .updateTable('lead_changes')
    .set({
      sent_at: sql<string>`coalesce(sent_at, ${at})`,
      lead_before: sql<string>`coalesce(lead_before, ${before}::jsonb)`,
    })
    .where('partner_id', '=', lead.partner_id)
    .where('loid', '=', lead.loid)
    .execute()
}

/** Ends the waiting change without it. What was typed is forgotten. */
export async function refuseChange(db: Db | Tx, partnerId: string, loid: string, problem: string): Promise<void> {
  await db
    .updateTable('lead_changes')
    .set({ state: 'refused', problem, corrected: null, reason: null, lead_before: null })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('state', '=', 'waiting')
    .execute()
}

/** Takes the waiting change, so that it is carried out once. */
export function takeChange(tx: Tx, partnerId: string, loid: string): Promise<LeadChangeRow | undefined> {
  return tx
    .deleteFrom('lead_changes')
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('state', '=', 'waiting')
    .returningAll()
    .executeTakeFirst()
}

export function lockLead(tx: Tx, partnerId: string, loid: string): Promise<LeadRow | undefined> {
  return tx
    .selectFrom('leads')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * Writes corrected columns. The time of the last pull is forgotten, so that the next pull compares the lead with the CRM
 * again.
 */
export async function updateCorrected(
  tx: Tx,
  lead: LeadRow,
  { corrected, lead_before }: LeadChangeRow,
  at: string,
  nameNow: CrmLead['nameNow'],
): Promise<void> {
  // A pull may have taken the correction for the lender's edit.
  const isPartners = lead_before !== null && !isTouched(lead, { ...lead_before, ...corrected }, nameNow)
  await tx
    .updateTable('leads')
    .set({
      ...corrected,
      ...searchColumns('leads', { ...lead, ...corrected }),
      modified_time: at,
      crm_modified_time: null,
      ...(isPartners && { touched_at: null }),
    })
    .where('partner_id', '=', lead.partner_id)
    .where('loid', '=', lead.loid)
    .execute()
}

/** Takes a withdrawn lead out of all lists. Its notes that wait for the CRM go no further. */
export async function updateWithdrawn(tx: Tx, { partner_id, loid }: LeadRow, at: string): Promise<void> {
  await tx
    .updateTable('leads')
    .set({ archived_at: at, archived_reason: 'withdrawn', modified_time: at })
    .where('partner_id', '=', partner_id)
    .where('loid', '=', loid)
    .execute()
  await tx
    .updateTable('notes')
    .set({ crm: 'failed', crm_problem: WITHDRAWN })
    .where('partner_id', '=', partner_id)
    .where('loid', '=', loid)
    .where('crm', '=', 'pending')
    .execute()
}

/** Sends a lead to the CRM again that the CRM had refused. Returns false if it had not been refused. */
export async function reviveCorrected(tx: Tx, { partner_id, loid }: LeadRow): Promise<boolean> {
  const revived = await tx
    .updateTable('leads')
    .set({ crm: 'pending', crm_problem: null })
    .where('partner_id', '=', partner_id)
    .where('loid', '=', loid)
    .where('crm', '=', 'failed')
    .executeTakeFirst()
  return revived.numUpdatedRows > 0n
}

/** The name of the person who asked for the change, as records show it. */
export async function findAsker(tx: Tx, personId: string): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select coalesce(nullif(concat_ws(' ', first_name, last_name), ''), business_name) as name
      from people join partners on partners.id = people.partner_id where people.id = ${personId}`.execute(tx)
  return rows[0]?.name ?? null
}
