import type { Note } from '@portal/contract/notes.ts'
import { pushNote } from '../../crm/push/push-note.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import { findDealRow } from '../../records/deals/deals.queries.ts'
import { recordEvent } from '../../records/events/events.ts'
import { findLeadRow } from '../../records/leads/leads.queries.ts'
import { insertNote } from '../../records/notes/notes.queries.ts'

interface NewNote {
  loid: string
  on: 'lead' | 'deal'
  title: string | null
  content: string
}

/**
 * In the caller's transaction, writes the note, its event and the job that pushes the note (D23). The caller has
 * checked that the record exists.
 */
export async function addNoteToRecord(
  tx: Tx,
  { clock, jobs }: Pick<Deps, 'clock' | 'jobs'>,
  partner: Caller,
  note: NewNote,
): Promise<{ note: Note }> {
  const now = clock.now()
  const row = {
    id: newId(now),
    partner_id: partner.id,
    loid: note.loid,
    written_on: note.on,
    title: note.title,
    content: note.content,
    created_by: partner.businessName,
    submitter_id: partner.submitter.id,
    submitted_by: partner.submitter.name,
    created_at: now.toISOString(),
    zoho_id: null,
    crm: 'pending' as const,
  }
  await insertNote(tx, row)
  const find = note.on === 'deal' ? findDealRow : findLeadRow
  const record = await find(tx, partner.id, note.loid)
  await recordEvent(tx, {
    partnerId: partner.id,
    loid: note.loid,
    type: 'note.added',
    data: {
      on: note.on,
      business_name: record?.business_name ?? null,
      note_id: row.id,
      created_by: partner.businessName,
      submitted_by: row.submitted_by,
      content: note.content,
    },
    personId: row.submitter_id,
    at: row.created_at,
  })
  await jobs.enqueue(tx, pushNote, { partnerId: partner.id, noteId: row.id })
  return { note: { ...row, crm_problem: null } }
}
