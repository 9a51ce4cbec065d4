import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { AttachmentPlace, CrmModule } from '../crm-records.ts'

/** A record is looked at for documents at most this often when people open it (D103). */
const OPENED_SECONDS = 60

/** The portal's next look at the lender's documents of a record. */
export interface Look {
  /** Whether the portal has seen the record's documents before: only then are new ones news. */
  is_news: boolean
  /** Whether the contact of the conversion is known, or known not to be. */
  contact_read: boolean
  contact_zoho_id: string | null
  contact_made_at: string | null
}

/** Takes the next look at a record. Undefined if somebody opened it a short while ago, unless the look is wanted anyway. */
export async function beginLook(
  db: Db,
  partnerId: string,
  loid: string,
  { isWanted }: { isWanted: boolean },
): Promise<Look | undefined> {
  const { rows } = await sql<Look>`
    insert into document_looks (partner_id, loid, looked_at) values (${partnerId}, ${loid}, now())
    on conflict (partner_id, loid) do update set looked_at = now()
      where ${isWanted} or document_looks.looked_at < now() - ${OPENED_SECONDS} * interval '1 second'
    returning read_at is not null as is_news, contact_read, contact_zoho_id, contact_made_at`.execute(db)
  return rows[0]
}

/** The record's documents have been read as a whole. */
export async function markLooked(db: Db, partnerId: string, loid: string): Promise<void> {
  await sql`
    update document_looks set read_at = now() where partner_id = ${partnerId} and loid = ${loid}`.execute(db)
}

export async function keepContact(
  db: Db,
  partnerId: string,
  loid: string,
  contact: { zoho_id: string; made_at: string } | undefined,
): Promise<void> {
  await db
    .updateTable('document_looks')
    .set({ contact_read: true, contact_zoho_id: contact?.zoho_id ?? null, contact_made_at: contact?.made_at ?? null })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .execute()
}

/** Lets the next opening of the record look, because this look did not succeed. */
export async function forgetLook(db: Db, partnerId: string, loid: string): Promise<void> {
  await sql`
    update document_looks set looked_at = 'epoch' where partner_id = ${partnerId} and loid = ${loid}`.execute(db)
}

/** Returns which of these records of any partner the portal has looked at. */
export async function findLookedAtOfAllPartners(
  db: Db,
  loids: readonly string[],
): Promise<{ partner_id: string; loid: string }[]> {
  return db
    .selectFrom('document_looks')
    .select(['partner_id', 'loid'])
    .where((eb) => eb('loid', '=', eb.fn.any(eb.val(loids))))
    .where('read_at', 'is not', null)
    .execute()
}

/** SQL: the LOIDs of one referral, as a lead and as a deal. */
function loidsOf(partnerId: string, loid: string) {
  return sql`
    select ${loid}::text as loid
     union select deal_loid from leads where partner_id = ${partnerId} and loid = ${loid}
     union select lead_loid from deals where partner_id = ${partnerId} and loid = ${loid}`
}

/** Where the CRM has the referral: as leads and as a deal. */
export async function findPlaces(db: Db, partnerId: string, loid: string): Promise<AttachmentPlace[]> {
  const { rows } = await sql<{ module: CrmModule; record_zoho_id: string }>`
    with known as (${loidsOf(partnerId, loid)})
    select 'Deals' as module, zoho_id as record_zoho_id from deals join known using (loid)
     where partner_id = ${partnerId} and zoho_id is not null and archived_reason is distinct from 'left-crm'
    union
    select 'Leads', zoho_id from leads join known using (loid)
     where partner_id = ${partnerId} and zoho_id is not null and archived_reason is distinct from 'left-crm'
     order by 1, 2`.execute(db)
  return rows
}

/** The partner's own files of a referral that have reached the CRM, with the record that had each last. */
export async function findSentDocuments(
  db: Db,
  partnerId: string,
  loid: string,
): Promise<(AttachmentPlace & { id: string; zoho_id: string })[]> {
  const { rows } = await sql<AttachmentPlace & { id: string; zoho_id: string }>`
    select id, zoho_id, crm_module as module, crm_record as record_zoho_id from documents
     where partner_id = ${partnerId} and loid in (${loidsOf(partnerId, loid)})
       and sha256 is not null and state = 'synced' and removed_at is null and deleted_at is null`.execute(db)
  return rows
}
