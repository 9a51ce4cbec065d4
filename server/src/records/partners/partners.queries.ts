import type { GstRegistered } from '@portal/contract/choices.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { PartnerRow } from '../../platform/db/tables.ts'
import { NotFound } from '../../platform/errors.ts'
import { comparedName } from './compared-name.ts'
import { holdOf } from './hold-of.ts'

const PARTNER_COLUMNS = [
  'id',
  'business_name',
  'is_active',
  'zoho_id',
  'crm',
  'held_for',
  'access',
  'sign_up',
  'opened_at',
  'created_at',
  'modified_time',
] as const

export type Partner = Pick<PartnerRow, (typeof PARTNER_COLUMNS)[number]>

export async function insertPartner(
  tx: Tx,
  partner: Pick<PartnerRow, 'id' | 'business_name' | 'sign_up' | 'created_at' | 'modified_time'>,
): Promise<void> {
  const compared_name = comparedName(partner.business_name)
  await tx
    .insertInto('partners')
    .values({ ...partner, compared_name })
    .execute()
}

/** Finds a partner. Returns undefined if its account is closed. */
export function findPartner(db: Db, partnerId: string): Promise<Partner | undefined> {
  return db
    .selectFrom('partners')
    .select(PARTNER_COLUMNS)
    .where('id', '=', partnerId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
}

/** Finds partners by the ids of their records in the CRM. */
export function findPartnersByZohoId(db: Db, zohoIds: readonly string[]) {
  return db
    .selectFrom('partners')
    .select(['id', 'zoho_id', 'created_at', 'access', 'sign_up', 'opened_at'])
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .$narrowType<{ zoho_id: string }>()
    .execute()
}

export type LinkedPartner = Pick<Partner, 'id' | 'zoho_id' | 'held_for'>

/** Finds these partners with the ids of their own records in the CRM. */
export function findPartnersById(db: Db, partnerIds: readonly string[]): Promise<LinkedPartner[]> {
  return db
    .selectFrom('partners')
    .select(['id', 'zoho_id', 'held_for'])
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(partnerIds))))
    .execute()
}

/** Finds the times when these partners signed up. */
export function findPartnersCameAt(db: Db, partnerIds: readonly string[]) {
  return db
    .selectFrom('partners')
    .select(['id', 'created_at'])
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(partnerIds))))
    .execute()
}

export async function getPartner(db: Db, partnerId: string): Promise<Partner> {
  const partner = await findPartner(db, partnerId)
  if (!partner) throw new NotFound('Partner not found')
  return partner
}

/**
 * Locks the partner: until the transaction ends, no other call changes its people or the fields that are pushed to the
 * CRM.
 */
export function lockPartner(tx: Tx, partnerId: string): Promise<Pick<Partner, 'crm' | 'zoho_id'> | undefined> {
  return tx
    .selectFrom('partners')
    .select(['crm', 'zoho_id'])
    .where('id', '=', partnerId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** What an owner changes of the business; an absent field stays unchanged. */
export interface BusinessChange {
  business_name?: string | undefined
  abn?: string | null | undefined
  gst_registered?: GstRegistered | null | undefined
}

/** Marks the partner for a push to the CRM, after a change of its contact or of the business, which this stores. */
export async function updateForCrm(
  tx: Tx,
  partnerId: string,
  { business_name, ...tax }: BusinessChange,
  at: string,
): Promise<void> {
  const change = business_name === undefined ? {} : { business_name, compared_name: comparedName(business_name) }
  await tx
    .updateTable('partners')
    .set({ ...change, ...tax, crm: 'pending', modified_time: at })
    .where('id', '=', partnerId)
    .execute()
}

export function findWithoutComparedNameOfAllPartners(db: Db): Promise<{ id: string; business_name: string }[]> {
  return db
    .selectFrom('partners')
    .select(['id', 'business_name'])
    .where('compared_name', 'is', null)
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Fills in the partner's compared name, unless another partner has it. */
export async function fillComparedName(
  db: Db,
  { id, business_name }: Pick<Partner, 'id' | 'business_name'>,
): Promise<void> {
  const compared_name = comparedName(business_name)
  await db
    .updateTable('partners')
    .set({ compared_name })
    .where('id', '=', id)
    .where('business_name', '=', business_name)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('partners as other')
            .select('other.id')
            .where('other.compared_name', '=', compared_name)
            .where('other.closed_at', 'is', null),
        ),
      ),
    )
    .execute()
}

/** Finds why the partner is held, if it is, and which records of the CRM it may be linked to. */
export async function getLinkState(db: Db, partnerId: string) {
  const row = await db
    .selectFrom('partners')
    .select(['crm', 'held_for', 'access', 'link_candidates', 'link_records'])
    .where('id', '=', partnerId)
    .executeTakeFirstOrThrow()
  return { ...row, hold: holdOf(row) }
}

/** Stores that the contact agrees to a link with this record of the CRM (D121). */
export async function confirmLink(
  tx: Tx,
  partnerId: string,
  { record, personId }: { record: string; personId: string },
): Promise<void> {
  await tx
    .updateTable('partners')
    .set({ link_confirmed: record, link_confirmed_by: personId })
    .where('id', '=', partnerId)
    .execute()
}

/** Gives the partner the record that the operator has chosen. The caller queues the push. */
export async function linkPartner(tx: Tx, partnerId: string, zohoId: string): Promise<void> {
  await tx
    .updateTable('partners')
    .set({
      zoho_id: zohoId,
      crm: 'pending',
      held_for: null,
      link_candidates: [],
      link_records: null,
      crm_problem: null,
      // The other record has times of its own.
      portal_access_at: null,
    })
    .where('id', '=', partnerId)
    .execute()
}

/**
 * Gives a new partner the CRM record that invited it (D116). `written` is what the record says of the partner already.
 * The caller queues the connection.
 */
export async function linkInvitedPartner(
  tx: Tx,
  partnerId: string,
  { zohoId, readAt, written, at }: { zohoId: string; readAt: string; written: object; at: string },
): Promise<void> {
  await tx
    .updateTable('partners')
    .set({
      zoho_id: zohoId,
      crm: 'synced',
      crm_fields: JSON.stringify(written),
      portal_access: 'Invited',
      portal_access_at: readAt,
      opened_at: at,
    })
    .where('id', '=', partnerId)
    .execute()
}

/** Ends the hold: the portal may now connect the partner with a record in the CRM (D52). */
export async function endHold(tx: Tx, partnerId: string): Promise<void> {
  await tx.updateTable('partners').set({ crm: 'pending', held_for: null }).where('id', '=', partnerId).execute()
}

/** Activates or deactivates the partner. Returns false if the partner was in that state already. */
export async function updateActive(tx: Tx, partnerId: string, isActive: boolean): Promise<boolean> {
  const row = await tx
    .updateTable('partners')
    .set({ is_active: isActive })
    .where('id', '=', partnerId)
    .where('is_active', '!=', isActive)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Closes the partner's account. The row stays, because the partner's leads refer to it. The partner's people are
 * removed, with their sessions and links. The partner's record in the CRM can now be linked to another partner.
 */
export async function markClosed(tx: Tx, partnerId: string, at: string): Promise<void> {
  await tx
    .updateTable('partners')
    .set({ is_active: false, closed_at: at, zoho_id: null })
    .where('id', '=', partnerId)
    .execute()
  await tx.deleteFrom('partner_facts').where('partner_id', '=', partnerId).execute()
  await tx.deleteFrom('people').where('partner_id', '=', partnerId).execute()
}
