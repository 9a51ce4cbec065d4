import { DEAL_NOTE_TITLE } from '@portal/contract/choices.ts'
import { addLeadNote, addNote } from '@portal/contract/notes.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../http/mount.ts'
import { getDealLoid } from '../deals/deals.queries.ts'
import { getLeadLoid } from '../leads/leads.queries.ts'
import { addNoteToRecord } from './add-note.ts'

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
}
