import type { Deps } from '../../deps.ts'
import { timeOfId } from '../../platform/db/ids.ts'
import type { CrmModule, CrmNote, CrmNoteOfRecord } from '../../records/crm-records.ts'
import { clearDue } from '../../records/kinds/crm-rows.queries.ts'
import { applyCrmNotes, isForPartner, type NoteToApply } from '../apply/apply-crm-notes.ts'
import { applyInHalves } from '../apply/apply-in-halves.ts'
import { inPageTransaction } from '../apply/in-page-transaction.ts'
import { findRowsOf } from './find-rows-of.ts'
import type { AppliedRecord, Pull } from './pull.ts'
import { readEach } from './read-each.ts'

/**
 * The notes of at most this many records are read together with a page. The notes of the other records are read in the
 * background.
 */
const READ_AT_ONCE_MAX = 100
const CALLS_AT_ONCE = 8
/** The times of the CRM's notes, and the portal's estimate of the CRM's clock, are each wrong by up to a second. */
const ROUNDING_MS = 2_000

type NotedRecord = Pick<
  AppliedRecord,
  'module' | 'zoho_id' | 'partner_id' | 'loid' | 'business_name' | 'crm_modified_time'
>

/**
 * Reads the due notes of at most READ_AT_ONCE_MAX records. Each record takes at least one call. The notes of a record
 * that is new to its partner are not news, because they come with the record. The notes of a changed record are news,
 * except older notes that an earlier pull has left due.
 */
export async function pullDueNotes(pull: Pull, records: readonly AppliedRecord[]): Promise<void> {
  const due = records.filter((record) => record.notes_due).slice(0, READ_AT_ONCE_MAX)
  await pullNotesOf(
    pull,
    due.filter((record) => record.is_new),
    () => false,
  )
  const isSinceSeen = writtenSinceSeen(pull.deps)
  await pullNotesOf(
    pull,
    due.filter((record) => !record.is_new),
    (record, note) => !record.notes_were_due || isSinceSeen(record, note),
  )
}

/**
 * Returns a function that says whether a note was written after the portal first saw its record. Of the notes that an
 * earlier pull left due, only the notes written since then are news.
 */
export function writtenSinceSeen({ crm, clock }: Pick<Deps, 'crm' | 'clock'>) {
  const aheadMs = crm.now().getTime() - clock.now().getTime()
  return ({ id }: { id: string }, { created_at }: CrmNote) =>
    Date.parse(created_at) > Date.parse(timeOfId(id)) + aheadMs - ROUNDING_MS
}

/** Reads all notes of these records. Returns the records whose notes the CRM did not give. These notes stay due. */
export async function pullNotesOf<Noted extends NotedRecord>(
  pull: Pick<Pull, 'deps' | 'signal'>,
  records: readonly Noted[],
  isNews: (record: Noted, note: CrmNote) => boolean,
): Promise<Noted[]> {
  const { deps, signal } = pull
  const ofRecord = (record: Noted, notes: readonly CrmNote[]) =>
    notes.map((note) => toApply(record, note, isNews(record, note)))
  const lastPages = await readEach(records, CALLS_AT_ONCE, async (record) => {
    let page: CrmNote[] = []
    for await (const next of deps.crm.notePages(record.module, record.zoho_id, signal)) {
      if (page.length > 0) await writeNotes(pull, ofRecord(record, page), [])
      page = next
    }
    return page
  })
  const read = records.filter((record) => lastPages.has(record.zoho_id))
  await writeNotes(
    pull,
    read.flatMap((record) => ofRecord(record, lastPages.get(record.zoho_id) ?? [])),
    read,
  )
  return records.filter((record) => !lastPages.has(record.zoho_id))
}

/**
 * Applies the listed notes whose records the portal has. Notes on other records are read when the portal pulls those
 * records.
 */
export async function applyListedNotes(
  pull: Pick<Pull, 'deps' | 'signal'>,
  listed: readonly CrmNoteOfRecord[],
  /** Returns whether notes are news to this partner, or undefined to leave out the partner's notes. */
  isNewsFor: (partnerId: string, module: CrmModule) => boolean | undefined,
): Promise<void> {
  const notes: NoteToApply[] = []
  for (const [module, ofModule] of Map.groupBy(listed, (one) => one.module)) {
    const zohoIds = [...new Set(ofModule.map((one) => one.record_zoho_id))]
    const rows = await findRowsOf(pull.deps, module, zohoIds)
    const byId = new Map(rows.filter((row) => row.archived_at === null).map((row) => [row.zoho_id, row]))
    for (const { record_zoho_id: zoho_id, note } of ofModule) {
      const row = byId.get(zoho_id)
      // If the record's notes are due, a later read applies all of them and decides which are news.
      if (!row || row.notes_due) continue
      const isNews = isNewsFor(row.partner_id, module)
      if (isNews !== undefined) notes.push(toApply({ ...row, module, zoho_id }, note, isNews))
    }
  }
  await writeNotes(pull, notes, [])
}

async function writeNotes(
  { deps }: Pick<Pull, 'deps'>,
  all: readonly NoteToApply[],
  read: readonly NotedRecord[],
): Promise<void> {
  const notes = deps.config.crmNotes === 'portal' ? all.filter(({ note }) => isForPartner(note)) : all
  await applyInHalves(
    notes,
    (some) =>
      inPageTransaction(
        deps.db,
        some.map((note) => note.partnerId),
        (tx) => applyCrmNotes(tx, deps, some),
      ),
    ({ note, loid }, reason) =>
      deps.log.warn({ zoho_id: note.zoho_id, loid, reason }, 'a note from the CRM was left out'),
  )
  await clearDue(deps.db, 'notes_due', read)
}

function toApply(record: NotedRecord, note: CrmNote, isNews: boolean): NoteToApply {
  const { partner_id: partnerId, loid, business_name: businessName } = record
  return { note, partnerId, loid, on: record.module === 'Leads' ? 'lead' : 'deal', businessName, isNews }
}
