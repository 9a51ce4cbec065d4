import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { CrmUnavailable } from '../../errors.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { PartnerHeld } from '../../push/partner-held.ts'
import { pushPartnerNow } from '../../push/push-partner.job.ts'
import { CrmRefused } from '../../zoho/errors.ts'
import { findPartner } from '../accounts/accounts.queries.ts'
import { openProgress, type SyncContext, talliesOf } from './sync-context.ts'
import { syncDeals } from './sync-deals.ts'
import { syncLeads } from './sync-leads.ts'
import { failRun, finishRun, getRun, type SyncResult } from './sync-runs.queries.ts'

/** What a run says that failed for no fault of the CRM's. */
export const INTERNAL_FAILURE = 'The sync stopped because of an error on our side'

/**
 * One run of D30. It is a job so that it outlives the request; handed back or cut off by a crash, it is taken up again
 * and goes on with what is not yet as the CRM says (D31).
 */
export const runSync = defineJob({
  name: 'run-sync',
  payload: z.object({ partnerId: z.string(), runId: z.string() }),
  retry: { firstDelaySeconds: 1, delaySecondsMax: 30, giveUpAfterDays: 1 },
  async run(deps, { partnerId, runId }, signal) {
    const run = await getRun(deps.db, partnerId, runId)
    if (run.status !== 'running') return
    const tallies = talliesOf(run.result)
    const progress = openProgress(deps, partnerId, runId, tallies)
    try {
      await syncUntilDone(deps, { partnerId, signal, progress, tallies }, runId)
    } catch (error) {
      // Stopping the server is no failure of the run: another process goes on with it.
      if (signal.aborted) {
        await progress.write()
        throw error
      }
      if (!(error instanceof PartnerHeld)) deps.log.error({ err: error, partnerId, runId }, 'sync failed')
      await failRun(deps.db, partnerId, runId, textOf(error), deps.clock.now().toISOString())
    }
  },
  giveUp: ({ db, clock }, { partnerId, runId }) =>
    failRun(db, partnerId, runId, INTERNAL_FAILURE, clock.now().toISOString()),
})

/** A call that joins the run may ask for more than it was begun for; the run ends when all of it is done. */
async function syncUntilDone(
  deps: Deps,
  begun: Pick<SyncContext, 'partnerId' | 'signal' | 'progress' | 'tallies'>,
  runId: string,
): Promise<void> {
  const { partnerId, signal, progress } = begun
  await progress.begin('Asking the CRM', 0)
  const partner = await findPartner(deps.db, partnerId)
  const partnerZohoId = partner?.zoho_id ?? (await pushPartnerNow(deps, partnerId, { signal, useless: null }))
  if (partnerZohoId === undefined) throw new Error('the partner of the run is gone')

  const sync: SyncContext = { deps, ...begun, partnerZohoId, convertedDeals: new Map() }
  let leads: Awaited<ReturnType<typeof syncLeads>> | undefined
  let deals: Awaited<ReturnType<typeof syncDeals>> | undefined
  for (;;) {
    const run = await getRun(deps.db, partnerId, runId)
    if (run.status !== 'running') return
    if (run.kind !== 'deals') leads ??= await syncLeads(sync)
    if (run.kind !== 'leads') deals ??= await syncDeals(sync)
    const result: SyncResult | undefined = leads && deals ? { leads, deals } : (leads ?? deals)
    if (result && (await finishRun(deps.db, run, result, deps.clock.now().toISOString()))) return
  }
}

function textOf(error: unknown): string {
  const isTold = [CrmUnavailable, CrmRefused, PartnerHeld].some((kind) => error instanceof kind)
  return error instanceof Error && isTold ? error.message : INTERNAL_FAILURE
}
