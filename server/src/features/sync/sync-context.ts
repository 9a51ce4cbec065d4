import type { SyncProblem } from '@portal/contract/sync.ts'
import type { Deps } from '../../deps.ts'
import { CrmRefused } from '../../zoho/errors.ts'
import { updateProgress } from './sync-runs.queries.ts'

/** What the parts of one run share. */
export interface SyncContext {
  deps: Deps
  partnerId: string
  partnerZohoId: string
  signal: AbortSignal
  progress: Progress
  /** Deals written while leads were converted, so that the deals' part of the same run counts them as its own. */
  convertedDeals: Map<string, 'created' | 'updated'>
}

export interface Progress {
  begin(phase: string, total: number): Promise<void>
  add(count: number): Promise<void>
}

const WRITE_EVERY_MS = 250

/** Written often enough for a progress bar, and not with every record (D31). */
export function openProgress({ db }: Deps, partnerId: string, runId: string): Progress {
  let current = { phase: '', done: 0, total: 0 }
  let writtenAt = 0
  async function write() {
    writtenAt = performance.now()
    await updateProgress(db, partnerId, runId, current)
  }
  return {
    async begin(phase, total) {
      current = { phase, done: 0, total }
      await write()
    },
    async add(count) {
      current = { ...current, done: current.done + count }
      if (performance.now() - writtenAt > WRITE_EVERY_MS) await write()
    },
  }
}

/** Works on at most `max` items at once. The first failure stops the rest from beginning. */
export async function inParallel<Item>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  let isStopped = false
  async function worker() {
    for (const item of queue) {
      if (isStopped) return
      try {
        await work(item)
      } catch (error) {
        isStopped = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: max }, worker))
}

export function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** What the CRM tells of a record beside its fields may be missing; the record itself counts all the same. */
export async function emptyWhenRefused<Item>(pull: Promise<Item[]>): Promise<Item[]> {
  try {
    return await pull
  } catch (error) {
    if (error instanceof CrmRefused) return []
    throw error
  }
}

/** A problem of this record, or undefined when it is one of the whole run: PostgreSQL's classes 22, 23 and 54 speak of data. */
export function problemOf(zohoId: string, error: unknown): SyncProblem | undefined {
  if (error instanceof Error && error.name === 'CrmConflict') return { zoho_id: zohoId, reason: error.message }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:22|23|54)\w{3}$/.test(code) ? { zoho_id: zohoId, reason: 'it cannot be stored' } : undefined
}
