import { wholeDays } from '@portal/contract/dates.ts'
import type { StageHistoryEntry } from '@portal/contract/deals.ts'
import type { Db, Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { HistoryToWrite } from '../../zoho/crm-history.ts'

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

/** What the portal holds already: the stage at submission, and the latest. */
export async function findKnownStages(
  tx: Tx,
  partnerId: string,
  loid: string,
): Promise<{ submitted: { value: string; at: string } | undefined; latest: string | undefined }> {
  const rows = await tx
    .selectFrom('deal_stage_history')
    .select(['stage', 'origin', 'changed_time'])
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .orderBy('changed_time')
    .orderBy('id')
    .execute()
  const submitted = rows.find((row) => row.origin === 'submitted')
  return {
    submitted: submitted && { value: submitted.stage, at: submitted.changed_time },
    latest: rows.at(-1)?.stage,
  }
}

/** An entry of the CRM that is there already stays as it is. */
export async function writeCrmStages(
  tx: Tx,
  partnerId: string,
  loid: string,
  { entries, replacesObserved }: HistoryToWrite,
): Promise<void> {
  if (replacesObserved) {
    await tx
      .deleteFrom('deal_stage_history')
      .where('partner_id', '=', partnerId)
      .where('loid', '=', loid)
      .where('origin', '=', 'observed')
      .execute()
  }
  if (entries.length === 0) return
  await tx
    .insertInto('deal_stage_history')
    .values(
      entries.map(({ value, entry_id, ...entry }) => ({
        ...entry,
        // In the order they came: two of one second stay in it.
        id: newId(),
        partner_id: partnerId,
        loid,
        stage: value,
        crm_entry_id: entry_id,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['loid', 'crm_entry_id']).where('crm_entry_id', 'is not', null).doNothing(),
    )
    .execute()
}

export async function moveStageHistory(
  tx: Tx,
  loid: string,
  fromPartnerId: string,
  toPartnerId: string,
): Promise<void> {
  await tx
    .updateTable('deal_stage_history')
    .set({ partner_id: toPartnerId })
    .where('partner_id', '=', fromPartnerId)
    .where('loid', '=', loid)
    .execute()
}
