import type { Deps } from '../../deps.ts'
import { reviveFailedNote, reviveFailedNotes } from './notes.queries.ts'
import { pushNote } from './push-note.job.ts'

/** Sends the record's notes again that the portal gave up on. */
export async function retryPushOfNotes({ db, jobs }: Deps, partnerId: string, loid: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const noteId of await reviveFailedNotes(tx, partnerId, loid)) {
      await jobs.enqueue(tx, pushNote, { partnerId, noteId })
    }
  })
}

/** The Retry button of one note (D23). False for one whose push is done or under way. */
export function retryPushOfNote({ db, jobs }: Deps, partnerId: string, noteId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const isRevived = await reviveFailedNote(tx, partnerId, noteId)
    if (isRevived) await jobs.enqueue(tx, pushNote, { partnerId, noteId })
    return isRevived
  })
}
