import { DEAL_NOTE_TITLE } from '@portal/contract/choices.ts'
import { addLeadNote, addNote, retryNotePush } from '@portal/contract/notes.ts'
import { isId } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { NotFound } from '../../errors.ts'
import type { Mount } from '../../http/mount.ts'
import { retryPush } from '../../push/retry-push.ts'
import { getDealLoid } from '../deals/deals.queries.ts'
import { getLeadLoid } from '../leads/leads.queries.ts'
import { addNoteToRecord } from './add-note.ts'
import { findNote, reviveFailedNotes } from './notes.queries.ts'
import { pushNote } from './push-note.job.ts'

export function noteRoutes(mount: Mount, deps: Deps): void {
  mount(addLeadNote, ({ once, partner, params, body }) =>
    once(async (tx) => {
      const loid = await getLeadLoid(tx, partner.id, params.leadId)
      return addNoteToRecord(tx, deps, partner, { loid, on: 'lead', title: null, content: body.content })
    }),
  )
  mount(addNote, ({ once, partner, body }) => {
    const isDeal = body.parent_type?.toLowerCase() === 'deal'
    const title = body.title ?? (isDeal ? DEAL_NOTE_TITLE : null)
    return once(async (tx) => {
      const loid = await (isDeal ? getDealLoid : getLeadLoid)(tx, partner.id, body.loid)
      return addNoteToRecord(tx, deps, partner, { loid, on: isDeal ? 'deal' : 'lead', title, content: body.content })
    })
  })
  mount(retryNotePush, async ({ partner, params }) => {
    const note = isId(params.id) ? await findNote(deps.db, partner.id, params.id) : undefined
    if (!note) throw new NotFound('Note not found')
    const isRevived = await retryPush(deps, pushNote, (tx) => reviveFailedNotes(tx, partner.id, { id: note.id }))
    return { id: note.id, crm: isRevived ? 'pending' : note.crm }
  })
}
