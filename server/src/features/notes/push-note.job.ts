import * as z from 'zod/mini'
import { defineJob } from '../../jobs/define-job.ts'
import { givingUpWhenRefused } from '../../push/giving-up-when-refused.ts'
import { findPartnerToPush } from '../../push/partners-in-crm.queries.ts'
import { NOT_REACHED, PUSH_RETRY } from '../../push/push-retry.ts'
import { findNotedRecordsOfAnyPartner, findNoteToPush, markNotePushed, markNotePushFailed } from './notes.queries.ts'

export const pushNote = defineJob({
  name: 'push-note',
  payload: z.object({ partnerId: z.string(), noteId: z.string() }),
  retry: PUSH_RETRY,
  async run({ db, crm }, { partnerId, noteId }, signal) {
    const note = await findNoteToPush(db, partnerId, noteId)
    if (!note || note.crm === 'synced') return
    const partner = await findPartnerToPush(db, partnerId)
    if (!partner || partner.crm === 'held') return // confirming the address asks for another push (D52)
    // A converted lead takes no notes in the CRM any more: they go to its deal.
    const [record, lead] = await findNotedRecordsOfAnyPartner(db, note.loid)
    if (!record) throw new Error('the record of the note has not reached the CRM yet')
    const zohoId = await givingUpWhenRefused(
      crm.createNote(record.module, record.zoho_id, { ...note, lead_zoho_id: lead?.zoho_id }, signal),
      (problem) => markNotePushFailed(db, partnerId, noteId, problem),
    )
    await markNotePushed(db, partnerId, noteId, zohoId)
  },
  giveUp: ({ db }, { partnerId, noteId }) => markNotePushFailed(db, partnerId, noteId, NOT_REACHED),
})
