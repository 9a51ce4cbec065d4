import type { Db, Tx } from '../db/database.ts'
import type { PushedPartner } from '../zoho/crm-records.ts'

export type FoundPartner = NonNullable<Awaited<ReturnType<typeof findPartnerToPush>>>

/**
 * Includes the columns that decide whether and how the partner is pushed. Names, email and phone are those of its
 * contact. Undefined for a closed account.
 */
export function findPartnerToPush(db: Db, partnerId: string) {
  return db
    .selectFrom('partners')
    .innerJoin('partner_contacts as contact', 'contact.partner_id', 'partners.id')
    .select(['id', 'zoho_id', 'business_name', 'modified_time', 'crm', 'crm_record_sent_at'])
    .select(['contact.email', 'contact.first_name', 'contact.last_name', 'contact.phone', 'contact.email_verified'])
    .where('id', '=', partnerId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
}

/** False if the address was confirmed meanwhile, so that there is nothing to hold. */
export function markPartnerHeld(db: Db, partnerId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // Confirming takes the same lock, so the state stays true once it has been read.
    await tx.selectFrom('partners').select('id').where('id', '=', partnerId).forNoKeyUpdate().execute()
    const contact = await tx
      .selectFrom('partner_contacts')
      .select('email_verified')
      .where('partner_id', '=', partnerId)
      .executeTakeFirst()
    // If there is no contact, the account was closed meanwhile and is not linked to anything.
    if (contact?.email_verified) return false
    await tx.updateTable('partners').set({ crm: 'held' }).where('id', '=', partnerId).execute()
    return true
  })
}

export async function markRecordSent(db: Db, partnerId: string, at: string | null): Promise<void> {
  await db.updateTable('partners').set({ crm_record_sent_at: at }).where('id', '=', partnerId).execute()
}

/**
 * `asOf` is the change that was pushed. A change made meanwhile keeps the state 'pending' and its own job.
 * `isConnected` means that the partner was linked just now to an existing CRM record, or no longer waits for its
 * address because that record is gone.
 */
export async function markPartnerPushed(
  tx: Tx,
  partnerId: string,
  { zoho_id, left_out, was_there }: PushedPartner,
  asOf: string,
): Promise<{ isConnected: boolean }> {
  const problem = left_out.length === 0 ? null : `The CRM does not accept what ${left_out.join(' and ')} says.`
  const before = await tx
    .selectFrom('partners')
    .select(['crm', 'zoho_id'])
    .where('id', '=', partnerId)
    .where('closed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  // The account was closed meanwhile.
  if (!before) return { isConnected: false }
  await tx
    .updateTable('partners')
    .set((eb) => ({
      zoho_id,
      crm: eb
        .case()
        .when('modified_time', '=', asOf)
        .then('synced' as const)
        .else(eb.ref('crm'))
        .end(),
      crm_problem: problem,
    }))
    .where('id', '=', partnerId)
    .execute()
  return { isConnected: before.crm === 'held' || (was_there && before.zoho_id !== zoho_id) }
}

/** A partner whose record is up to date stays so, because the job that gives up may be an older one. */
export async function markPartnerPushFailed(db: Db, partnerId: string, problem: string): Promise<void> {
  await db
    .updateTable('partners')
    .set({ crm: 'failed', crm_problem: problem })
    .where('id', '=', partnerId)
    .where('crm', '=', 'pending')
    .execute()
}

/** For operators: partners with an incomplete record in the CRM, and the reason. At most a hundred. */
export function findProblemsOfAllPartners(db: Db): Promise<{ business_name: string; crm_problem: string | null }[]> {
  return db
    .selectFrom('partners')
    .select(['business_name', 'crm_problem'])
    .where('crm_problem', 'is not', null)
    .orderBy('created_at')
    .limit(100)
    .execute()
}
