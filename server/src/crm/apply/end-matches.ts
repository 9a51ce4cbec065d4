import type { Tx } from '../../platform/db/database.ts'
import { forgetMatchedLeadsOfAllPartners } from '../../records/deals/deals.queries.ts'
import { restoreMatchedLeadsOfAllPartners } from '../../records/leads/matching.queries.ts'

/**
 * In a match, a deal has replaced a lead (D49). Ends the matches of deals that are gone or belong to another partner,
 * and of leads that belong to another partner or became another deal. Returns the LOIDs of the leads that are open
 * again.
 */
export async function endMatches(
  tx: Tx,
  ended: { leads: readonly string[]; deals: readonly string[] },
): Promise<string[]> {
  if (ended.leads.length + ended.deals.length === 0) return []
  const restored = await restoreMatchedLeadsOfAllPartners(tx, ended.deals)
  await forgetMatchedLeadsOfAllPartners(tx, ended)
  return restored
}
