import type { Deps } from '../../deps.ts'
import { getLeadLoid, setLeadCrmState } from './leads.queries.ts'
import { pushLead } from './push-lead.job.ts'

/** The Retry button of a lead that the portal gave up on (D23). */
export async function retryPushOfLead({ db, jobs }: Deps, partnerId: string, idOrLoid: string) {
  const loid = await getLeadLoid(db, partnerId, idOrLoid)
  await db.transaction().execute(async (tx) => {
    await setLeadCrmState(tx, partnerId, loid, 'pending')
    await jobs.enqueue(tx, pushLead, { partnerId, loid })
  })
  return { loid, crm: 'pending' as const }
}
