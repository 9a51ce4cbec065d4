import * as z from 'zod/mini'
import type { Deps } from '../../../deps.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import type { Done, PageTally, Pull, PulledPartner } from '../pull.ts'
import { updateProgress } from './sync-runs.queries.ts'

/** A sync run: a pull of one partner's records that reports its progress. */
export interface Run extends Pull {
  partner: PulledPartner & { created_at: string }
  progress: Progress
  tallies: Tallies
}

/**
 * Returns a run that pulls only this partner's records, and removes records that were given to other partners.
 * `syncModule` decides which records are news.
 */
export function openRun(deps: Deps, begun: Pick<Run, 'signal' | 'progress' | 'tallies'>, partner: Run['partner']): Run {
  return {
    deps,
    ...begun,
    partner,
    ownersOf: async () => new Map([[partner.zoho_id, partner]]),
    // After the run listed a record, another pull may have given the record to its next partner.
    mayRemoveFrom: (partnerId) => partnerId === partner.id,
    newsOf: async () => () => true,
  }
}

const LeadTally = z.object({ created: z.number(), updated: z.number(), converted: z.number(), removed: z.number() })
const DealTally = z.object({ created: z.number(), updated: z.number(), removed: z.number() })

/**
 * The counts of a run so far. They are written with the changes, so that a run that is started again continues from
 * them (D31).
 */
const Tallies = z.object({
  leads: LeadTally,
  deals: DealTally,
  /** The creation time of the oldest record whose notes have yet to be found in the organisation's list. */
  notes_since: z.nullable(z.string()),
})
export type Tallies = z.infer<typeof Tallies>

/** The tallies of the run's earlier attempt, or zeros. */
export function talliesOf(result: unknown): Tallies {
  const { data } = Tallies.safeParse(result)
  return (
    data ?? {
      leads: { created: 0, updated: 0, converted: 0, removed: 0 },
      deals: { created: 0, updated: 0, removed: 0 },
      notes_since: null,
    }
  )
}

export interface Progress {
  begin(phase: string): Promise<void>
  /** Adds to the total of the present phase. */
  expect(count: number): Promise<void>
  add(count: number): Promise<void>
  write(tallies?: Tallies, db?: Db | Tx): Promise<void>
}

const WRITE_EVERY_MS = 250

/** Writes a run's progress often enough for a progress bar, but not with every record (D31). */
export function openProgress({ db }: Pick<Deps, 'db'>, partnerId: string, runId: string, tallies: Tallies): Progress {
  let current = { phase: '', done: 0, total: 0 }
  let writtenAt = 0
  async function write(so_far: Tallies = tallies, on: Db | Tx = db) {
    writtenAt = performance.now()
    await updateProgress(on, partnerId, runId, { ...current, result: JSON.stringify(so_far) })
  }
  async function change(done: number, total: number) {
    current = { ...current, done: current.done + done, total: current.total + total }
    if (performance.now() - writtenAt > WRITE_EVERY_MS) await write()
  }
  return {
    async begin(phase) {
      current = { phase, done: 0, total: 0 }
      await write()
    },
    expect: (count) => change(0, count),
    add: (count) => change(count, 0),
    write,
  }
}

/**
 * Counts a run's changes. `listsNotes` says whether the notes of new records will be read from the organisation's list.
 */
export function tallyOf({ progress, tallies }: Pick<Run, 'progress' | 'tallies'>, listsNotes: boolean): PageTally {
  return {
    write: (tx, done) => progress.write(withDone(tallies, done, listsNotes), tx),
    keep: (done) => void Object.assign(tallies, withDone(tallies, done, listsNotes)),
  }
}

function withDone(tallies: Tallies, { records }: Done, listsNotes: boolean): Tallies {
  const leads = { ...tallies.leads }
  const deals = { ...tallies.deals }
  let { notes_since } = tallies
  for (const { module, outcome, created_at, is_new } of records) {
    if (module === 'Leads' && outcome !== 'skipped') leads[outcome]++
    if (module === 'Deals' && outcome !== 'skipped' && outcome !== 'converted') deals[outcome]++
    if (listsNotes && is_new && (notes_since === null || created_at < notes_since)) notes_since = created_at
  }
  return { leads, deals, notes_since }
}
