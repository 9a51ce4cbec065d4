import {
  type DealSyncResult,
  type FullSyncResult,
  type LeadSyncResult,
  readSyncRun,
  type SyncRun,
  syncDeals,
  syncLeads,
} from '@portal/contract/sync.ts'
import { call } from '../../api/call.ts'
import { Failure } from '../../api/failure.ts'

export type SyncKind = 'leads' | 'deals'
export type SyncResult = LeadSyncResult | DealSyncResult | FullSyncResult

const POLL_EVERY_MS = 1_000
const MISSES_MAX = 5

/**
 * Starts a sync or joins the running one (D30), and follows the run until it ends, however long it takes (D31). Throws
 * if the run fails or its state cannot be read.
 */
export async function runSync(kind: SyncKind, onProgress: (run: SyncRun) => void): Promise<SyncResult> {
  const answer = kind === 'leads' ? await call(syncLeads) : await call(syncDeals)
  return 'run_id' in answer ? followRun(answer.run_id, onProgress) : answer
}

async function followRun(id: string, onProgress: (run: SyncRun) => void): Promise<SyncResult> {
  let misses = 0
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
    const run = await readRun(id).catch((error: unknown) => {
      misses += 1
      // The run continues on the server, so a few lost answers are no reason to give up on it.
      if (misses > MISSES_MAX || (error instanceof Failure && error.status >= 400 && error.status < 500)) throw error
      return null
    })
    if (run === null) continue
    misses = 0
    if (run.status === 'failed') throw new Failure(502, run.error ?? 'Unknown error', { code: 'SYNC_FAILED' })
    if (run.status === 'succeeded' && run.result) return run.result
    onProgress(run)
  }
}

function readRun(id: string): Promise<SyncRun> {
  return call(readSyncRun, { params: { id } })
}
