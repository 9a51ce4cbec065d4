import type { Db } from '../db/database.ts'
import { newLoids } from './new-loid.ts'

/** The LOID of each CRM record: the first that any process chose, otherwise the suggested one, otherwise a new one. */
export async function chooseLoids(
  db: Db,
  zohoIds: readonly string[],
  suggested: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  if (zohoIds.length === 0) return new Map()
  const loids = await newLoids(db, zohoIds.length)
  // The order is the same everywhere, so that no two processes wait for each other.
  const choices = zohoIds
    .toSorted()
    .map((zoho_id, index) => ({ zoho_id, loid: suggested.get(zoho_id) ?? loids[index] ?? '' }))
  await db
    .insertInto('chosen_loids')
    .values(choices)
    .onConflict((conflict) => conflict.column('zoho_id').doNothing())
    .execute()
  return findChosenLoids(db, zohoIds)
}

/** The LOIDs that have been chosen so far, by any process. */
export async function findChosenLoids(db: Db, zohoIds: readonly string[]): Promise<Map<string, string>> {
  if (zohoIds.length === 0) return new Map()
  const rows = await db.selectFrom('chosen_loids').selectAll().where('zoho_id', 'in', zohoIds).execute()
  return new Map(rows.map((row) => [row.zoho_id, row.loid]))
}
