import type { Db } from '../db/database.ts'
import type { PushedPartner } from '../zoho/crm-records.ts'

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

/** `asOf` is the change that was pushed: one made meanwhile keeps the state 'pending', and its own job. */
export async function markPartnerPushed(
  db: Db,
  partnerId: string,
  { zoho_id, left_out }: PushedPartner,
  asOf: string,
): Promise<void> {
  const problem = left_out.length === 0 ? null : `The CRM does not accept what ${left_out.join(' and ')} says.`
  await db
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
}

/** A partner whose record is up to date stays so: the job that gives up may be an older one. */
export async function markPartnerPushFailed(db: Db, partnerId: string, problem: string): Promise<void> {
  await db
    .updateTable('partners')
    .set({ crm: 'failed', crm_problem: problem })
    .where('id', '=', partnerId)
    .where('crm', '=', 'pending')
    .execute()
}

/** Partners of whose record the CRM lacks something, and why, for operators. At most a hundred. */
export function findProblemsOfAllPartners(db: Db): Promise<{ business_name: string; crm_problem: string | null }[]> {
  return db
    .selectFrom('partners')
    .select(['business_name', 'crm_problem'])
    .where('crm_problem', 'is not', null)
    .orderBy('created_at')
    .limit(100)
    .execute()
}
