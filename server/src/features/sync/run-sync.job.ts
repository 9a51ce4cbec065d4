import type { LeadSyncResult } from '@portal/contract/sync.ts'
import * as z from 'zod/mini'
import type { SyncRunRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { CrmUnavailable } from '../../errors.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { PartnerHeld } from '../../push/partner-held.ts'
import { pushPartnerNow } from '../../push/push-partner.job.ts'
import { CrmRefused } from '../../zoho/errors.ts'
import { findPartner } from '../accounts/accounts.queries.ts'
import { tellMatchedLeads } from '../leads/matching.queries.ts'
import { openProgress, openRun, type Run, talliesOf } from './run.ts'
import { type PulledModule, syncNotes } from './sync-notes.ts'
import { type SyncedDeals, syncDeals, syncLeads } from './sync-records.ts'
import { failRun, findLastSuccess, findNotesLeft, finishRun, getRun, holdRun } from './sync-runs.queries.ts'

/** The error of a run that failed through no fault of the CRM. */
export const INTERNAL_FAILURE = 'The sync stopped because of an error on our side'

/**
 * One run of D30. It is a job so that it outlives the request. If it is handed back or a crash cuts it off, it is taken
 * up again and continues with the records that still differ (D31).
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
      // Stopping the server is no failure of the run, because another process continues it.
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

/** A call that joins the run may ask for more than the run began with. The run ends when all of it is done. */
async function syncUntilDone(
  deps: Deps,
  begun: Pick<Run, 'signal' | 'progress' | 'tallies'>,
  { partnerId, runId }: { partnerId: string; runId: string },
): Promise<void> {
  const { db } = deps
  await begun.progress.begin('Asking the CRM')
  const partner = await findPartner(db, partnerId)
  const zohoId = partner?.zoho_id ?? (await pushPartnerNow(deps, partnerId, { signal: begun.signal, useless: null }))
  if (!partner || zohoId === undefined) throw new Error('the partner of the run is gone')

  const run = openRun(deps, begun, { ...partner, zoho_id: zohoId })
  const since = {
    leads: await findLastSuccess(db, partnerId, 'leads'),
    deals: await findLastSuccess(db, partnerId, 'deals'),
  }
  if (since.leads === undefined || since.deals === undefined) {
    // An earlier attempt at the first sync may have failed between its records and their notes.
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
    if (await endRun(deps, asked, leads, deals)) return
  }
}

/**
 * False if more was asked of the run meanwhile. Each match is counted once, by the first run that ends after it (D49).
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
