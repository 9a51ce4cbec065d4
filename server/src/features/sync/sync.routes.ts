import {
  DealSyncResult,
  debugSyncLeads,
  FullSyncResult,
  LeadSyncResult,
  readSyncRun,
  SyncRun,
  syncDeals,
  syncEverything,
  syncLeads,
  syncOneDeal as syncOneDealRoute,
} from '@portal/contract/sync.ts'
import type * as z from 'zod/mini'
import { INTERNAL_FAILURE } from '../../crm/pull/run/run-sync.job.ts'
import { startSync, waitForRun } from '../../crm/pull/run/start-sync.ts'
import { syncOneDeal } from '../../crm/pull/run/sync-one-deal.ts'
import { getRun, type SyncKind } from '../../crm/pull/run/sync-runs.queries.ts'
import { holdOfText, PartnerHeld } from '../../crm/push/partner-held.ts'
import type { Deps } from '../../deps.ts'
import { CrmUnavailable, PortalError } from '../../platform/errors.ts'
import { Accepted, type Mount } from '../../platform/http/mount.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { debugLeadSync } from './debug-sync.ts'

export function syncRoutes(mount: Mount, deps: Deps): void {
  mount(syncLeads, (call) =>
    runOrAccept(deps, call, 'leads', (result) => read(FullSyncResult, result)?.leads ?? read(LeadSyncResult, result)),
  )
  mount(syncDeals, (call) =>
    runOrAccept(deps, call, 'deals', (result) => read(FullSyncResult, result)?.deals ?? read(DealSyncResult, result)),
  )
  mount(syncEverything, (call) => runOrAccept(deps, call, 'all', (result) => read(FullSyncResult, result)))
  mount(syncOneDealRoute, async (call) => {
    await limitPartner(deps, call, 'syncs')
    return syncOneDeal(deps, call.partner.id, call.params.id)
  })
  mount(readSyncRun, async ({ partner, params }) => {
    const { id: run_id, ...run } = await getRun(deps.db, partner.id, params.id)
    // Until a run ends, `result` holds its counts so far.
    return { ...run, run_id, result: run.status === 'succeeded' ? SyncRun.shape.result.parse(run.result) : null }
  })
  mount(debugSyncLeads, async (call) => {
    await limitPartner(deps, call, 'syncs')
    return debugLeadSync(deps, call.partner.id)
  })
}

async function runOrAccept<Result>(
  deps: Deps,
  call: Parameters<typeof limitPartner>[1],
  kind: SyncKind,
  /** Picks the part that this request asked for. A run that other requests have joined may have more results. */
  partOf: (result: unknown) => Result | undefined,
): Promise<Result | Accepted<{ run_id: string; status: 'running' }>> {
  await limitPartner(deps, call, 'syncs')
  const runId = await startSync(deps, call.partner.id, kind)
  const run = await waitForRun(deps, call.partner.id, runId, deps.config.syncWaitMs)
  if (run.status === 'running') return new Accepted({ run_id: runId, status: 'running' })
  const part = run.status === 'succeeded' ? partOf(run.result) : undefined
  if (part) return part
  const text = run.error ?? INTERNAL_FAILURE
  const hold = holdOfText(text)
  if (hold) throw new PartnerHeld(hold)
  throw text === INTERNAL_FAILURE ? new PortalError(500, 'INTERNAL', text) : new CrmUnavailable(text)
}

function read<Schema extends z.ZodMiniType>(schema: Schema, result: unknown): z.output<Schema> | undefined {
  return schema.safeParse(result).data
}
