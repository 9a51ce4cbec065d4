import type { SyncProblem } from '@portal/contract/sync.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import type { CrmModule } from '../../zoho/crm-records.ts'
import { CrmConflict, CrmRefused } from '../../zoho/errors.ts'
import { updateProgress } from './sync-runs.queries.ts'

/** What the parts of one run share. */
export interface SyncContext {
  deps: Deps
  partnerId: string
  partnerZohoId: string
  signal: AbortSignal
  progress: Progress
  tallies: Tallies
  /** Deals written and counted when their leads were converted, so that the deals' part of the run does not again. */
  convertedDeals: Map<string, 'created' | 'updated'>
}

/** For a pull that is no run: nobody waits for its progress, nobody reads its tallies. */
export function contextWithoutRun(
  deps: Deps,
  partner: { id: string; zoho_id: string | null },
  signal: AbortSignal,
): SyncContext {
  return {
    deps,
    partnerId: partner.id,
    partnerZohoId: partner.zoho_id ?? '',
    signal,
    progress: { begin: async () => undefined, add: async () => undefined, write: async () => undefined },
    tallies: talliesOf(null),
    convertedDeals: new Map(),
  }
}

/** Whether meeting this record for the first time is news (D35). */
export type IsNews = (record: { zoho_id: string; created_at: string }) => boolean

const LeadTally = z.object({ created: z.number(), updated: z.number(), converted: z.number(), removed: z.number() })
const DealTally = z.object({
  created: z.number(),
  updated: z.number(),
  removed: z.number(),
  matching_leads_removed: z.number(),
})

/** What a run has done so far. Written with its progress, so that a run taken up again counts what it had done (D31). */
const Tallies = z.object({ leads: LeadTally, deals: DealTally })
export type Tallies = z.infer<typeof Tallies>

/** Those of the run's earlier attempt, or none. */
export function talliesOf(result: unknown): Tallies {
  const { data } = Tallies.safeParse(result)
  return (
    data ?? {
      leads: { created: 0, updated: 0, converted: 0, removed: 0 },
      deals: { created: 0, updated: 0, removed: 0, matching_leads_removed: 0 },
    }
  )
}

export interface Progress {
  begin(phase: string, total: number): Promise<void>
  add(count: number): Promise<void>
  write(): Promise<void>
}

const WRITE_EVERY_MS = 250

/** Written often enough for a progress bar, and not with every record (D31). */
export function openProgress({ db }: Deps, partnerId: string, runId: string, tallies: Tallies): Progress {
  let current = { phase: '', done: 0, total: 0 }
  let writtenAt = 0
  async function write() {
    writtenAt = performance.now()
    await updateProgress(db, partnerId, runId, { ...current, result: JSON.stringify(tallies) })
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
    write,
  }
}

/** Works on at most `max` items at once. The first failure stops the rest from beginning, and is thrown when all have ended. */
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
  const ends = await Promise.allSettled(Array.from({ length: max }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
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

/** One odd record must not keep the others from being applied. */
export async function leavingOutProblems(
  { deps, partnerId }: Pick<SyncContext, 'deps' | 'partnerId'>,
  { module, zohoId }: { module: CrmModule; zohoId: string },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const problem = problemOf(zohoId, error)
    if (!problem) throw error
    deps.log.warn({ partnerId, module, ...problem }, 'a record of the CRM was left out')
  }
}

/** A problem of this record, or undefined when it is one of the whole run: PostgreSQL's classes 22, 23 and 54 speak of data. */
export function problemOf(zohoId: string, error: unknown): SyncProblem | undefined {
  if (error instanceof CrmConflict) return { zoho_id: zohoId, reason: error.message }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:22|23|54)\w{3}$/.test(code) ? { zoho_id: zohoId, reason: 'it cannot be stored' } : undefined
}
