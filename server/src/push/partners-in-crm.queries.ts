import type { Db } from '../db/database.ts'

export type FoundPartner = NonNullable<Awaited<ReturnType<typeof findPartnerToPush>>>

/** With what decides whether and how it is pushed. One whose account was closed is gone. */
export function findPartnerToPush(db: Db, partnerId: string) {
  return db
    .selectFrom('partners')
    .select(['id', 'zoho_id', 'business_name', 'email', 'first_name', 'last_name', 'phone', 'modified_time'])
    .select(['email_verified', 'crm', 'crm_record_sent_at'])
    .where('id', '=', partnerId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
}

/** False when the address was confirmed meanwhile, so that nothing is to be held. */
export async function markPartnerHeld(db: Db, partnerId: string): Promise<boolean> {
  const held = await db
    .updateTable('partners')
    .set({ crm: 'held' })
    .where('id', '=', partnerId)
    .where('email_verified', '=', false)
    .executeTakeFirst()
  return held.numUpdatedRows > 0n
}

export async function markRecordSent(db: Db, partnerId: string, at: string | null): Promise<void> {
  await db.updateTable('partners').set({ crm_record_sent_at: at }).where('id', '=', partnerId).execute()
}

export async function markPartnerPushed(db: Db, partnerId: string, zohoId: string, asOf: string): Promise<void> {
  await db.updateTable('partners').set({ zoho_id: zohoId }).where('id', '=', partnerId).execute()
  // A change made while the push was under way keeps the state 'pending', and its own job.
  await db
    .updateTable('partners')
    .set({ crm: 'synced' })
    .where('id', '=', partnerId)
    .where('modified_time', '=', asOf)
    .execute()
}

export async function markPartnerPushFailed(db: Db, partnerId: string): Promise<void> {
  await db.updateTable('partners').set({ crm: 'failed' }).where('id', '=', partnerId).execute()
}
