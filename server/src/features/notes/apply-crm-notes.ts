import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { NewNoteRow, NoteRow } from '../../db/tables.ts'
import { recordEvent } from '../../events/events.ts'
import type { CrmNote } from '../../zoho/crm-records.ts'
import { insertCrmNote, lockNotes, lockUnsentNotesOfOtherPartners, updateNote } from './notes.queries.ts'

interface Parent {
  partnerId: string
  loid: string
  on: 'lead' | 'deal'
  businessName: string | null
}

/**
 * Takes over what a record's notes say in the CRM. A note of the portal whose push was not heard of is recognised by its
 * words, also when it is of a partner who had the record before: it stays theirs. One that the CRM no longer has stays.
 */
export async function applyCrmNotes(
  tx: Tx,
  parent: Parent,
  notes: readonly CrmNote[],
  { now, isNews }: { now: Date; isNews: boolean },
): Promise<void> {
  if (notes.length === 0) return
  const { partnerId, loid, on, businessName } = parent
  const rows = await lockNotes(tx, partnerId, loid)
  const byZohoId = new Map(rows.map((row) => [row.zoho_id, row]))
  const ownUnsent = rows.filter((row) => row.zoho_id === null)
  const unsent = [...ownUnsent, ...(await lockUnsentNotesOfOtherPartners(tx, partnerId, loid))]

  for (const note of notes) {
    const row = byZohoId.get(note.zoho_id)
    if (row) {
      if (!isSame(row, note)) await updateNote(tx, partnerId, row.id, { title: note.title, content: note.content })
      continue
    }
    const same = unsent.findIndex((one) => isSame(one, note))
    const [sent] = same < 0 ? [] : unsent.splice(same, 1)
    if (sent) {
      await updateNote(tx, sent.partner_id, sent.id, { zoho_id: note.zoho_id, crm: 'synced' })
      continue
    }
    const { modified_time: _, ...written } = note
    const added: NewNoteRow = {
      ...written,
      id: newId(new Date(note.created_at)),
      partner_id: partnerId,
      loid,
      written_on: on,
      crm: 'synced',
    }
    const isNew = await insertCrmNote(tx, added)
    if (!isNew || !isNews) continue
    const data = { on, business_name: businessName, created_by: note.created_by, content: note.content }
    await recordEvent(tx, { partnerId, loid, type: 'note.added', data, at: now.toISOString() })
  }
}

/** `CRM_NOTES=portal`: the portal's own are there anyway, and of the CRM's those meant for the partner (D32a). */
export function isForPartner(note: CrmNote): boolean {
  return note.title?.toLowerCase().startsWith('partner') ?? false
}

function isSame(row: NoteRow, note: CrmNote): boolean {
  return plain(row.content) === plain(note.content) && plain(row.title ?? '') === plain(note.title ?? '')
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}
