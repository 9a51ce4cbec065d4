import { parseLoid } from '@portal/contract/loid.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { DocumentRow } from '../../platform/db/tables.ts'
import type { AttachmentPlace } from '../crm-records.ts'
import { LOIDS_OF_REFERRAL } from '../loids/loids.queries.ts'
import { removeParts } from './uploads.queries.ts'

/** An unfinished upload ends after this time (D100). */
export const UNFINISHED_HOURS = 24

/** The lead or deal that documents belong to. */
export interface DocumentedRecord {
  loid: string
  on: 'lead' | 'deal'
  business_name: string | null
}

/** Finds the partner's lead or deal by its LOID. A lead that became a deal is the deal. */
export async function findDocumentedRecord(
  db: Db | Tx,
  partnerId: string,
  typed: string,
): Promise<DocumentedRecord | undefined> {
  const loid = parseLoid(typed)
  if (loid === null) return undefined
  const { rows } = await sql<DocumentedRecord>`
    select loid, 'deal' as on, business_name from deals
     where partner_id = ${partnerId} and (loid = ${loid} or lead_loid = ${loid}) and archived_at is null and erased_at is null
    union all
    select loid, 'lead', business_name from leads
     where partner_id = ${partnerId} and loid = ${loid} and archived_at is null and erased_at is null
     order by 2, 1 limit 1`.execute(db)
  return rows[0]
}

export type ShownDocument = Pick<
  DocumentRow,
  | 'id'
  | 'name'
  | 'size'
  | 'type'
  | 'state'
  | 'problem'
  | 'person_id'
  | 'added_by'
  | 'added_at'
  | 'request_id'
  | 'sha256'
  | 'deleted_at'
> & {
  /** Whether the lender has done something with the request since the file answered it. */
  is_settled: boolean
}

/** The documents of a referral, newest first. */
export function findDocuments(reads: Reads, partnerId: string, loid: string): Promise<ShownDocument[]> {
  return sendNamed<ShownDocument>(reads, {
    sql: `select id, name, size, type, state, problem, person_id, added_by, added_at, request_id, sha256, deleted_at,
                 exists (select from requests as request where request.id = documents.request_id and request.state <> 'sent') as is_settled
            from documents
           where partner_id = $1 and loid = any(array(${LOIDS_OF_REFERRAL})) and removed_at is null
           order by added_at desc, id desc
           limit 500`,
    parameters: [partnerId, loid],
  })
}

/** The record's document with this content, unless it failed, was taken back, or was deleted by the lender. */
export function findSameDocument(
  db: Db | Tx,
  partnerId: string,
  { loid, sha256 }: { loid: string; sha256: string },
): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('documents')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('sha256', '=', sha256)
    .where('state', '<>', 'failed')
    .where('removed_at', 'is', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function insertDocument(
  tx: Tx,
  document: Omit<DocumentRow, 'sent_name' | 'sent_at' | 'removed_at' | 'deleted_at' | 'arrived'>,
): Promise<void> {
  await tx.insertInto('documents').values(document).execute()
}

export function findDocument(db: Db | Tx, partnerId: string, id: string): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('documents')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Locks a document until the transaction ends. */
export function lockDocument(tx: Tx, partnerId: string, id: string): Promise<DocumentRow | undefined> {
  return tx
    .selectFrom('documents')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Changes a document that nobody has taken back. Returns false if it was taken back. */
export async function updateDocument(
  db: Db | Tx,
  partnerId: string,
  id: string,
  changed: Partial<
    Pick<
      DocumentRow,
      'state' | 'problem' | 'name' | 'type' | 'request_id' | 'answered_at' | 'sent_at' | 'removed_at' | 'added_at'
    >
  >,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('documents')
    .set(changed)
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** After an unanswered push, the next one waits this long: the CRM may carry out a call that was given up. */
const UNANSWERED_SECONDS = 400

/**
 * Marks a document as about to be sent under this name. Returns false if it was sent a short while ago and may still
 * arrive, or was taken back. All times are by the database's clock.
 */
export async function markDocumentSent(db: Db, id: string, name: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update documents set sent_at = now(), sent_name = ${name}
     where id = ${id} and removed_at is null
       and (sent_at is null or sent_at < now() - ${UNANSWERED_SECONDS} * interval '1 second')`.execute(db)
  return numAffectedRows > 0n
}

/** Whether the CRM may still carry out a call that sent the document. */
export async function mayStillArrive(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from documents where id = ${id} and sent_at > now() - ${UNANSWERED_SECONDS} * interval '1 second'`.execute(
    db,
  )
  return rows.length > 0
}

export async function clearDocumentSent(db: Db, id: string): Promise<void> {
  await db.updateTable('documents').set({ sent_at: null }).where('id', '=', id).execute()
}

/** The CRM has the document: its content leaves the portal (D101). A document taken back in the meantime stays so. */
export async function markDocumentPushed(
  tx: Tx,
  { partner_id, id }: Pick<DocumentRow, 'partner_id' | 'id'>,
  { module, record_zoho_id }: AttachmentPlace,
  zohoId: string,
): Promise<void> {
  await tx
    .updateTable('documents')
    .set({ state: 'synced', problem: null, zoho_id: zohoId, crm_module: module, crm_record: record_zoho_id })
    .where('partner_id', '=', partner_id)
    .where('id', '=', id)
    .execute()
  await removeParts(tx, partner_id, id)
}

/** Returns which of these CRM ids belong to documents other than `id`. */
export async function findOtherDocumentsOfAnyPartner(
  db: Db,
  id: string,
  zohoIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('documents')
    .select('zoho_id')
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .where('id', '<>', id)
    .execute()
  return new Set(rows.flatMap((row) => row.zoho_id ?? []))
}

/** The CRM's records that may have a document: the record that had it last, and the lead and the deal with its LOID. */
export async function findPlacesOfDocument(
  db: Db,
  { id, loid }: Pick<DocumentRow, 'id' | 'loid'>,
): Promise<AttachmentPlace[]> {
  const { rows } = await sql<AttachmentPlace>`
    select crm_module as module, crm_record as record_zoho_id from documents where id = ${id} and crm_record is not null
    union
    select 'Deals', zoho_id from deals where loid = ${loid} and zoho_id is not null
    union
    select 'Leads', zoho_id from leads where loid = ${loid} and zoho_id is not null
     order by 1, 2`.execute(db)
  return rows
}

/** Finds the partner's documents that wait to be pushed, the oldest first. */
export async function findDocumentsToPush(db: Db | Tx, partnerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('documents')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('state', '=', 'pending')
    .where('removed_at', 'is', null)
    .orderBy('added_at')
    .limit(1_000)
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Locks the documents of these files of the CRM, and the record's documents that may be among the files because their answer
 * was lost. Whichever partner had them: the lender may have given the record to another one.
 */
export function lockDocumentsOfAttachmentsOfAnyPartner(
  tx: Tx,
  loid: string,
  listed: readonly { zoho_id: string }[],
): Promise<DocumentRow[]> {
  const zohoIds = listed.map(({ zoho_id }) => zoho_id)
  return tx
    .selectFrom('documents')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))),
        eb.and({ loid }).and('zoho_id', 'is', null).and('sent_name', 'is not', null),
      ]),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
}

/**
 * A document is in another place of the CRM, belongs to another referral, or to another partner with its record. A document
 * that the lender had deleted is back.
 */
export async function moveDocument(
  tx: Tx,
  { id, sha256, removed_at }: Pick<DocumentRow, 'id' | 'sha256' | 'removed_at'>,
  { module, record_zoho_id }: AttachmentPlace,
  owner: { partnerId: string; loid: string },
): Promise<void> {
  await tx
    .updateTable('documents')
    .set({ crm_module: module, crm_record: record_zoho_id, partner_id: owner.partnerId, loid: owner.loid })
    .set({ removed_at: sha256 === null ? null : removed_at, deleted_at: null })
    .where('id', '=', id)
    .execute()
}

/** Removes the lender's documents of a referral that are not there any more. */
export async function removeLendersDocuments(
  tx: Tx,
  partnerId: string,
  loid: string,
  { there, at }: { there: readonly string[]; at: string },
): Promise<void> {
  await tx
    .updateTable('documents')
    .set({ removed_at: at })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('sha256', 'is', null)
    .where('removed_at', 'is', null)
    .where((eb) => eb.not(eb('zoho_id', '=', eb.fn.any(eb.val(there)))))
    .execute()
}

/** The lender has deleted these files of the partner's own. They stay in the list. */
export async function markDocumentsDeleted(
  tx: Tx,
  partnerId: string,
  ids: readonly string[],
  at: string,
): Promise<void> {
  await tx
    .updateTable('documents')
    .set({ deleted_at: at })
    .where('partner_id', '=', partnerId)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
    .where('deleted_at', 'is', null)
    .execute()
}

/** Removes the documents of records that are gone for good, unless a lead or deal still has their LOID. */
export async function removeDocumentsOfAllPartners(tx: Tx, loids: readonly string[]): Promise<void> {
  for (const table of ['documents', 'document_looks'] as const) {
    await sql`
      delete from ${sql.table(table)} where loid = any(${loids})
         and loid not in (select loid from leads where loid = any(${loids}) union select loid from deals where loid = any(${loids}))`.execute(
      tx,
    )
  }
}

/** Removes uploads that were not finished in time, and what was refused or taken back a while ago. */
export async function removeEndedDocumentsOfAllPartners(
  db: Db,
  { unfinished, refused }: { unfinished: string; refused: string },
  rowsMax: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from documents where id in (
      select id from documents
       where (state = 'uploading' and added_at < ${unfinished})
          or (state = 'failed' and added_at < ${refused})
          or removed_at < ${refused}
       limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows)
}
