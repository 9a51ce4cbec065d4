import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { type Asker, rowsOf } from './imports.queries.ts'
import { type RowKey, updateRow } from './submission.queries.ts'

/** Locks the import until the transaction ends. Undefined if there is no such import. */
export function lockToUndo(tx: Tx, partnerId: string, importId: string) {
  return tx
    .selectFrom('imports')
    .select(['state', 'done_at', 'undo_asked_at', 'submitted', 'has_rows'])
    .where('partner_id', '=', partnerId)
    .where('id', '=', importId)
    .forUpdate()
    .executeTakeFirst()
}

export async function markUndoAsked(tx: Tx, asker: Asker, importId: string, at: string): Promise<void> {
  await tx
    .updateTable('imports')
    .set({ undo_asked_at: at, undo_person_id: asker.personId, changed_at: at })
    .where('partner_id', '=', asker.id)
    .where('id', '=', importId)
    .execute()
}

/** Who asked to undo the import, and when. Undefined once it is undone. */
export function findUndo(db: Db, partnerId: string, importId: string) {
  return db
    .selectFrom('imports')
    .select(['undo_asked_at', 'undo_person_id'])
    .where('partner_id', '=', partnerId)
    .where('id', '=', importId)
    .where('undone_at', 'is', null)
    .executeTakeFirst()
}

export type RowToUndo = RowKey & { loid: string }

/** The next rows below the row `after` whose leads are neither withdrawn nor kept. */
export async function findRowsToUndo(db: Db, partnerId: string, importId: string, after: number, rowsMax: number) {
  const rows = await rowsOf(db, partnerId, importId)
    .select(['partner_id', 'import_id', 'number', 'loid'])
    .where('outcome', '=', 'submitted')
    .where('undo', 'is', null)
    .where('number', '>', after)
    .orderBy('number')
    .limit(rowsMax)
    .execute()
  return rows.map((row): RowToUndo => ({ ...row, loid: row.loid ?? '' }))
}

/** What people have added to a lead, or corrected in it, since it was submitted. */
export async function findTouches(tx: Tx, partnerId: string, loid: string) {
  const { rows } = await sql<{ has_notes: boolean; has_documents: boolean; is_corrected: boolean }>`
    select exists (select from notes where partner_id = ${partnerId} and loid = ${loid}) as has_notes,
           exists (select from documents where partner_id = ${partnerId} and loid = ${loid} and removed_at is null) as has_documents,
           exists (select from events where partner_id = ${partnerId} and loid = ${loid} and type = 'lead.corrected') as is_corrected`.execute(
    tx,
  )
  return rows[0]
}

export function findChangeOf(tx: Tx, partnerId: string, loid: string) {
  return tx
    .selectFrom('lead_changes')
    .select(['kind', 'state', 'problem', 'asked_at'])
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .executeTakeFirst()
}

/** The row's lead is withdrawn, so the same row may be imported again. */
export async function markRowWithdrawn(tx: Tx, row: RowToUndo): Promise<void> {
  await updateRow(tx, row).set({ undo: 'withdrawn' }).where('undo', 'is', null).execute()
  await tx
    .deleteFrom('imported_rows')
    .where('partner_id', '=', row.partner_id)
    .where('import_id', '=', row.import_id)
    .where('loid', '=', row.loid)
    .execute()
}

export async function markRowKept(tx: Tx, row: RowToUndo, because: string): Promise<void> {
  await updateRow(tx, row).set({ undo: 'kept', kept_because: because }).where('undo', 'is', null).execute()
}

/** Ends the undoing and keeps what it came to, for the time after its rows have been removed. */
export async function finishUndo(db: Db, partnerId: string, importId: string, at: string): Promise<void> {
  await sql`
    update imports set undone_at = ${at}, changed_at = ${at}, withdrawn = counted.withdrawn, kept = counted.kept
      from (select count(*) filter (where undo = 'withdrawn') as withdrawn, count(*) filter (where undo = 'kept') as kept
              from import_rows where partner_id = ${partnerId} and import_id = ${importId}) as counted
     where partner_id = ${partnerId} and id = ${importId} and undo_asked_at is not null and undone_at is null`.execute(
    db,
  )
}
