import type { Deps } from '../../deps.ts'
import { reviveFailedDeal } from './deals.queries.ts'
import { pushDeal } from './push-deal.job.ts'

/** The Retry button of a deal that the portal gave up on (D23). False for any other, whose push is done or under way. */
export function retryPushOfDeal({ db, jobs }: Deps, partnerId: string, loid: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const isRevived = await reviveFailedDeal(tx, partnerId, loid)
    if (isRevived) await jobs.enqueue(tx, pushDeal, { partnerId, loid })
    return isRevived
  })
}
