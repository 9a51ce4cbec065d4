import { wholeDays } from '@portal/contract/dates.ts'
import type { StatusHistoryEntry } from '@portal/contract/leads.ts'
import type { Db, Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Tables } from '../../db/tables.ts'

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
