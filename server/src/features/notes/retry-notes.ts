import type { Deps } from '../../deps.ts'
import { reviveFailedNotes } from './notes.queries.ts'
import { pushNote } from './push-note.job.ts'

/** Sends the record's notes again that the portal gave up on. */
export async function retryPushOfNotes({ db, jobs }: Deps, partnerId: string, loid: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const noteId of await reviveFailedNotes(tx, partnerId, loid)) {
      await jobs.enqueue(tx, pushNote, { partnerId, noteId })
    }
  })
}
