import type { LeadSyncResult } from '@portal/contract/sync.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../../deps.ts'
import type { SyncRunRow } from '../../../platform/db/tables.ts'
import { CrmUnavailable } from '../../../platform/errors.ts'
import { defineJob } from '../../../platform/jobs/define-job.ts'
import { computeUsualTimesOf } from '../../../records/histories/compute-usual-times.job.ts'
import { tellMatchedLeads } from '../../../records/leads/matching.queries.ts'
import { awaitsLender } from '../../../records/partners/hold-of.ts'
import { findPartner } from '../../../records/partners/partners.queries.ts'
import { PartnerHeld } from '../../push/partner-held.ts'
import { PUSH_LEASE } from '../../push/push-lease.ts'
import { pushPartnerNow } from '../../push/push-partner.job.ts'
import { CrmRefused } from '../../zoho/errors.ts'
import { requireOwnRecord } from '../keep-of-gone-partners.ts'
import { openProgress, openRun, type Run, talliesOf } from './run.ts'
import { type PulledModule, syncNotes } from './sync-notes.ts'
import { type SyncedDeals, syncDeals, syncLeads } from './sync-records.ts'
import { failRun, findLastSuccess, findNotesLeft, finishRun, getRun, holdRun } from './sync-runs.queries.ts'

/** The error text of a run that failed for a reason on the portal's side. */
export const INTERNAL_FAILURE = 'The sync stopped because of an error on our side'

/**
 * Runs one sync of a partner (D30). The sync is a job, so it continues after the request has been answered. If the
 * server stops or crashes during the run, the run is started again and continues with the records that still differ
 * (D31).
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
      await syncUntilDone(deps, { signal, progress, tallies }, { partnerId, runId })
    } catch (error) {
      // If the server stops or the job's time is over, the run has not failed, because the job runs again.
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

/**
 * Another request that joins the run may want leads or deals that the run did not begin with. The run ends once it has
 * pulled everything that was asked for.
 */
async function syncUntilDone(
  deps: Deps,
  begun: Pick<Run, 'signal' | 'progress' | 'tallies'>,
  { partnerId, runId }: { partnerId: string; runId: string },
): Promise<void> {
  const { db } = deps
  await begun.progress.begin('Asking the CRM')
  const partner = await findPartner(db, partnerId)
  const push = { signal: begun.signal, useless: null, waitMs: PUSH_LEASE.workMsMax }
  const zohoId = partner?.zoho_id ?? (await pushPartnerNow(deps, partnerId, push))
  if (!partner || zohoId === undefined) throw new Error('the partner of the run is gone')
  if (awaitsLender(partner)) throw new PartnerHeld('pending')

  const run = openRun(deps, begun, { ...partner, zoho_id: zohoId })
  const since = {
    leads: await findLastSuccess(db, partnerId, 'leads'),
    deals: await findLastSuccess(db, partnerId, 'deals'),
  }
  if (since.leads === undefined || since.deals === undefined) {
    // An earlier attempt at the first sync may have failed after it had read the records and before it had read their
    // notes.
    const { tallies } = begun
    tallies.notes_since = earliest(tallies.notes_since, await findNotesLeft(db, partnerId))
  }
  let leads: LeadSyncResult | undefined
  let deals: SyncedDeals | undefined
  for (;;) {
    const asked = await getRun(db, partnerId, runId)
    if (asked.status !== 'running') return
    const pulled: PulledModule[] = []
    if (asked.kind !== 'deals' && !leads) {
      leads = await syncLeads(run, since.leads)
      pulled.push({ module: 'Leads', since: since.leads })
    }
    if (asked.kind !== 'leads' && !deals) {
      deals = await syncDeals(run, since.deals)
      pulled.push({ module: 'Deals', since: since.deals })
    }
    if (pulled.length > 0) await syncNotes(run, pulled)
    await requireOwnRecord(run)
    const isFirst = pulled.some((one) => one.since === undefined)
    if (isFirst) await computeUsualTimesOf(deps, partnerId)
    if (await endRun(deps, asked, leads, deals)) return
  }
}

/**
 * Ends the run. Returns false if another request has since extended the run, or if the run has already ended. Each
 * match of a lead and a deal is counted once, by the first run with deals that ends after the match (D49).
 */
function endRun(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  run: SyncRunRow,
  leads: LeadSyncResult | undefined,
  synced: SyncedDeals | undefined,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await holdRun(tx, run))) return false
    const deals = synced && { ...synced, matching_leads_removed: await tellMatchedLeads(tx, run.partner_id) }
    const result = leads && deals ? { leads, deals } : (leads ?? deals)
    if (!result) return false
    await finishRun(tx, run, result, clock.now().toISOString())
    return true
  })
}

function earliest(one: string | null, other: string | null): string | null {
  return one !== null && (other === null || one < other) ? one : other
}

function textOf(error: unknown): string {
  const isTold = [CrmUnavailable, CrmRefused, PartnerHeld].some((kind) => error instanceof kind)
  return error instanceof Error && isTold ? error.message : INTERNAL_FAILURE
}
