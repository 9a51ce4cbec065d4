import type { Hold } from '@portal/contract/holds.ts'
import { sql, Transaction } from 'kysely'
import { compiler, type Db, type Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import {
  type CrmPartner,
  OPTIONAL_PARTNER_FIELDS,
  PARTNER_FIELDS,
  type PartnerToPush,
  type PushedPartner,
} from '../crm-records.ts'
import { awaitsLender } from './hold-of.ts'

export type FoundPartner = NonNullable<Awaited<ReturnType<typeof findPartnerToPush>>>

/**
 * Finds the columns that decide whether and how the partner is pushed. Names, email and phone are the contact's.
 * Returns undefined for a closed account.
 */
export function findPartnerToPush(db: Db, partnerId: string) {
  return db
    .selectFrom('partners')
    .innerJoin('partner_contacts as contact', 'contact.partner_id', 'partners.id')
    .select([
      'id',
      'zoho_id',
      'business_name',
      'modified_time',
      'crm',
      'crm_record_sent_at',
      'pushes_unverified',
      'access',
      'sign_up',
      'opened_at',
      'crm_fields',
      'abn',
      'gst_registered',
      'held_for',
    ])
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('accepted_agreements')
          .select(['version', 'agreed_on'])
          .whereRef('partner_id', '=', 'partners.id')
          .orderBy('agreed_at', 'desc')
          .limit(1)
          .as('agreement'),
      (join) => join.onTrue(),
    )
    .select(['agreement.version as agreement_version', 'agreement.agreed_on'])
    .select(['contact.email', 'contact.first_name', 'contact.last_name', 'contact.phone', 'contact.email_verified'])
    .where('id', '=', partnerId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
}

/** What of the partner's fields has changed since the portal wrote them into the CRM's record. */
export function changedFields(partner: FoundPartner): Partial<PartnerToPush> {
  const optional: readonly string[] = OPTIONAL_PARTNER_FIELDS
  const changed = PARTNER_FIELDS.filter((field) => {
    const written = partner.crm_fields?.[field]
    return optional.includes(field) ? partner[field] !== (written ?? null) : partner[field] !== written
  })
  return Object.fromEntries(changed.map((field) => [field, partner[field]]))
}

/** The CRM's records from which a held partner may get its own, and how many leads and deals the only one has. */
export interface LinkCandidates {
  zohoIds: string[]
  records: number | null
}

/** Marks the partner as held. Returns false if the address, for which the partner was to wait, has been verified. */
export function markPartnerHeld(
  db: Db,
  partnerId: string,
  reason: Hold,
  { zohoIds, records }: LinkCandidates = { zohoIds: [], records: null },
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockHold(tx, partnerId)
    const contact = await tx
      .selectFrom('partner_contacts')
      .select('email_verified')
      .where('partner_id', '=', partnerId)
      .executeTakeFirst()
    const waitsForAddress = reason === 'unverified' || reason === 'existing'
    // If there is no contact, the account was closed in the meantime and is not linked to anything.
    if (waitsForAddress && contact?.email_verified) return false
    const problem = OPERATOR_TEXTS[reason]
    await tx
      .updateTable('partners')
      .set({
        crm: 'held',
        held_for: reason,
        link_candidates: zohoIds,
        link_records: records,
        crm_problem: problem ? `${problem} ${zohoIds.join(', ') || 'none found'}.` : null,
      })
      .where('id', '=', partnerId)
      .execute()
    return true
  })
}

/**
 * Why the partner's records wait here: for a verified address (D122) where `holdUnverified` is on or the lender confirms
 * each partner, or for the lender's word (D116). Null if they do not wait.
 */
export async function findWait(
  from: Tx | Reads,
  partnerId: string,
  { holdUnverified }: { holdUnverified: boolean },
): Promise<'unverified' | 'pending' | null> {
  const asked = compiler
    .selectFrom('partners')
    .innerJoin('partner_contacts as contact', 'contact.partner_id', 'partners.id')
    .select(['contact.email_verified', 'pushes_unverified', 'access', 'sign_up', 'opened_at'])
    .where('partners.id', '=', partnerId)
    .compile()
  const [row] = from instanceof Transaction ? (await from.executeQuery(asked)).rows : await sendNamed(from, asked)
  if (!row) return null
  if (mustVerify(row, { holdUnverified })) return 'unverified'
  return awaitsLender(row) ? 'pending' : null
}

/** Whether nothing of the partner is sent before its address is verified (D116, D122). */
export function mustVerify(
  partner: Pick<FoundPartner, 'email_verified' | 'pushes_unverified' | 'sign_up'>,
  { holdUnverified }: { holdUnverified: boolean },
): boolean {
  if (partner.email_verified) return false
  return partner.sign_up === 'approval' || (holdUnverified && !partner.pushes_unverified)
}

/** Until the transaction ends, nobody else verifies the address, or marks the partner as held or no longer held. */
export async function lockHold(tx: Tx, partnerId: string): Promise<void> {
  await tx.selectFrom('partners').select('id').where('id', '=', partnerId).forNoKeyUpdate().execute()
}

/** Counts the partner's leads and deals that are on their way to the CRM. A lead that was withdrawn is not. */
export async function countWaitingRecords(tx: Tx, partnerId: string): Promise<number> {
  const count = async (table: 'leads' | 'deals') => {
    const row = await tx
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('partner_id', '=', partnerId)
      .where('crm', '=', 'pending')
      .where('archived_at', 'is', null)
      .executeTakeFirst()
    return Number(row?.count ?? 0)
  }
  return (await count('leads')) + (await count('deals'))
}

/** What `crm check` says about holds that only the operator or the lender can end. */
const OPERATOR_TEXTS: Partial<Record<Hold, string>> = {
  several:
    'The CRM has several records with its email address, or another partner has the record. Merge them, or choose one with `npm run portal -- partner link`:',
  deleted:
    'The CRM does not show its record any more. Restore the record, or link another one with `npm run portal -- partner link`. Candidates:',
}

/**
 * Marks the partners for a push whose record lacks what the portal knows of them, because the organisation lacked the
 * fields. Returns their ids.
 */
export async function markLackingOfAllPartners(tx: Tx, at: string): Promise<string[]> {
  const rows = await tx
    .updateTable('partners')
    .set({ crm: 'pending', modified_time: at })
    .where('crm', '=', 'synced')
    .where('closed_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('accepted_agreements').select('version').whereRef('partner_id', '=', 'partners.id')),
    )
    .where(sql<boolean>`not coalesce(crm_fields, '{}') ? 'agreement_version'`)
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Takes the tax details of the partners' own records, where the portal has no change of its own to write there. A field
 * that the organisation lacks stays as it is.
 */
export async function updateTaxDetails(tx: Tx, told: readonly CrmPartner[]): Promise<void> {
  const values = told.filter((one) => one.abn !== undefined || one.gst_registered !== undefined)
  if (values.length === 0) return
  await sql`
    with told as (
      select partners.id, value
        from partners join jsonb_array_elements(${JSON.stringify(values)}::jsonb) told (value) on zoho_id = value ->> 'zoho_id'
       where crm_problem is null
         and (crm = 'synced' or abn is not distinct from crm_fields ->> 'abn'
                                and gst_registered is not distinct from crm_fields ->> 'gst_registered')
         and (value ? 'abn' and value ->> 'abn' is distinct from abn
              or value ? 'gst_registered' and value ->> 'gst_registered' is distinct from gst_registered)
       order by partners.id
         for no key update of partners
    )
    update partners
       set abn = case when value ? 'abn' then value ->> 'abn' else abn end,
           gst_registered = case when value ? 'gst_registered' then value ->> 'gst_registered' else gst_registered end,
           crm_fields = crm_fields || (select coalesce(jsonb_object_agg(key, field), '{}') from jsonb_each(value) as said (key, field)
                                        where key in ('abn', 'gst_registered'))
      from told where partners.id = told.id`.execute(tx)
}

/** Finds all partners that have their own record in the CRM. */
export async function findConnectedPartners(db: Db): Promise<{ zoho_id: string }[]> {
  const rows = await db.selectFrom('partners').select('zoho_id').where('crm', '=', 'synced').execute()
  return rows.flatMap(({ zoho_id }) => (zoho_id === null ? [] : { zoho_id }))
}

/** Finds at most a hundred partners whose CRM record was gone, with the record's id. */
export function findPartnersWithoutRecord(db: Db): Promise<{ id: string; zoho_id: string }[]> {
  return db
    .selectFrom('partners')
    .select(['id', 'zoho_id'])
    .where('crm', '=', 'held')
    .where('held_for', '=', 'deleted')
    .where('zoho_id', 'is not', null)
    .where('closed_at', 'is', null)
    .orderBy('id')
    .limit(100)
    .$narrowType<{ zoho_id: string }>()
    .execute()
}

/** Finds the partners that have one of these CRM records. */
export function findPartnersLinkedTo(db: Db | Tx, zohoIds: readonly string[]): Promise<{ id: string }[]> {
  return db
    .selectFrom('partners')
    .select('id')
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .execute()
}

/**
 * Whether the link to an existing record has to be confirmed first: the partner has several people, deactivated ones
 * included, and the contact has not agreed that they see the record's leads and deals (D121).
 */
export async function needsLinkConfirmed(db: Db, partnerId: string, zohoId: string): Promise<boolean> {
  const row = await db
    .selectFrom('partners')
    .innerJoin('partner_contacts as contact', 'contact.partner_id', 'partners.id')
    .select(({ selectFrom, fn }) => [
      'link_confirmed',
      'link_confirmed_by',
      'contact.person_id',
      selectFrom('people').select(fn.countAll<number>().as('count')).where('partner_id', '=', partnerId).as('people'),
    ])
    .where('partners.id', '=', partnerId)
    .executeTakeFirst()
  if (Number(row?.people) <= 1) return false
  return row?.link_confirmed !== zohoId || row.link_confirmed_by !== row.person_id
}

/**
 * Stores which state of the partner's data is about to be sent as a new record. Returns false if the data has changed
 * since it was read.
 */
export async function markRecordSent(
  db: Db,
  { id, modified_time }: Pick<FoundPartner, 'id' | 'modified_time'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('partners')
    .set({ crm_record_sent_at: modified_time })
    .where('id', '=', id)
    .where('modified_time', '=', modified_time)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function clearRecordSent(db: Db, partnerId: string): Promise<void> {
  await db.updateTable('partners').set({ crm_record_sent_at: null }).where('id', '=', partnerId).execute()
}

/**
 * `given` is the partner as it was pushed. If the partner has changed since, its `crm` stays as it is, and the
 * later change has its own job. What staff have changed in a field in the meantime stays known as the CRM's value.
 * `isConnected` is true if the partner was held until now, or has just been linked to an existing CRM record.
 */
export async function markPartnerPushed(
  tx: Tx,
  partnerId: string,
  { zoho_id, left_out, lacking, was_there }: PushedPartner,
  given: FoundPartner,
): Promise<{ isConnected: boolean }> {
  const problem = left_out.length === 0 ? null : `The CRM does not accept the content of ${left_out.join(' and ')}.`
  const known = PARTNER_FIELDS.filter((field) => !lacking.includes(field))
  const before = await tx
    .selectFrom('partners')
    .select(['crm', 'zoho_id', 'crm_fields'])
    .where('id', '=', partnerId)
    .where('closed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  // The account was closed in the meantime.
  if (!before) return { isConnected: false }
  const inCrm = known.map((field) => {
    const read = before.crm_fields?.[field]
    return [field, read === given.crm_fields?.[field] ? given[field] : read]
  })
  await tx
    .updateTable('partners')
    .set((eb) => ({
      zoho_id,
      crm: eb
        .case()
        .when('modified_time', '=', given.modified_time)
        .then('synced' as const)
        .else(eb.ref('crm'))
        .end(),
      crm_problem: problem,
      crm_fields: problem === null ? JSON.stringify(Object.fromEntries(inCrm)) : null,
      crm_record_sent_at: null,
      held_for: null,
      link_candidates: eb.val<string[]>([]),
      link_records: null,
    }))
    .where('id', '=', partnerId)
    .execute()
  return { isConnected: before.crm === 'held' || (was_there && before.zoho_id !== zoho_id) }
}

/** Changes only a pending partner. If the partner's record is up to date, the job that gives up is an older job. */
export async function markPartnerPushFailed(db: Db, partnerId: string, problem: string): Promise<void> {
  await db
    .updateTable('partners')
    .set({ crm: 'failed', crm_problem: problem })
    .where('id', '=', partnerId)
    .where('crm', '=', 'pending')
    .execute()
}

/** For operators: lists at most a hundred partners whose CRM record is missing or incomplete, with the reason. */
export function findProblemsOfAllPartners(db: Db): Promise<{ business_name: string; crm_problem: string | null }[]> {
  return db
    .selectFrom('partners')
    .select(['business_name', 'crm_problem'])
    .where('crm_problem', 'is not', null)
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .limit(100)
    .execute()
}
