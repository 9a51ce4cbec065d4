import { GiveUp, type Job } from '../../jobs/define-job.ts'
import { inParallel, type SyncContext } from './sync-context.ts'

const PUSHED_AT_ONCE = 4

/** What the partner did and the CRM does not have yet goes there first (D30). What it refuses, the job itself gives up. */
export async function pushWaiting(
  { deps, partnerId, signal, progress }: SyncContext,
  phase: string,
  push: Job<{ partnerId: string; loid: string }>,
  loids: readonly string[],
): Promise<void> {
  if (loids.length > 0) await progress.begin(phase, loids.length)
  await inParallel(loids, PUSHED_AT_ONCE, async (loid) => {
    try {
      await push.run(deps, { partnerId, loid }, signal)
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error
    }
    await progress.add(1)
  })
}
