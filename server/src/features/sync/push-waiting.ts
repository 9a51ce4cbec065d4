import { GiveUp, type Job } from '../../jobs/define-job.ts'
import { findPartner } from '../accounts/accounts.queries.ts'
import type { SyncContext } from './sync-context.ts'

/**
 * What the partner did and the CRM does not have yet goes there first (D30). What it refuses, the job itself gives up. One
 * after the other, because the first takes others along. The run goes on with what comes back: a partner whose record in the CRM was deleted has another one now.
 */
export async function pushWaiting(
  sync: SyncContext,
  phase: string,
  push: Job<{ partnerId: string; loid: string }>,
  loids: readonly string[],
): Promise<SyncContext> {
  const { deps, partnerId, signal, progress } = sync
  if (loids.length > 0) await progress.begin(phase, loids.length)
  for (const loid of loids) {
    try {
      await push.run(deps, { partnerId, loid }, signal)
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error
    }
    await progress.add(1)
  }
  const partner = await findPartner(deps.db, partnerId)
  return { ...sync, partnerZohoId: partner?.zoho_id ?? sync.partnerZohoId }
}
