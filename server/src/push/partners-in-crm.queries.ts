import type { Db, Tx } from '../db/database.ts'
import type { PushedPartner } from '../zoho/crm-records.ts'

export type FoundPartner = NonNullable<Awaited<ReturnType<typeof findPartnerToPush>>>

/**
 * Finds the columns that decide whether and how the partner is pushed. Names, email and phone are the contact's.
 * Returns undefined for a closed account.
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

/** Marks the partner as held. Returns false if the address was confirmed in the meantime. */
export function markPartnerHeld(db: Db, partnerId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // Confirming the address takes the same lock, so `email_verified` cannot change after it was read.
    await tx.selectFrom('partners').select('id').where('id', '=', partnerId).forNoKeyUpdate().execute()
    const contact = await tx
      .selectFrom('partner_contacts')
      .select('email_verified')
      .where('partner_id', '=', partnerId)
      .executeTakeFirst()
    // If there is no contact, the account was closed in the meantime and is not linked to anything.
    if (contact?.email_verified) return false
    await tx.updateTable('partners').set({ crm: 'held' }).where('id', '=', partnerId).execute()
    return true
  })
}

export async function markRecordSent(db: Db, partnerId: string, at: string | null): Promise<void> {
  await db.updateTable('partners').set({ crm_record_sent_at: at }).where('id', '=', partnerId).execute()
}

/**
 * `asOf` is the time of the change that was pushed. If the partner has changed since, its `crm` stays as it is, and the
 * later change has its own job. `isConnected` is true if the partner was held until now, or has just been linked to
 * an existing CRM record.
 */
export async function markPartnerPushed(
  tx: Tx,
  partnerId: string,
  { zoho_id, left_out, was_there }: PushedPartner,
  asOf: string,
): Promise<{ isConnected: boolean }> {
  const problem = left_out.length === 0 ? null : `The CRM does not accept the content of ${left_out.join(' and ')}.`
  const before = await tx
    .selectFrom('partners')
    .select(['crm', 'zoho_id'])
    .where('id', '=', partnerId)
    .where('closed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  // The account was closed in the meantime.
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
