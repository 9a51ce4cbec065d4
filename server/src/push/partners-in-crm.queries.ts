import type { Db } from '../db/database.ts'
import type { PartnerToPush, PushedPartner } from '../zoho/crm-records.ts'

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
