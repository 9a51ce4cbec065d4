import type { Db, Tx } from '../../platform/db/database.ts'

/**
 * Finds which of these LOIDs already belong to a lead or deal. No two referrals have the same LOID, whichever partner
 * they belong to (D17); only a lead and the deal that it becomes share a LOID.
 */
export async function findTakenLoidsOfAllPartners(db: Db | Tx, loids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('leads')
    .select('loid')
    .where('loid', 'in', loids)
    .union(db.selectFrom('deals').select('loid').where('loid', 'in', loids))
    .execute()
  return new Set(rows.map((row) => row.loid))
}
