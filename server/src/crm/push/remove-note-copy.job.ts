import * as z from 'zod/mini'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { findNote, keepOlderCopy } from '../../records/notes/notes.queries.ts'
import { plain, withSignature } from '../../records/notes/signature.ts'
import { PUSH_RETRY } from './push-retry.ts'

/**
 * Removes the younger of two copies of a note of the portal's own from the CRM. The CRM can have two if it carried out
 * a push long after the portal had given it up. Both copies are read again: nothing is removed unless both are on the same
 * record, have the note's text with its signature, and were made by the same user, who is the portal's.
 */
export const removeNoteCopy = defineJob({
  name: 'remove-note-copy',
  payload: z.object({ partnerId: z.string(), noteId: z.string(), copyZohoId: z.string() }),
  key: ({ copyZohoId }) => copyZohoId,
  retry: PUSH_RETRY,
  async run({ db, crm, log }, { partnerId, noteId, copyZohoId }, signal) {
    const note = await findNote(db, partnerId, noteId)
    if (!note?.zoho_id || note.zoho_id === copyZohoId) return
    const known = await crm.findNote(note.zoho_id, signal)
    const copy = await crm.findNote(copyZohoId, signal)
    if (!known || !copy) return
    const isOwn = [known, copy].every((one) => plain(one.note.content) === plain(withSignature(note)))
    const { creator_zoho_id } = known.note
    const isSameCreator = creator_zoho_id !== null && creator_zoho_id === copy.note.creator_zoho_id
    if (!isOwn || !isSameCreator || known.record_zoho_id !== copy.record_zoho_id) return
    const isCopyOlder = copy.note.created_at < known.note.created_at
    if (isCopyOlder) await keepOlderCopy(db, noteId, copyZohoId)
    const younger = isCopyOlder ? note.zoho_id : copyZohoId
    await crm.removeNote(younger, signal)
    log.info({ loid: note.loid, zoho_id: younger }, 'a second copy of a note was removed from the CRM')
  },
})
