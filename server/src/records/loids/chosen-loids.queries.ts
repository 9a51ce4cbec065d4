import type { Deps } from '../../deps.ts'
import { newLoids } from './new-loid.ts'

/**
 * Chooses a LOID for each CRM record: the LOID that any process chose first, otherwise the suggested LOID, otherwise a
 * new LOID.
 */
export async function chooseLoids(
  { db, reads }: Pick<Deps, 'db' | 'reads'>,
  zohoIds: readonly string[],
  suggested: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  if (zohoIds.length === 0) return new Map()
  const loids = await newLoids(reads, zohoIds.length)
  // All processes insert in the same order, to avoid deadlocks.
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
export async function findChosenLoids(db: Deps['db'], zohoIds: readonly string[]): Promise<Map<string, string>> {
  if (zohoIds.length === 0) return new Map()
  const rows = await db.selectFrom('chosen_loids').selectAll().where('zoho_id', 'in', zohoIds).execute()
  return new Map(rows.map((row) => [row.zoho_id, row.loid]))
}
