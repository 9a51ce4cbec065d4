import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'

/** Until the transaction ends, nobody else submits an import of this partner. */
export async function lockImportsOf(tx: Tx, partnerId: string): Promise<void> {
  await tx.selectFrom('imports').select('id').where('partner_id', '=', partnerId).orderBy('id').forUpdate().execute()
}

/** Chooses the rows to submit, and returns how many they are. */
export async function chooseRows(
  tx: Tx,
  partnerId: string,
  importId: string,
  withDuplicates: boolean,
): Promise<number> {
  const chosen = await tx
    .updateTable('import_rows')
    .set({ is_chosen: true })
    .where('partner_id', '=', partnerId)
    .where('import_id', '=', importId)
    .where('standing', 'in', withDuplicates ? ['ready', 'duplicate'] : ['ready'])
    .executeTakeFirst()
  return Number(chosen.numUpdatedRows)
}

/** Chooses the rows that were refused, and returns how many they are. */
export async function chooseRefusedRows(tx: Tx, partnerId: string, importId: string): Promise<number> {
  const chosen = await tx
    .updateTable('import_rows')
    .set({ outcome: null, since: null, refused: false })
    .where('partner_id', '=', partnerId)
    .where('import_id', '=', importId)
    .where('refused', '=', true)
    .executeTakeFirst()
  return Number(chosen.numUpdatedRows)
}

/** How many rows the partner has submitted in other files since this time. */
export async function countOtherRowsSince(tx: Tx, partnerId: string, importId: string, since: string): Promise<number> {
  const row = await tx
    .selectFrom('imports')
    .select(({ fn }) => fn.sum<string | null>('chosen').as('rows'))
    .where('partner_id', '=', partnerId)
    .where('id', '<>', importId)
    .where('submitted_at', '>', since)
    .executeTakeFirst()
  return Number(row?.rows ?? 0)
}

interface Submission {
  person_id: string
  chosen: number
  with_duplicates: boolean
  consent_version: string
  submitted_at: string
}

export async function markSubmitting(tx: Tx, partnerId: string, importId: string, submission: Submission) {
  await tx
    .updateTable('imports')
    .set({ ...submission, state: 'submitting', done_at: null })
    .where('partner_id', '=', partnerId)
    .where('id', '=', importId)
    .execute()
}

export function findSubmission(tx: Tx, partnerId: string, importId: string) {
  return tx
    .selectFrom('imports')
    .select(['person_id', 'with_duplicates', 'consent_version'])
    .where('partner_id', '=', partnerId)
    .where('id', '=', importId)
    .executeTakeFirst()
}

export type WaitingRow = Awaited<ReturnType<typeof lockWaitingRows>>[number]

/** Locks the import's first rows that are chosen and have no outcome. A second run of the job waits for them. */
export function lockWaitingRows(tx: Tx, partnerId: string, importId: string, rowsMax: number) {
  return tx
    .selectFrom('import_rows')
    .select(['partner_id', 'import_id', 'number', 'hash', 'lead', 'standing'])
    .where('partner_id', '=', partnerId)
    .where('import_id', '=', importId)
    .where('is_chosen', '=', true)
    .where('outcome', 'is', null)
    .orderBy('number')
    .limit(rowsMax)
    .forUpdate()
    .execute()
}

/**
 * Claims the row for its import. Returns the LOID of the lead that another import has made of it, or undefined if the
 * row is this import's. Waits for another import that is about to submit it.
 */
export async function claimHash(tx: Tx, { partner_id, import_id, hash }: WaitingRow): Promise<string | undefined> {
  const claimed = await tx
    .insertInto('imported_rows')
    .values({ partner_id, import_id, hash, loid: '' })
    .onConflict((conflict) => conflict.columns(['partner_id', 'hash']).doNothing())
    .executeTakeFirst()
  if (claimed.numInsertedOrUpdatedRows === 1n) return undefined
  const other = await tx
    .selectFrom('imported_rows')
    .select('loid')
    .where('partner_id', '=', partner_id)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return other?.loid
}

export type RowKey = Pick<WaitingRow, 'partner_id' | 'import_id' | 'number'>

/** `since` says what changed after the check although the row was submitted. */
export async function markRowSubmitted(tx: Tx, row: WaitingRow, loid: string, since: string | null): Promise<void> {
  await tx
    .updateTable('imported_rows')
    .set({ loid })
    .where('partner_id', '=', row.partner_id)
    .where('hash', '=', row.hash)
    .execute()
  await updateRow(tx, row).set({ outcome: 'submitted', loid, since }).execute()
}

export async function markRowLeftOut(tx: Tx, row: RowKey, since: string): Promise<void> {
  await updateRow(tx, row).set({ outcome: 'left-out', since }).execute()
}

/** Leaves the row out for a reason that is not its own, so that it can be submitted again. A second run may have submitted it. */
export async function markRowRefused(tx: Tx, row: RowKey, since: string): Promise<void> {
  await updateRow(tx, row).set({ outcome: 'left-out', since, refused: true }).where('outcome', 'is', null).execute()
}

export function updateRow(tx: Tx, { partner_id, import_id, number }: RowKey) {
  return tx
    .updateTable('import_rows')
    .where('partner_id', '=', partner_id)
    .where('import_id', '=', import_id)
    .where('number', '=', number)
}

export async function refuseWaitingRows(db: Db, partnerId: string, importId: string, since: string): Promise<void> {
  await db
    .updateTable('import_rows')
    .set({ outcome: 'left-out', since, refused: true })
    .where('partner_id', '=', partnerId)
    .where('import_id', '=', importId)
    .where('is_chosen', '=', true)
    .where('outcome', 'is', null)
    .execute()
}

/** Ends the submission and keeps what it came to, for the time after its rows have been removed. */
export async function finishImport(db: Db, partnerId: string, importId: string, at: string): Promise<void> {
  await sql`
    update imports set state = 'done', done_at = ${at}, changed_at = ${at}, submitted = counted.submitted, changed = counted.changed
      from (select count(*) filter (where outcome = 'submitted') as submitted, count(*) filter (where since is not null) as changed
              from import_rows where partner_id = ${partnerId} and import_id = ${importId}) as counted
     where partner_id = ${partnerId} and id = ${importId} and state = 'submitting'`.execute(db)
}
