import { wholeDays } from '@portal/contract/dates.ts'
import type { StatusHistoryEntry } from '@portal/contract/leads.ts'
import type { Db, Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Tables } from '../../db/tables.ts'
import type { HistoryToWrite } from '../../zoho/crm-history.ts'

type Entry = Tables['lead_status_history']

/** The latest first; each lasts until the next one began, the latest until now (D26). */
export async function findStatusHistory(
  db: Db,
  partnerId: string,
  loid: string,
  now: Date,
): Promise<StatusHistoryEntry[]> {
  const entries = await db
    .selectFrom('lead_status_history')
    .select(['id', 'status', 'changed_time', 'changed_by', 'description'])
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .orderBy('changed_time', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return entries.map((entry, i) => ({
    ...entry,
    duration: wholeDays(entry.changed_time, entries[i - 1]?.changed_time ?? now.toISOString()),
  }))
}

export async function insertStatusEntry(
  tx: Tx,
  entry: Pick<Entry, 'partner_id' | 'loid' | 'status' | 'changed_time' | 'changed_by' | 'description' | 'origin'>,
): Promise<void> {
  await tx
    .insertInto('lead_status_history')
    .values({ id: newId(new Date(entry.changed_time)), crm_entry_id: null, ...entry })
    .execute()
}

/** What the portal holds already: the status at submission, and the latest. */
export async function findKnownStatuses(
  tx: Tx,
  partnerId: string,
  loid: string,
): Promise<{ submitted: { value: string; at: string } | undefined; latest: string | undefined }> {
  const rows = await tx
    .selectFrom('lead_status_history')
    .select(['status', 'origin', 'changed_time'])
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .orderBy('changed_time')
    .orderBy('id')
    .execute()
  const submitted = rows.find((row) => row.origin === 'submitted')
  return {
    submitted: submitted && { value: submitted.status, at: submitted.changed_time },
    latest: rows.at(-1)?.status,
  }
}

/** An entry of the CRM that is there already stays as it is. */
export async function writeCrmStatuses(
  tx: Tx,
  partnerId: string,
  loid: string,
  { entries, replacesObserved }: HistoryToWrite,
): Promise<void> {
  if (replacesObserved) {
    await tx
      .deleteFrom('lead_status_history')
      .where('partner_id', '=', partnerId)
      .where('loid', '=', loid)
      .where('origin', '=', 'observed')
      .execute()
  }
  if (entries.length === 0) return
  await tx
    .insertInto('lead_status_history')
    .values(
      entries.map(({ value, entry_id, ...entry }) => ({
        ...entry,
        // In the order they came: two of one second stay in it.
        id: newId(),
        partner_id: partnerId,
        loid,
        status: value,
        crm_entry_id: entry_id,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['loid', 'crm_entry_id']).where('crm_entry_id', 'is not', null).doNothing(),
    )
    .execute()
}

export async function moveStatusHistory(
  tx: Tx,
  loid: string,
  fromPartnerId: string,
  toPartnerId: string,
): Promise<void> {
  await tx
    .updateTable('lead_status_history')
    .set({ partner_id: toPartnerId })
    .where('partner_id', '=', fromPartnerId)
    .where('loid', '=', loid)
    .execute()
}
