import { DEAL_NOTE_TITLE } from '@portal/contract/choices.ts'
import { addLeadNote, addNote, type Note } from '@portal/contract/notes.ts'
import { answerRequest } from '@portal/contract/requests.ts'
import { call } from '../../api/call.ts'

export interface NoteParent {
  kind: 'lead' | 'deal'
  loid: string
  /** Set if the note answers what the lender asks (D105). */
  requestId?: string
}

/** Sends a note. A deal's note is sent with the kind of its parent and a title (section 7). */
export async function sendNote(
  { kind, loid, requestId }: NoteParent,
  content: string,
  keyFor: (body: unknown) => string,
): Promise<Note> {
  if (requestId !== undefined) {
    const body = { content }
    const { note } = await call(answerRequest, { params: { id: requestId }, body, idempotencyKey: keyFor(body) })
    return note
  }
  if (kind === 'lead') {
    const body = { content }
    const { note } = await call(addLeadNote, { params: { leadId: loid }, body, idempotencyKey: keyFor(body) })
    return note
  }
  const body = { loid, parent_type: 'deal', title: DEAL_NOTE_TITLE, content }
  const { note } = await call(addNote, { body, idempotencyKey: keyFor(body) })
  return note
}
