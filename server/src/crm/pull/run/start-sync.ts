import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/db/ids.ts'
import type { SyncRunRow } from '../../../platform/db/tables.ts'
import { runSync } from './run-sync.job.ts'
import { getRun, insertRun, joinRun, type SyncKind } from './sync-runs.queries.ts'

/**
 * Starts a run or joins the partner's current run, which then pulls this kind too (D30). Returns the run's id. The run
 * and its job are written in one transaction, so every run that is marked as running has a job that ends it, whichever
 * process dies.
 */
export function startSync(deps: Deps, partnerId: string, kind: SyncKind): Promise<string> {
  return deps.db.transaction().execute((tx) => startSyncIn(tx, deps, partnerId, kind))
}

/** Starts or joins a run in the caller's transaction. */
export async function startSyncIn(
  tx: Tx,
  { jobs, clock }: Pick<Deps, 'jobs' | 'clock'>,
  partnerId: string,
  kind: SyncKind,
): Promise<string> {
  const now = clock.now()
  const run = { id: newId(now), partner_id: partnerId, kind, started_at: now.toISOString() }
  while (!(await insertRun(tx, run))) {
    const joined = await joinRun(tx, partnerId, kind)
    if (joined) return joined.id
  }
  await jobs.enqueue(tx, runSync, { partnerId, runId: run.id })
  return run.id
}

/** Waits until the run has ended, but not longer than `waitMs` (D31). */
export async function waitForRun({ db }: Deps, partnerId: string, runId: string, waitMs: number): Promise<SyncRunRow> {
  const deadline = performance.now() + waitMs
  for (let pauseMs = 25; ; pauseMs = Math.min(2 * pauseMs, 500)) {
    const run = await getRun(db, partnerId, runId)
    const leftMs = deadline - performance.now()
    if (run.status !== 'running' || leftMs <= 0) return run
    await sleep(Math.min(pauseMs, leftMs))
  }
}
