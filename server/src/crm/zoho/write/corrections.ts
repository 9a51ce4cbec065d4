import type { LeadToPush } from '../../../records/crm-records.ts'
import { isInvalidId, isItemAnswer, isMissing, readResults, writtenId } from '../answers.ts'
import { removeRecord } from '../api.ts'
import type { ZohoParts } from '../parts.ts'
import type { NoteReader } from '../read-notes.ts'
import { readLookupId, zohoTime } from '../wire.ts'
import { fitted, named } from './fields.ts'

export interface LeadCorrector {
  /**
   * Writes corrected fields, unless the record was changed after `unmodifiedSince` or is gone; false then. After a lost
   * answer (`CrmUnavailable`) the correction may have arrived.
   */
  correctLead(
    zohoId: string,
    corrected: Partial<LeadToPush>,
    unmodifiedSince: string,
    signal?: AbortSignal,
  ): Promise<boolean>
  /**
   * Moves a lead to the CRM's recycle bin. A lead that is gone stays gone. Sent once, because nobody may have touched the
   * lead before it: a caller that gets `CrmUnavailable` looks at the lead again.
   */
  removeLead(zohoId: string, signal?: AbortSignal): Promise<void>
  /** Whether the lead has a note besides `ownNotes`, or a task or a file by another user than the one who made the lead. */
  hasItemsOfStaff(zohoId: string, ownNotes: ReadonlySet<string>, signal?: AbortSignal): Promise<boolean>
}

const CREATED_BY = 'Created_By'

export function openLeadCorrector(
  { api, metadata, fieldMap: { leads } }: ZohoParts,
  { notePages }: Pick<NoteReader, 'notePages'>,
): LeadCorrector {
  async function correctLead(
    zohoId: string,
    corrected: Partial<LeadToPush>,
    unmodifiedSince: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const settings = await metadata.fieldsOf(leads.module, signal)
    const record = fitted(named(corrected, leads.fields), settings, leads.fields)
    const answer = await api.write({
      method: 'PUT',
      path: `${leads.module}/${zohoId}`,
      headers: { 'if-unmodified-since': zohoTime(unmodifiedSince) },
      body: { data: [record] },
      isRepeatable: false,
      signal,
    })
    if (answer.status === 412 || (isMissing(answer) && !isItemAnswer(answer))) return false
    const [result] = readResults(answer)
    if (result && !('zohoId' in result) && isInvalidId(result)) return false
    writtenId(result)
    return true
  }

  async function hasItemsOfStaff(
    zohoId: string,
    ownNotes: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    for await (const notes of notePages('Leads', zohoId, signal)) {
      if (notes.some((note) => !ownNotes.has(note.zoho_id))) return true
    }
    const path = `${leads.module}/${zohoId}`
    const [lead] = await api.items(path, { fields: CREATED_BY }, { signal })
    const portal = readLookupId(lead, CREATED_BY)
    for (const list of ['Tasks', 'Attachments']) {
      for await (const items of api.pages(`${path}/${list}`, { fields: CREATED_BY }, { signal })) {
        if (items.some((item) => readLookupId(item, CREATED_BY) !== portal)) return true
      }
    }
    return false
  }

  return {
    correctLead,
    hasItemsOfStaff,
    removeLead: (zohoId, signal) => removeRecord(api, `${leads.module}/${zohoId}`, signal, 1),
  }
}
