import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'

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

/** Whether the CRM refuses leads or deals of several partners for a reason of its own. Then it takes no others either. */
export async function takesNone(reads: Reads): Promise<boolean> {
  const rows = await sendNamed<{ partner_id: string }>(reads, {
    sql: `select partner_id from leads where crm <> 'synced' and crm = 'pending' and crm_problem = $1
           union
          select partner_id from deals where crm <> 'synced' and crm = 'pending' and crm_problem = $1
           limit 2`,
    parameters: [NOT_TAKEN],
  })
  return rows.length > 1
}

/** Sets at most `limit` failed records of each kind, of any partner, to pending again, except erased ones. */
export async function reviveFailedOfAllPartners(tx: Tx, limit: number): Promise<Pushed[]> {
  const revive = async (on: Pushed['on'], isOpen: RawBuilder<unknown>) => {
    const { rows } = await sql<{ partner_id: string; id: string; loid: string }>`
      update ${sql.table(on)} as failed set crm = 'pending', crm_problem = null
       where id in (select id from ${sql.table(on)} where crm = 'failed' and ${isOpen} limit ${limit})
       returning failed.partner_id, failed.id, failed.loid`.execute(tx)
    return rows.map(({ partner_id: partnerId, id, loid }): Pushed => {
      return on === 'notes' ? { on, partnerId, noteId: id } : { on, partnerId, loid }
    })
  }
  const unerased = sql`erased_at is null`
  return [
    ...(await revive('leads', unerased)),
    ...(await revive('deals', unerased)),
    ...(await revive('notes', sql`true`)),
  ]
}

function is(record: Pushed) {
  return 'noteId' in record
    ? sql`partner_id = ${record.partnerId} and id = ${record.noteId}`
    : sql`partner_id = ${record.partnerId} and loid = ${record.loid}`
}
