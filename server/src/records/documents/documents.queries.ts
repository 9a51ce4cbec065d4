import { parseLoid } from '@portal/contract/loid.ts'
import { sql } from 'kysely'
import { countBytes } from '../../platform/collect-bytes.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { DocumentRow } from '../../platform/db/tables.ts'
import type { AttachmentPlace } from '../crm-records.ts'

/** An unfinished upload ends after this time (D100). */
export const UNFINISHED_HOURS = 24
/** An upload that nobody continues gives back its room after this time. */
const RESTING_MINUTES = 60
/** SQL: the LOIDs of one referral by $1 and $2, as a lead and as a deal. */
const ALL_LOIDS = `any(array(
  select $2
  union select deal_loid from leads where partner_id = $1 and loid = $2
  union select lead_loid from deals where partner_id = $1 and loid = $2))`

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
> & {
  /** Whether the lender has done something with the request since the file answered it. */
  is_settled: boolean
}

/** The documents of a referral, newest first. */
export function findDocuments(reads: Reads, partnerId: string, loid: string): Promise<ShownDocument[]> {
  return sendNamed<ShownDocument>(reads, {
    sql: `select id, name, size, type, state, problem, person_id, added_by, added_at, request_id, sha256,
                 exists (select from requests as request where request.id = documents.request_id and request.state <> 'sent') as is_settled
            from documents
           where partner_id = $1 and loid = ${ALL_LOIDS} and removed_at is null
           order by added_at desc, id desc
           limit 500`,
    parameters: [partnerId, loid],
  })
}

/** Locks the partner's uploads until the transaction ends, so that two cannot exceed a limit together. */
export async function lockUploads(tx: Tx, partnerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`documents ${partnerId}`}, 0))`.execute(tx)
}

/** Uploads that were last continued before this time rest. */
export function restingBefore(now: Date): string {
  return new Date(now.getTime() - RESTING_MINUTES * 60_000).toISOString()
}

/**
 * What counts against the limits of uploads (D100), in bytes but for `of_record`. An upload that goes on counts whole for
 * its person and partner, so that it does not stop halfway. Whatever was only begun takes no room from others.
 */
export async function countUploads(
  tx: Tx,
  partnerId: string,
  { loid, personId, now }: { loid: string; personId: string; now: Date },
) {
  const { rows } = await sql<{ of_record: number; of_person: number; of_partner: number; of_all: number }>`
    with waiting as (
      select partner_id, person_id, state, case when state = 'uploading' then arrived else size end as there,
             case when state = 'uploading' and continued_at < ${restingBefore(now)} then arrived else size end as reserved
        from documents where state in ('uploading', 'pending') and removed_at is null)
    select (select count(*) from documents where partner_id = ${partnerId} and loid = ${loid} and removed_at is null and state <> 'failed')::int as of_record,
           coalesce(sum(reserved) filter (where partner_id = ${partnerId} and person_id = ${personId} and state = 'uploading'), 0)::float8 as of_person,
           coalesce(sum(reserved) filter (where partner_id = ${partnerId}), 0)::float8 as of_partner,
           coalesce(sum(there), 0)::float8 as of_all
      from waiting`.execute(tx)
  return rows[0] ?? { of_record: 0, of_person: 0, of_partner: 0, of_all: 0 }
}

/** The bytes of files that are on their way to the CRM and have arrived here. */
export async function countArrived(db: Db, partnerId: string): Promise<{ of_partner: number; of_all: number }> {
  const { rows } = await sql<{ of_partner: number; of_all: number }>`
    select coalesce(sum(there) filter (where partner_id = ${partnerId}), 0)::float8 as of_partner,
           coalesce(sum(there), 0)::float8 as of_all
      from (select partner_id, case when state = 'uploading' then arrived else size end as there
              from documents where state in ('uploading', 'pending') and removed_at is null) as waiting`.execute(db)
  return rows[0] ?? { of_partner: 0, of_all: 0 }
}

/** Removes the parts of some uploads that rest. Returns the number of these uploads. */
export async function removeRestingPartsOfAllPartners(db: Db, before: string, uploadsMax: number): Promise<number> {
  const { rows } = await sql`
    with resting as (
      update documents set arrived = 0 where id in (
        select id from documents
         where state = 'uploading' and arrived > 0 and continued_at < ${before}
         limit ${uploadsMax}
           for update skip locked)
      returning partner_id, id
    ), removed as (
      delete from document_parts using resting
       where document_parts.partner_id = resting.partner_id and document_id = resting.id
    )
    select from resting`.execute(db)
  return rows.length
}

/** The record's document with this content, unless it failed or was taken back. */
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
    .executeTakeFirst()
}

export async function insertDocument(
  tx: Tx,
  document: Omit<DocumentRow, 'sent_name' | 'sent_at' | 'removed_at' | 'arrived'>,
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

/** The numbers of the parts that are there, in ascending order. */
export async function findPartNumbers(db: Db | Tx, partnerId: string, id: string): Promise<number[]> {
  const rows = await db
    .selectFrom('document_parts')
    .select('number')
    .where('partner_id', '=', partnerId)
    .where('document_id', '=', id)
    .orderBy('number')
    .execute()
  return rows.map((row) => row.number)
}

/**
 * Stores a part of a file that is still arriving. Returns false if the file is complete, taken back or removed. A part that
 * is there stays as it is, so that nothing replaces a part that has been judged.
 */
export async function storeDocumentPart(
  db: Db,
  {
    partnerId,
    id,
    number,
    content,
    at,
  }: { partnerId: string; id: string; number: number; content: Buffer; at: string },
): Promise<boolean> {
  // The lock waits for a verdict that is being stored, so that a refused file gets no part back.
  const { rows } = await sql`
    with part as (
      select ${at}::timestamptz as at, ${number}::int as number, ${content.byteLength}::int as bytes
    ), arriving as (
      select partner_id, id from documents
       where partner_id = ${partnerId} and id = ${id} and state = 'uploading' and removed_at is null
         for no key update
    ), stored as (
      insert into document_parts (partner_id, document_id, number, content)
      select partner_id, id, number, ${content} from arriving, part
      on conflict (partner_id, document_id, number) do nothing
      returning number
    )
    update documents
       set continued_at = at, arrived = arrived + case when exists (select from stored) then bytes else 0 end
      from arriving, part
     where documents.id = arriving.id
    returning documents.id`.execute(db)
  return rows.length > 0
}

/**
 * Rows of this size keep a process small: the driver gets each row as a text of twice its size, which young memory holds and
 * soon gives back.
 */
const SLICE_BYTES = 32 * 1024

/** Reads a file of the portal's own piece by piece, a part with each statement. */
export async function* readDocumentParts(db: Db, partnerId: string, id: string): AsyncGenerator<Buffer> {
  for (const number of await findPartNumbers(db, partnerId, id)) yield* await readPart(db, partnerId, { id, number })
}

export async function readPart(
  db: Db,
  partnerId: string,
  { id, number }: { id: string; number: number },
): Promise<Buffer[]> {
  const { rows } = await sql<{ content: Buffer }>`
    select substring(content from first for ${SLICE_BYTES}) as content
      from document_parts, generate_series(1, octet_length(content), ${SLICE_BYTES}) as first
     where partner_id = ${partnerId} and document_id = ${id} and number = ${number}
     order by first`.execute(db)
  if (rows.length === 0) throw new Error('A part of the file is gone')
  countBytes(SLICE_BYTES * rows.length)
  return rows.map((row) => row.content)
}

export async function removeParts(tx: Db | Tx, partnerId: string, id: string): Promise<void> {
  await tx.deleteFrom('document_parts').where('partner_id', '=', partnerId).where('document_id', '=', id).execute()
}

/** Changes a document that nobody has taken back. Returns false if it was taken back. */
export async function updateDocument(
  db: Db | Tx,
  partnerId: string,
  id: string,
  changed: Partial<
    Pick<DocumentRow, 'state' | 'problem' | 'name' | 'type' | 'answered_at' | 'sent_at' | 'removed_at' | 'added_at'>
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
 * A document is in another place of the CRM, belongs to another referral, or to another partner with its record. A document of
 * the lender's that had gone is back.
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
    .set({ removed_at: sha256 === null ? null : removed_at })
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
