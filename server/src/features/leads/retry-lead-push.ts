import type { Deps } from '../../deps.ts'
import { reviveFailedLead } from './leads.queries.ts'
import { pushLead } from './push-lead.job.ts'

/** The Retry button of a lead that the portal gave up on (D23). False for any other, whose push is done or under way. */
export function retryPushOfLead({ db, jobs }: Deps, partnerId: string, loid: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const isRevived = await reviveFailedLead(tx, partnerId, loid)
    if (isRevived) await jobs.enqueue(tx, pushLead, { partnerId, loid })
    return isRevived
  })
}
