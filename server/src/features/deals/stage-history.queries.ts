import { wholeDays } from '@portal/contract/dates.ts'
import type { StageHistoryEntry } from '@portal/contract/deals.ts'
import type { Db } from '../../db/database.ts'

/** The latest first; each lasts until the next one began, the latest until now (D26). */
export async function findStageHistory(
  db: Db,
  partnerId: string,
  loid: string,
  now: Date,
): Promise<StageHistoryEntry[]> {
  const entries = await db
    .selectFrom('deal_stage_history')
    .select(['id', 'stage', 'changed_time', 'changed_by', 'description'])
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
