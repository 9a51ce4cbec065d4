import { isMissing, readItems } from './answers.ts'
import { itemsOf } from './api.ts'
import type { CrmModule, CrmNote, CrmNoteOfRecord } from './crm-records.ts'
import { CrmForbidden, CrmRefused } from './errors.ts'
import { moduleName } from './field-map.ts'
import type { ZohoParts } from './parts.ts'
import { NOTE_FIELDS, readNote, readNoteParent, zohoTime } from './wire.ts'

export interface NoteReader {
  notes(module: CrmModule, zohoId: string, signal?: AbortSignal): Promise<CrmNote[]>
  /** The whole organisation's, because a new note may leave its record's time as it was. Null where Zoho forbids it. */
  notesSince(since: string, signal?: AbortSignal): Promise<CrmNoteOfRecord[] | null>
  /** Null when it is gone, says nothing, or stands on no lead or deal. */
  findNote(zohoId: string, signal?: AbortSignal): Promise<CrmNoteOfRecord | null>
}

export function openNoteReader({ api, fieldMap }: Pick<ZohoParts, 'api' | 'fieldMap'>): NoteReader {
  function readNoteOfRecord(row: unknown): CrmNoteOfRecord | null {
    const note = readNote(row)
    const parent = readNoteParent(row)
    const module = (['Leads', 'Deals'] as const).find((one) => moduleName(fieldMap, one) === parent?.module)
    return note && parent && module ? { module, record_zoho_id: parent.zoho_id, note } : null
  }

  return {
    async notes(module, zohoId, signal) {
      const path = `${moduleName(fieldMap, module)}/${zohoId}/Notes`
      const rows = await itemsOf(api.pages(path, { fields: NOTE_FIELDS }, { signal }))
      return rows.flatMap((row) => readNote(row) ?? [])
    },

    async notesSince(since, signal) {
      const headers = { 'if-modified-since': zohoTime(since) }
      const query = { fields: NOTE_FIELDS, sort_by: 'Modified_Time', sort_order: 'asc' }
      // Only administrators may list all notes, and no listing goes beyond a hundred thousand.
      const rows = await itemsOf(api.pages('Notes', query, { signal, headers })).catch((error: unknown) => {
        if (error instanceof CrmRefused || error instanceof CrmForbidden) return null
        throw error
      })
      return rows && rows.flatMap((row) => readNoteOfRecord(row) ?? [])
    },

    async findNote(zohoId, signal) {
      const answer = await api.get(`Notes/${zohoId}`, { fields: NOTE_FIELDS }, { signal })
      return isMissing(answer) ? null : readNoteOfRecord(readItems(answer).items[0])
    },
  }
}
