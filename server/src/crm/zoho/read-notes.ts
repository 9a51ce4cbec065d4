import type { CrmModule, CrmNote, CrmNoteOfRecord } from '../../records/crm-records.ts'
import { isMissing } from './answers.ts'
import { readItems } from './api.ts'
import { CrmForbidden, CrmRefused } from './errors.ts'
import { moduleName } from './field-map.ts'
import type { ZohoParts } from './parts.ts'
import { NOTE_FIELDS, readNote, readParent, zohoTime } from './wire.ts'

export interface NoteReader {
  /** Pages of one record's notes, in no particular order. Yields no page while the record is in the recycle bin. */
  notePages(module: CrmModule, zohoId: string, signal?: AbortSignal): AsyncIterable<CrmNote[]>
  /**
   * Pages of the whole organisation's notes that have changed since this time, the oldest change first. A record's
   * modified time cannot be used to find new notes, because adding a note may leave that time unchanged. Throws
   * `NotesNotListed` if Zoho forbids the listing or has more notes than it lists.
   */
  notePagesSince(since: string, signal?: AbortSignal): AsyncIterable<CrmNoteOfRecord[]>
  /** Whether Zoho let the portal list all notes at the last attempt. Undefined before the first attempt. */
  listsNotes(): boolean | undefined
  /** Null if the note is gone, is empty, cannot be read, or belongs to no lead or deal. */
  findNote(zohoId: string, signal?: AbortSignal): Promise<CrmNoteOfRecord | null>
}

/** Zoho lets only administrators list all notes, and a listing has at most a hundred thousand notes. */
export class NotesNotListed extends Error {
  override name = 'NotesNotListed'
}

export function openNoteReader({ api, fieldMap }: Pick<ZohoParts, 'api' | 'fieldMap'>): NoteReader {
  let isListed: boolean | undefined

  function readNoteOfRecord(row: unknown): CrmNoteOfRecord | null {
    const note = readNote(row)
    const parent = readParent(row)
    const module = (['Leads', 'Deals'] as const).find((one) => moduleName(fieldMap, one) === parent?.module)
    return note && parent && module ? { module, record_zoho_id: parent.zoho_id, note } : null
  }

  return {
    async *notePages(module, zohoId, signal) {
      const path = `${moduleName(fieldMap, module)}/${zohoId}/Notes`
      for await (const rows of api.pages(path, { fields: NOTE_FIELDS }, { signal })) {
        yield rows.flatMap((row) => readNote(row) ?? [])
      }
    },

    async *notePagesSince(since, signal) {
      const headers = { 'if-modified-since': zohoTime(since) }
      const query = { fields: NOTE_FIELDS, sort_by: 'Modified_Time', sort_order: 'asc' }
      try {
        for await (const rows of api.pages('Notes', query, { signal, headers })) {
          isListed = true
          yield rows.flatMap((row) => readNoteOfRecord(row) ?? [])
        }
        isListed = true
      } catch (error) {
        if (!(error instanceof CrmRefused || error instanceof CrmForbidden)) throw error
        isListed = false
        throw new NotesNotListed(error.message, { cause: error })
      }
    },

    listsNotes: () => isListed,

    async findNote(zohoId, signal) {
      const answer = await api.get(`Notes/${zohoId}`, { fields: NOTE_FIELDS }, { signal })
      return isMissing(answer) ? null : readNoteOfRecord(readItems(answer).items[0])
    },
  }
}
