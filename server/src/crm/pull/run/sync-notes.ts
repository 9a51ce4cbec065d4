import type { CrmModule } from '../../../records/crm-records.ts'
import { findNotesDue, markNotesDue } from '../../../records/kinds/crm-rows.queries.ts'
import { NotesNotListed } from '../../zoho/read-notes.ts'
import { applyListedNotes, pullNotesOf, writtenSinceSeen } from '../pull-notes.ts'
import type { Run } from './run.ts'

/** Allows for Zoho's rounding to whole seconds and for the difference between Zoho's clock and the portal's. */
const OVERLAP_MS = 5 * 60_000
/**
 * If the organisation's notes cannot be listed, a run reads the notes of at most this many leads and this many deals.
 * The notes of the other records are read in the background.
 */
const READ_AT_ONCE_MAX = 100

/** A kind of record that a run has pulled, and the start time of the last successful run that pulled this kind. */
export interface PulledModule {
  module: CrmModule
  since: string | undefined
}

/**
 * Reads the organisation's notes since the partner's last successful run, and applies the partner's notes. If the run
 * found many new records, it also reads older notes, back to the time when the oldest of these records was created. The
 * notes of unchanged records are included, because a new note may leave its record's Modified_Time unchanged. If Zoho
 * does not let the portal list all notes, only the notes of new and changed records are read.
 */
export async function syncNotes({ deps, signal, partner, progress, tallies }: Run, pulled: readonly PulledModule[]) {
  const { crm, db, clock } = deps
  // The times of runs and partners come from the portal's clock, which may be wrong. The times of notes and records
  // come from the CRM's clock.
  const aheadMs = crm.now().getTime() - clock.now().getTime()
  const sinceOf = (last = partner.created_at) => new Date(Date.parse(last) + aheadMs).toISOString()
  const since = pulled.map((one) => sinceOf(one.since)).toSorted()[0] ?? sinceOf()
  const { notes_since } = tallies
  const from = notes_since !== null && notes_since < since ? notes_since : since
  const isNewsFor = (partnerId: string, module: CrmModule) => {
    const one = pulled.find((each) => each.module === module)
    return one && partnerId === partner.id ? one.since !== undefined : undefined
  }
  await progress.begin('Updating notes')
  try {
    for await (const listed of crm.notePagesSince(earlier(from), signal)) {
      signal.throwIfAborted()
      await progress.expect(listed.length)
      await applyListedNotes({ deps, signal }, listed, isNewsFor)
      await progress.add(listed.length)
    }
  } catch (error) {
    if (!(error instanceof NotesNotListed)) throw error
    const isSinceSeen = writtenSinceSeen(deps)
    for (const { module, since: last } of pulled) {
      const left = new Set((await findNotesDue(db, module, partner.id, READ_AT_ONCE_MAX)).map(({ id }) => id))
      await markNotesDue(db, module, partner.id, earlier(sinceOf(last)), notes_since)
      const records = await findNotesDue(db, module, partner.id, READ_AT_ONCE_MAX)
      await pullNotesOf({ deps, signal }, records, (record, note) => {
        return last !== undefined && (!left.has(record.id) || isSinceSeen(record, note))
      })
    }
  }
  tallies.notes_since = null
}

function earlier(instant: string): string {
  return new Date(Date.parse(instant) - OVERLAP_MS).toISOString()
}
