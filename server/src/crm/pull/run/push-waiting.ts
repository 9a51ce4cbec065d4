import { CrmUnavailable } from '../../../platform/errors.ts'
import { GiveUp, type Job, NotYet } from '../../../platform/jobs/define-job.ts'
import { findPartner } from '../../../records/partners/partners.queries.ts'
import { openRun, type Run } from './run.ts'

/**
 * Pushes the partner's leads or deals that the CRM lacks, before anything is pulled (D30). A record that the CRM
 * refuses is given up, and the next one is pushed. The records are pushed one after another, because the first push
 * also pushes other waiting records. Returns the run to continue with. If the partner's record in the CRM had been
 * deleted, this run names the partner's new record.
 */
export async function pushWaiting(
  run: Run,
  phase: string,
  push: Job<{ partnerId: string; loid: string }>,
  loids: readonly string[],
): Promise<Run> {
  const { deps, partner, signal, progress } = run
  if (loids.length > 0) await progress.begin(phase)
  await progress.expect(loids.length)
  for (const loid of loids) {
    try {
      await push.run(deps, { partnerId: partner.id, loid }, signal)
    } catch (error) {
      // If the CRM does not accept a record now, the record's own job tries again. If the CRM is unavailable, the run
      // fails when it reads its first list.
      if ((error instanceof CrmUnavailable || error instanceof NotYet) && !signal.aborted) break
      if (!(error instanceof GiveUp)) throw error
    }
    await progress.add(1)
  }
  const now = await findPartner(deps.db, partner.id)
  return openRun(deps, run, { ...partner, zoho_id: now?.zoho_id ?? partner.zoho_id })
}
