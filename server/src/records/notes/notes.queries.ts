import { NOTES_MAX } from '@portal/contract/limits.ts'
import type { Note } from '@portal/contract/notes.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { NewNoteRow, NoteRow } from '../../platform/db/tables.ts'
import type { CrmModule } from '../crm-records.ts'
import { LOIDS_OF_REFERRAL } from '../loids/loids.queries.ts'

/** `is_from_crm` says that the lender wrote the note. */
type FoundNote = Note & { is_from_crm: boolean }

/** The notes of a lead and of the deal that it became, found by either LOID. Newest first, at most a thousand. */
export async function findNotes(reads: Reads, partnerId: string, loid: string): Promise<FoundNote[]> {
  return sendNamed<FoundNote>(reads, {
    sql: `select id, title, content, coalesce(created_by, 'System') as created_by, submitter_id, submitted_by, created_at,
                 is_from_crm, crm,
                 case when crm <> 'synced' then crm_problem end as crm_problem
            from notes
           where partner_id = $1 and loid = any(array(${LOIDS_OF_REFERRAL}))
           order by created_at desc, id desc
           limit $3`,
    parameters: [partnerId, loid, NOTES_MAX],
  })
}

export async function insertNote(tx: Tx, note: NewNoteRow): Promise<void> {
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

/** After an unanswered push, the next one waits this long: the CRM may carry out a call that was given up. */
const UNANSWERED_SECONDS = 300

/**
 * Marks the note as about to be sent. Returns false if it was sent a short while ago and may still arrive. All times are
 * by the database's clock.
 */
export async function markNoteSent(db: Db, noteId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update notes set crm_sent_at = now()
     where id = ${noteId}
       and (crm_sent_at is null or crm_sent_at < now() - ${UNANSWERED_SECONDS} * interval '1 second')`.execute(db)
  return numAffectedRows > 0n
}

export async function clearNoteSent(db: Db, noteId: string): Promise<void> {
  await db.updateTable('notes').set({ crm_sent_at: null }).where('id', '=', noteId).execute()
}

/** Gives the note the id of the CRM's older copy. */
export async function keepOlderCopy(db: Db, noteId: string, olderZohoId: string): Promise<void> {
  await db.updateTable('notes').set({ zoho_id: olderZohoId }).where('id', '=', noteId).execute()
}

/** Marks the note as pushed. If a pull has since recognised the note, the note keeps the CRM id from that pull. */
export async function markNotePushed(db: Db, partnerId: string, noteId: string, zohoId: string): Promise<void> {
  await db
    .updateTable('notes')
    .set({ zoho_id: zohoId, crm: 'synced' })
    .where('partner_id', '=', partnerId)
    .where('id', '=', noteId)
    .where('zoho_id', 'is', null)
    .execute()
}

/** Marks a pending note as failed. A note that has since reached the CRM, or has already failed, stays as it is. */
export async function markNotePushFailed(tx: Tx, partnerId: string, noteId: string, problem: string) {
  const row = await tx
    .updateTable('notes')
    .set({ crm: 'failed', crm_problem: problem })
    .where('partner_id', '=', partnerId)
    .where('id', '=', noteId)
    .where('crm', '=', 'pending')
    .returning(['loid', 'written_on'])
    .executeTakeFirst()
  if (!row) return undefined
  const record = await tx
    .selectFrom(row.written_on === 'deal' ? 'deals' : 'leads')
    .select('business_name')
    .where('partner_id', '=', partnerId)
    .where('loid', '=', row.loid)
    .executeTakeFirst()
  return { loid: row.loid, on: row.written_on, business_name: record?.business_name ?? null }
}

/**
 * Marks failed notes as pending again: one note, or all notes of a record. Returns each note's payload for the push
 * job.
 */
export function reviveFailedNotes(
  tx: Tx,
  partnerId: string,
  which: { id: string } | { loid: string },
): Promise<{ partnerId: string; noteId: string }[]> {
  return tx
    .updateTable('notes')
    .set({ crm: 'pending', crm_problem: null })
    .where('partner_id', '=', partnerId)
    .where((eb) => eb.and(which))
    .where('crm', '=', 'failed')
    .returning(['partner_id as partnerId', 'id as noteId'])
    .execute()
}

/** Returns the ids in `zohoIds` that already belong to a note other than `noteId`, whichever partner has that note. */
export async function findOtherNotesOfAnyPartner(
  db: Db,
  noteId: string,
  zohoIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('notes')
    .select('zoho_id')
    .where((eb) => eb('zoho_id', '=', eb.fn.any(eb.val(zohoIds))))
    .where('id', '<>', noteId)
    .execute()
  return new Set(rows.flatMap((row) => row.zoho_id ?? []))
}

/**
 * The CRM's records with this LOID, the deal before the lead. Includes records of any partner, because a record may
 * have moved to another partner before its note is pushed. Leaves out a converted lead that has no deal yet: the CRM
 * refuses notes on it.
 */
export async function findNotedRecordsOfAnyPartner(
  db: Db,
  loid: string,
): Promise<{ module: CrmModule; zoho_id: string }[]> {
  const { rows } = await sql<{ module: CrmModule; zoho_id: string }>`
    select 'Deals' as module, zoho_id from deals where loid = ${loid} and zoho_id is not null
    union all
    select 'Leads', zoho_id from leads where loid = ${loid} and zoho_id is not null and awaits_deal_since is null
    order by module`.execute(db)
  return rows
}

/**
 * Whether notes and documents of this lead or deal wait with it: it still has to reach the CRM, or is a converted lead
 * that has no deal yet. `gone` if the record has left the CRM.
 */
export async function findRecordStateOfAnyPartner(db: Db, loid: string): Promise<'awaited' | 'there' | 'gone'> {
  const { rows } = await sql<{ is_there: boolean; is_awaited: boolean }>`
    select archived_reason is null as is_there, crm = 'pending' or awaits_deal_since is not null as is_awaited
      from leads where loid = ${loid}
    union all
    select archived_reason is null, crm = 'pending' from deals where loid = ${loid}`.execute(db)
  const there = rows.filter((row) => row.is_there)
  return there.some((row) => row.is_awaited) ? 'awaited' : there.length > 0 ? 'there' : 'gone'
}

/** Finds the ids of notes that are waiting to be pushed, the oldest first. */
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

/** The partners that own the leads and deals with these LOIDs. Leaves out erased leads and deals. */
export async function findOwnersOfAllPartners(
  tx: Tx,
  loids: readonly string[],
): Promise<Record<'lead' | 'deal', ReadonlyMap<string, string>>> {
  const { rows } = await sql<{ loid: string; partner_id: string; kind: 'lead' | 'deal' }>`
    select loid, partner_id, 'lead' as kind from leads where loid = any(${loids}) and erased_at is null
    union all
    select loid, partner_id, 'deal' from deals where loid = any(${loids}) and erased_at is null`.execute(tx)
  const ownersOf = (kind: 'lead' | 'deal') =>
    new Map(rows.filter((row) => row.kind === kind).map((row) => [row.loid, row.partner_id]))
  return { lead: ownersOf('lead'), deal: ownersOf('deal') }
}

/**
 * Finds the rows of these CRM notes, and locks them until the transaction ends. Also finds two kinds of notes that are
 * not marked as pushed: notes with one of these LOIDs, and signed notes with one of these texts. The CRM may have them
 * if the answer to their push was lost. All these rows may belong to any partner. Also finds signed notes of these
 * partners that have both one of these LOIDs and one of these texts, because the CRM may have a second copy of these
 * notes.
 */
export function lockNotesOfAllPartners(
  tx: Tx,
  which: Record<'zohoIds' | 'partnerIds' | 'loids' | 'signedTexts', readonly string[]>,
): Promise<NoteRow[]> {
  return tx
    .selectFrom('notes')
    .selectAll()
    .where((eb) => {
      const isSigned = eb.and([
        eb('submitted_by', 'is not', null),
        eb(sql`replace(content, E'\r\n', E'\n')`, '=', eb.fn.any(eb.val(which.signedTexts))),
      ])
      const isOnRecord = eb('loid', '=', eb.fn.any(eb.val(which.loids)))
      const mayBeSent = eb.or([isOnRecord, isSigned])
      return eb.or([
        eb('zoho_id', '=', eb.fn.any(eb.val(which.zohoIds))),
        // `crm` is compared only so that PostgreSQL can use the index of notes to push.
        eb.and([mayBeSent, eb('zoho_id', 'is', null), eb('crm', '!=', 'synced')]),
        eb.and([eb('partner_id', '=', eb.fn.any(eb.val(which.partnerIds))), isOnRecord, isSigned]),
      ])
    })
    .orderBy('created_at')
    .orderBy('id')
    .forUpdate()
    .execute()
}

/**
 * Removes the notes of records that are gone for good, for every partner. Notes stay while a lead or deal still has
 * their LOID.
 */
export async function removeNotesOfAllPartners(tx: Tx, loids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('notes')
    .where('loid', 'in', loids)
    .where('loid', 'not in', (eb) => eb.selectFrom('leads').select('loid').where('loid', 'in', loids))
    .where('loid', 'not in', (eb) => eb.selectFrom('deals').select('loid').where('loid', 'in', loids))
    .execute()
}

/** How far the partner's own notes on a record have come. */
export function findOwnNotes(
  db: Db,
  partnerId: string,
  loid: string,
): Promise<{ zoho_id: string | null; crm: NoteRow['crm']; crm_sent_at: string | null }[]> {
  return db
    .selectFrom('notes')
    .select(['zoho_id', 'crm', 'crm_sent_at'])
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('is_from_crm', '=', false)
    .execute()
}
