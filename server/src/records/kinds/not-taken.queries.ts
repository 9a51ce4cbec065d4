import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'

/** What partners read on a record that the CRM refuses for a reason of its own (D125). */
export const NOT_TAKEN = 'The lender’s CRM has not taken it yet. Nothing is lost.'

/** A lead or deal by its LOID, or a note by its id. */
export type Pushed =
  | { on: 'leads'; partnerId: string; loid: string }
  | { on: 'deals'; partnerId: string; loid: string }
  | { on: 'notes'; partnerId: string; noteId: string }

/** Says on a waiting record that the CRM has not taken it yet. */
export async function markNotTaken(db: Db, record: Pushed): Promise<void> {
  await sql`update ${sql.table(record.on)} set crm_problem = ${NOT_TAKEN}
             where ${is(record)} and crm = 'pending' and crm_problem is distinct from ${NOT_TAKEN}`.execute(db)
}

/** Whether the record still waits because the CRM has not taken it. */
export async function isNotTaken(db: Db, record: Pushed): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(record.on)} where ${is(record)} and crm = 'pending' and crm_problem = ${NOT_TAKEN}`.execute(
    db,
  )
  return rows.length > 0
}

/** Sets all failed records of all partners to pending again, except erased ones. */
export async function reviveFailedOfAllPartners(tx: Tx): Promise<Pushed[]> {
  const loids = (on: 'leads' | 'deals') =>
    tx
      .updateTable(on)
      .set({ crm: 'pending', crm_problem: null })
      .where('crm', '=', 'failed')
      .where('erased_at', 'is', null)
      .returning(['partner_id as partnerId', 'loid'])
      .execute()
  const notes = await tx
    .updateTable('notes')
    .set({ crm: 'pending', crm_problem: null })
    .where('crm', '=', 'failed')
    .returning(['partner_id as partnerId', 'id as noteId'])
    .execute()
  const leads = (await loids('leads')).map((lead) => ({ on: 'leads' as const, ...lead }))
  const deals = (await loids('deals')).map((deal) => ({ on: 'deals' as const, ...deal }))
  return [...leads, ...deals, ...notes.map((note) => ({ on: 'notes' as const, ...note }))]
}

function is(record: Pushed) {
  return 'noteId' in record
    ? sql`partner_id = ${record.partnerId} and id = ${record.noteId}`
    : sql`partner_id = ${record.partnerId} and loid = ${record.loid}`
}
