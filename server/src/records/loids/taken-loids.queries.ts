import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'

/**
 * Finds which of these LOIDs already belong to a lead or deal. No two referrals have the same LOID, whichever partner
 * they belong to (D17); only a lead and the deal that it becomes share a LOID.
 */
export async function findTakenLoidsOfAllPartners(reads: Reads, loids: readonly string[]): Promise<Set<string>> {
  const rows = await sendNamed<{ loid: string }>(reads, {
    sql: `select loid from leads where loid = any($1) union select loid from deals where loid = any($1)`,
    parameters: [loids],
  })
  return new Set(rows.map((row) => row.loid))
}
