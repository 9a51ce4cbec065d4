import type { Db } from '../db/database.ts'
import type { PartnerToPush } from '../zoho/crm-records.ts'

/** With the time of its last change, which `markPartnerPushed` wants. */
export function findPartnerToPush(
  db: Db,
  partnerId: string,
): Promise<(PartnerToPush & { modified_time: string }) | undefined> {
  return db
    .selectFrom('partners')
    .select(['zoho_id', 'business_name', 'email', 'first_name', 'last_name', 'phone', 'modified_time'])
    .where('id', '=', partnerId)
    .executeTakeFirst()
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
