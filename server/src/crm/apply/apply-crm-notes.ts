import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { insertSet, updateSet } from '../../platform/db/row-sets.ts'
import type { NoteRow } from '../../platform/db/tables.ts'
import type { CrmNote } from '../../records/crm-records.ts'
import { findDocumentedRecord } from '../../records/documents/documents.queries.ts'
import type { AnyEvent } from '../../records/events/event-data.ts'
import { recordEvents } from '../../records/events/events.ts'
import { findOwnersOfAllPartners, lockNotesOfAllPartners } from '../../records/notes/notes.queries.ts'
import { plain, signedText, withoutSignature, withSignature } from '../../records/notes/signature.ts'
import { removeNoteCopy } from '../push/remove-note-copy.job.ts'

/** A note from the CRM, with the portal's lead or deal that the note is about. */
export interface NoteToApply {
  note: CrmNote
  partnerId: string
  loid: string
  on: 'lead' | 'deal'
  businessName: string | null
  isNews: boolean
}

/**
 * Applies the CRM's notes on many records at once. If the portal pushed a note but got no answer, the note is
 * recognised here as the portal's own. If a record has moved to another partner, its notes by the lender's staff move
 * too, while each partner keeps the notes that it wrote; those follow a merge of the partner's own records. Notes that the CRM has deleted stay in the portal. If a record
 * moved after its notes were read, these notes are skipped here, and applied when they are read for the new partner.
 * Notes about an erased applicant are skipped for good. So are second copies of the portal's own notes: a job removes the
 * younger copy from the CRM.
 */
export async function applyCrmNotes(
  tx: Tx,
  { jobs, clock }: Pick<Deps, 'jobs' | 'clock'>,
  read: readonly NoteToApply[],
): Promise<void> {
  const now = clock.now()
  const owners = await findOwnersOfAllPartners(tx, [...new Set(read.map(({ loid }) => loid))])
  const notes = read.filter(({ partnerId, loid, on }) => owners[on].get(loid) === partnerId)
  if (notes.length === 0) return
  const zohoIds = notes.map(({ note }) => note.zoho_id)
  const rows = await lockNotesOfAllPartners(tx, {
    zohoIds,
    partnerIds: [...new Set(notes.map(({ partnerId }) => partnerId))],
    loids: [...new Set(notes.map(({ loid }) => loid))],
    signedTexts: notes.flatMap(({ note }) => signedText(note.content) ?? []),
  })
  const known = new Map(rows.map((row) => [row.zoho_id, row]))
  const unsent = new Set(rows.filter((row) => row.zoho_id === null))
  const added: (NoteToApply & { row: NoteRow })[] = []
  const changed: NoteRow[] = []
  for (const one of notes) {
    const { note, partnerId, loid, on } = one
    const row = known.get(note.zoho_id)
    if (row) {
      const { title } = note
      const content = withoutSignature(row, note.content)
      const isElsewhere = row.partner_id !== partnerId || row.loid !== loid
      const isTaken = isElsewhere && (row.is_from_crm || (await isMerged(tx, row, partnerId)))
      const isToChange = isElsewhere ? isTaken : !isSame(row, note)
      if (isToChange) changed.push({ ...row, partner_id: partnerId, loid, title, content })
      continue
    }
    const sent = takeSent(unsent, one)
    const original = sent ? undefined : rows.find((row) => isSecondCopy(row, one))
    if (original) {
      const copy = { partnerId: original.partner_id, noteId: original.id, copyZohoId: note.zoho_id }
      await jobs.enqueue(tx, removeNoteCopy, copy)
      continue
    }
    const { modified_time: _, creator_zoho_id: __, ...written } = note
    const id = newId(new Date(note.created_at))
    const addedRow: NoteRow = {
      ...written,
      id,
      partner_id: partnerId,
      loid,
      written_on: on,
      crm: 'synced',
      crm_problem: null,
      crm_sent_at: null,
      submitter_id: null,
      submitted_by: null,
      is_from_crm: true,
    }
    known.set(note.zoho_id, sent ?? addedRow)
    if (sent) changed.push({ ...sent, zoho_id: note.zoho_id, crm: 'synced' })
    else added.push({ ...one, row: addedRow })
  }
  await updateSet(tx, 'notes', changed)
  const ids = await insertSet(
    tx,
    'notes',
    added.map(({ row }) => row),
  )
  const news = added.filter(({ row, isNews }) => isNews && ids.has(row.id))
  await recordEvents(
    tx,
    news.map(({ row, note, partnerId, loid, on, businessName }): AnyEvent => {
      const data = {
        on,
        business_name: businessName,
        note_id: row.id,
        created_by: note.created_by,
        submitted_by: null,
        content: note.content,
        written_at: note.created_at,
      }
      return { partnerId, loid, type: 'note.added', data, at: now.toISOString() }
    }),
  )
}

/** Whether the partner wrote this note on a record that is gone: staff have merged it into the one that has the note now. */
async function isMerged(tx: Tx, row: NoteRow, partnerId: string): Promise<boolean> {
  return row.partner_id === partnerId && !(await findDocumentedRecord(tx, partnerId, row.loid))
}

/**
 * Finds the unsent note that matches this note from the CRM, and removes it from `unsent`. If both notes have the same
 * LOID, comparing the texts is enough. Otherwise the unsent note must be signed. The LOIDs can differ, because a lead's
 * deal may have its own LOID and belong to another partner.
 */
function takeSent(unsent: Set<NoteRow>, { note, partnerId, loid }: NoteToApply): NoteRow | undefined {
  const closeness = (row: NoteRow) => (row.loid === loid ? 2 : 0) + (row.partner_id === partnerId ? 1 : 0)
  const [sent] = [...unsent]
    .filter((row) => (row.loid === loid || row.submitted_by !== null) && isSent(row, note))
    .toSorted((a, b) => closeness(b) - closeness(a))
  if (sent) unsent.delete(sent)
  return sent
}

/**
 * Whether this note is a second copy of a note that the portal pushed. The CRM can store two copies if the portal
 * repeats a push. The signature distinguishes the copy from a note that staff wrote with the same words.
 */
function isSecondCopy(row: NoteRow, { note, loid }: NoteToApply): boolean {
  return row.loid === loid && row.submitted_by !== null && isSent(row, note)
}

/**
 * Whether the note is meant for the partner. With `CRM_NOTES=portal`, these are the only notes from the CRM that the
 * portal shows besides its own notes (D32a).
 */
export function isForPartner(note: CrmNote): boolean {
  return note.title?.toLowerCase().startsWith('partner') ?? false
}

function isSame(row: NoteRow, note: CrmNote): boolean {
  return plain(row.content) === plain(withoutSignature(row, note.content)) && isSameTitle(row, note)
}

function isSent(row: NoteRow, note: CrmNote): boolean {
  return plain(withSignature(row)) === plain(note.content) && isSameTitle(row, note)
}

function isSameTitle(row: NoteRow, note: CrmNote): boolean {
  return plain(row.title ?? '') === plain(note.title ?? '')
}
