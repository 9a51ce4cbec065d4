import { DEAL_NOTE_TITLE } from '@portal/contract/choices.ts'
import { addLeadNote, addNote, retryNotePush } from '@portal/contract/notes.ts'
import { pushNote } from '../../crm/push/push-note.job.ts'
import { retryPush } from '../../crm/push/retry-push.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/ids.ts'
import { Conflict, NotFound } from '../../platform/errors.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { findDealLoid, getDealLoid } from '../../records/deals/deals.queries.ts'
import { findLeadRow, getLeadKeys } from '../../records/leads/leads.queries.ts'
import { findNote, reviveFailedNotes } from '../../records/notes/notes.queries.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { addNoteToRecord } from './add-note.ts'

export function noteRoutes(mount: Mount, deps: Deps): void {
  const { reads } = deps

  mount(addLeadNote, async (call) => {
    const { partner, params, body } = call
    await limitPartner(deps, call, 'notes')
    const [lead] = await getLeadKeys(reads, partner.id, params.leadId)
    return call.once(async (tx) => {
      const record = await getNotedRecord(tx, partner.id, lead.loid)
      return addNoteToRecord(tx, deps, partner, { ...record, title: null, content: body.content })
    })
  })
  mount(addNote, async (call) => {
    const { partner, body } = call
    await limitPartner(deps, call, 'notes')
    const isDeal = body.parent_type?.toLowerCase() === 'deal'
    const title = body.title ?? (isDeal ? DEAL_NOTE_TITLE : null)
    const [lead] = isDeal ? [] : await getLeadKeys(reads, partner.id, body.loid)
    return call.once(async (tx) => {
      const record = lead
        ? await getNotedRecord(tx, partner.id, lead.loid)
        : { loid: await getDealLoid(tx, partner.id, body.loid), on: 'deal' as const }
      return addNoteToRecord(tx, deps, partner, { ...record, title, content: body.content })
    })
  })
  mount(retryNotePush, async (call) => {
    const { partner, params } = call
    await limitPartner(deps, call, 'retries')
    const note = isId(params.id) ? await findNote(deps.db, partner.id, params.id) : undefined
    if (!note) throw new NotFound('Note not found')
    const isRevived = await retryPush(deps, pushNote, (tx) => reviveFailedNotes(tx, partner.id, { id: note.id }))
    return { id: note.id, crm: isRevived ? 'pending' : note.crm }
  })
}

/** Finds the record for a note on a lead: the lead, or the deal that it became if the portal has this deal. */
async function getNotedRecord(tx: Tx, partnerId: string, loid: string): Promise<{ loid: string; on: 'lead' | 'deal' }> {
  const lead = await findLeadRow(tx, partnerId, loid)
  if (lead?.archived_reason === 'withdrawn') throw new Conflict('CONFLICT', 'The lead was withdrawn.')
  const dealLoid = lead?.deal_loid ? await findDealLoid(tx, partnerId, lead.deal_loid) : undefined
  return dealLoid === undefined ? { loid, on: 'lead' } : { loid: dealLoid, on: 'deal' }
}
