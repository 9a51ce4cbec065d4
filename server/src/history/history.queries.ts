import { wholeDays } from '@portal/contract/dates.ts'
import type { Db, Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { HistoryKind } from '../db/tables.ts'
import type { CrmHistoryEntry } from '../zoho/crm-records.ts'
import { historyToWrite } from './crm-history.ts'

/** Whose history, and of what: one record has both while its lead's is still read from the deal (D18). */
export interface HistoryOf {
  kind: HistoryKind
  partnerId: string
  loid: string
}

/** One line of a history: `value` is the status or the stage. */
export interface HistoryEntry {
  id: string
  value: string
  changed_time: string
  changed_by: string | null
  description: string | null
  duration: number
}

/** The latest first; each lasts until the next one began, the latest until now (D26). */
export async function findHistory(db: Db, { kind, partnerId, loid }: HistoryOf, now: Date): Promise<HistoryEntry[]> {
  const entries = await db
    .selectFrom('history_entries')
    .select(['id', 'value', 'changed_time', 'changed_by', 'description'])
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('kind', '=', kind)
    .orderBy('changed_time', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return entries.map((entry, i) => ({
    ...entry,
    duration: wholeDays(entry.changed_time, entries[i - 1]?.changed_time ?? now.toISOString()),
  }))
}

/** The first entry: what the record began with (D26). */
export async function insertFirstEntry(
  tx: Tx,
  { kind, partnerId, loid }: HistoryOf,
  entry: Pick<HistoryEntry, 'value' | 'changed_time' | 'changed_by' | 'description'>,
): Promise<void> {
  await tx
    .insertInto('history_entries')
    .values({
      id: newId(new Date(entry.changed_time)),
      partner_id: partnerId,
      kind,
      loid,
      origin: 'submitted',
      crm_entry_id: null,
      ...entry,
    })
    .execute()
}

/** Of a record met for the first time. One that nobody touched since its birth began with what it is (D26). */
export async function beginCrmHistory(
  tx: Tx,
  of: HistoryOf,
  record: { current: string; modified_time: string; created_at: string; is_untouched: boolean },
  told: readonly CrmHistoryEntry[],
): Promise<void> {
  if (!record.is_untouched) return writeCrmHistory(tx, of, record, told)
  const { current: value, created_at: changed_time } = record
  await insertFirstEntry(tx, of, { value, changed_time, changed_by: null, description: null })
}

/** Adds what the CRM tells, and what the portal saw where the CRM tells nothing. An entry that is there stays as it is. */
export async function writeCrmHistory(
  tx: Tx,
  of: HistoryOf,
  record: { current: string; modified_time: string },
  told: readonly CrmHistoryEntry[],
): Promise<void> {
  const { submitted, latest } = await findKnown(tx, of)
  const known = { ...record, submitted, isCurrentKnown: latest === record.current }
  const { entries, replacesObserved } = historyToWrite(told, known)
  if (replacesObserved) {
    await tx
      .deleteFrom('history_entries')
      .where('partner_id', '=', of.partnerId)
      .where('loid', '=', of.loid)
      .where('kind', '=', of.kind)
      .where('origin', '=', 'observed')
      .execute()
  }
  if (entries.length === 0) return
  await tx
    .insertInto('history_entries')
    .values(
      entries.map(({ entry_id, ...entry }) => ({
        ...entry,
        // In the order they came: two of one second stay in it.
        id: newId(),
        partner_id: of.partnerId,
        kind: of.kind,
        loid: of.loid,
        crm_entry_id: entry_id,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['kind', 'loid', 'crm_entry_id']).where('crm_entry_id', 'is not', null).doNothing(),
    )
    .execute()
}

/** The record was given to another partner, who is not told whose it was: its first entry names who submitted it. */
export async function moveHistory(tx: Tx, { kind, partnerId, loid }: HistoryOf, toPartnerId: string): Promise<void> {
  await tx
    .updateTable('history_entries')
    .set((eb) => {
      const unlessSubmitted = (column: 'changed_by' | 'description') =>
        eb.case().when('origin', '!=', 'submitted').then(eb.ref(column)).end()
      return {
        partner_id: toPartnerId,
        changed_by: unlessSubmitted('changed_by'),
        description: unlessSubmitted('description'),
      }
    })
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('kind', '=', kind)
    .execute()
}

async function findKnown(tx: Tx, { kind, partnerId, loid }: HistoryOf) {
  const rows = await tx
    .selectFrom('history_entries')
    .select(['value', 'origin', 'changed_time'])
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('kind', '=', kind)
    .orderBy('changed_time')
    .orderBy('id')
    .execute()
  const submitted = rows.find((row) => row.origin === 'submitted')
  return { submitted: submitted && { value: submitted.value, at: submitted.changed_time }, latest: rows.at(-1)?.value }
}

/** Of records that are gone for good. */
export async function removeHistoryOfAllPartners(tx: Tx, kind: HistoryKind, loids: readonly string[]): Promise<void> {
  await tx.deleteFrom('history_entries').where('kind', '=', kind).where('loid', 'in', loids).execute()
}
