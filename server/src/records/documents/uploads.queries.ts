import { sql } from 'kysely'
import { countBytes } from '../../platform/collect-bytes.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { NotFound } from '../../platform/errors.ts'

/** An upload that nobody continues gives back its room after this time. */
const RESTING_MINUTES = 60
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
    select (select count(*) from documents where partner_id = ${partnerId} and loid = ${loid} and removed_at is null and deleted_at is null and state <> 'failed')::int as of_record,
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
  // It was taken back.
  if (rows.length === 0) throw new NotFound('Document not found')
  countBytes(SLICE_BYTES * rows.length)
  return rows.map((row) => row.content)
}

export async function removeParts(tx: Db | Tx, partnerId: string, id: string): Promise<void> {
  await tx.deleteFrom('document_parts').where('partner_id', '=', partnerId).where('document_id', '=', id).execute()
}
