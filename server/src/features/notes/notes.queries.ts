import { NOTES_MAX } from '@portal/contract/limits.ts'
import type { Note } from '@portal/contract/notes.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Reads } from '../../db/hot-reads.ts'
import type { NoteRow } from '../../db/tables.ts'

/** Of a lead, and of the deal that it became, which has the same LOID (D18). Newest first, at most a thousand. */
export async function findNotes(reads: Reads, partnerId: string, loid: string): Promise<Note[]> {
  const { rows } = await reads.query<Note>({
    name: 'notes-of-record',
    text: `select id, title, content, coalesce(created_by, 'System') as created_by, created_at, crm
             from notes
            where partner_id = $1 and loid = $2
            order by created_at desc, id desc
            limit $3`,
    values: [partnerId, loid, NOTES_MAX],
  })
  return rows
}

export async function insertNote(tx: Tx, note: NoteRow): Promise<void> {
  await tx.insertInto('notes').values(note).execute()
}

export function findNote(db: Db, partnerId: string, noteId: string): Promise<NoteRow | undefined> {
  return db
    .selectFrom('notes')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('id', '=', noteId)
    .executeTakeFirst()
}

export async function markNotePushed(db: Db, partnerId: string, noteId: string, zohoId: string): Promise<void> {
  await db
    .updateTable('notes')
    .set({ zoho_id: zohoId, crm: 'synced' })
    .where('partner_id', '=', partnerId)
    .where('id', '=', noteId)
    .execute()
}

export async function markNotePushFailed(db: Db, partnerId: string, noteId: string): Promise<void> {
  await db
    .updateTable('notes')
    .set({ crm: 'failed' })
    .where('partner_id', '=', partnerId)
    .where('id', '=', noteId)
    .where('crm', '!=', 'synced')
    .execute()
}

/** Makes the notes that the portal gave up on wait again, one or all of a record: what the push of each is to be told. */
export function reviveFailedNotes(
  tx: Tx,
  partnerId: string,
  which: { id: string } | { loid: string },
): Promise<{ partnerId: string; noteId: string }[]> {
  return tx
    .updateTable('notes')
    .set({ crm: 'pending' })
    .where('partner_id', '=', partnerId)
    .where((eb) => eb.and(which))
    .where('crm', '=', 'failed')
    .returning(['partner_id as partnerId', 'id as noteId'])
    .execute()
}

/** The CRM ids of the record's notes: what a pull or push need not look at again. */
/** Those that the CRM does not have yet, the oldest first. */
export async function findNotesToPush(db: Db, partnerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('crm', '=', 'pending')
    .orderBy('created_at')
    .execute()
  return rows.map((row) => row.id)
}

export async function findNoteZohoIds(db: Db | Tx, partnerId: string, loid: string): Promise<string[]> {
  const rows = await db
    .selectFrom('notes')
    .select('zoho_id')
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('zoho_id', 'is not', null)
    .execute()
  return rows.flatMap((row) => row.zoho_id ?? [])
}

/**
 * What the portal holds of these notes of the CRM, and all notes on these LOIDs whose push was not heard of, whoever wrote
 * them. Held until the transaction ends.
 */
export function lockNotesOfAllPartners(
  tx: Tx,
  zohoIds: readonly string[],
  loids: readonly string[],
): Promise<NoteRow[]> {
  return tx
    .selectFrom('notes')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))),
        // Said for the index of those that are to be pushed, too.
        eb.and([eb('loid', '=', eb.fn.any(eb.val(loids))), eb('zoho_id', 'is', null), eb('crm', '!=', 'synced')]),
      ]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Of records that are gone for good, whoever wrote them: a LOID that a lead or a deal still has keeps its notes. */
export async function removeNotesOfAllPartners(tx: Tx, loids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('notes')
    .where('loid', 'in', loids)
    .where('loid', 'not in', (eb) => eb.selectFrom('leads').select('loid').where('loid', 'in', loids))
    .where('loid', 'not in', (eb) => eb.selectFrom('deals').select('loid').where('loid', 'in', loids))
    .execute()
}
