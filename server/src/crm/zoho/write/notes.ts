import { cutText } from '../../../platform/cut-text.ts'
import { CrmUnavailable } from '../../../platform/errors.ts'
import type { CrmModule, NoteToPush } from '../../../records/crm-records.ts'
import { isItemAnswer, isMissing, readResults, writtenId } from '../answers.ts'
import { removeRecord } from '../api.ts'
import type { ZohoParts } from '../parts.ts'
import type { NoteReader } from '../read-notes.ts'
import type { RecordReader } from '../read-records.ts'
import { withoutNulls } from './fields.ts'

export interface NoteWriter {
  /**
   * Returns the note's id in the CRM. If the lead of a note has become a deal, the note is added to the deal. A
   * repeated call finds the same note on the lead or on its deal instead of adding a second note. Throws
   * `CrmUnavailable` while the record is in the CRM's recycle bin, and `CrmUnanswered` if the note may arrive later.
   */
  createNote(module: CrmModule, zohoId: string, note: NoteToPush, signal?: AbortSignal): Promise<string>
  /** Moves a note to the CRM's recycle bin. A note that is gone stays gone. */
  removeNote(zohoId: string, signal?: AbortSignal): Promise<void>
}

const NOTE_TITLE_LENGTH_MAX = 120

export function openNoteWriter(
  { api, fieldMap: { leads, deals } }: ZohoParts,
  { notePages, getLeads }: Pick<NoteReader & RecordReader, 'notePages' | 'getLeads'>,
): NoteWriter {
  /** The deal that a conversion made from the lead. The portal may not know the deal yet. */
  async function findDealOfLead(zohoId: string, signal?: AbortSignal): Promise<string | undefined> {
    const [lead] = (await getLeads([zohoId], signal)).records
    return (lead?.is_converted && lead.converted_deal_zoho_id) || undefined
  }

  async function createNote(
    module: CrmModule,
    zohoId: string,
    note: NoteToPush,
    signal?: AbortSignal,
  ): Promise<string> {
    const title = note.title === null ? null : cutText(note.title, NOTE_TITLE_LENGTH_MAX)
    const leadId = module === 'Leads' ? zohoId : note.lead_zoho_id
    const onLead = leadId === undefined ? undefined : await look('Leads', leadId)
    // The deal is read after the lead's notes, because a conversion may move the notes to the deal.
    const dealId = module === 'Deals' ? zohoId : await findDealOfLead(zohoId, signal)
    const onDeal = dealId === undefined ? undefined : await look('Deals', dealId)
    const there = onDeal?.sent ?? onLead?.sent
    if (there !== undefined) return there
    // The note may be in the recycle bin with the record, and staff may restore both at any moment.
    if (!(onDeal ?? onLead)?.isThere) throw recordNotThere()
    const record = withoutNulls({ Note_Title: title, Note_Content: note.content })
    await note.beforeSending?.()
    const path = dealId === undefined ? `${leads.module}/${zohoId}/Notes` : `${deals.module}/${dealId}/Notes`
    const answer = await api.write({ method: 'POST', path, body: { data: [record] }, isRepeatable: false, signal })
    if (isMissing(answer) && !isItemAnswer(answer)) throw recordNotThere()
    return writtenId(readResults(answer)[0])

    /** Whether the record exists, and the note's id if an earlier push has added the note to the record. */
    async function look(on: CrmModule, id: string): Promise<{ isThere: boolean; sent?: string }> {
      let isThere = false
      for await (const page of notePages(on, id, signal)) {
        isThere = true
        const same = page
          .filter((one) => isSameLines(one.content, note.content) && isSameLines(one.title ?? '', title ?? ''))
          .map((one) => one.zoho_id)
        const others = same.length === 0 ? undefined : await note.findOthers?.(same)
        const sent = same.find((zohoId) => !others?.has(zohoId))
        if (sent !== undefined || note.crm_sent_at === null) return { isThere, ...(sent !== undefined && { sent }) }
      }
      return { isThere }
    }
  }

  return { createNote, removeNote: (zohoId, signal) => removeRecord(api, `Notes/${zohoId}`, signal) }
}

function recordNotThere(): CrmUnavailable {
  return new CrmUnavailable('The record is not in the CRM at the moment.')
}

function isSameLines(a: string, b: string): boolean {
  return a.replaceAll('\r\n', '\n').trim() === b.replaceAll('\r\n', '\n').trim()
}
