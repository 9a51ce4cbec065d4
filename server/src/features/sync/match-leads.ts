import type { Tx } from '../../db/database.ts'
import { recordEvents } from '../../events/events.ts'
import { findMatchableDealsOfAllPartners } from '../deals/deals.queries.ts'
import {
  archiveMatchedLeadsOfAllPartners,
  findMatchableLeadsOfAllPartners,
  findPossibleMatchesOfAllPartners,
} from '../leads/matching.queries.ts'
import { matchLeadsToDeals } from './match-lead-to-deal.ts'

/**
 * Deals take the place of the leads that they match (D29), among all that these leads and deals may match. The caller holds
 * the locks of their partners, so that no deal takes two leads.
 */
export async function matchLeads(
  tx: Tx,
  touched: { leads: readonly string[]; deals: readonly string[] },
  now: Date,
): Promise<{ partner_id: string; loid: string }[]> {
  const possible = await findPossibleMatchesOfAllPartners(tx, touched)
  if (possible.length === 0) return []
  const loidsOf = (side: 'lead' | 'deal') => [...new Set(possible.map((one) => one[side]))]
  const leads = await findMatchableLeadsOfAllPartners(tx, loidsOf('lead'))
  const deals = Map.groupBy(await findMatchableDealsOfAllPartners(tx, loidsOf('deal')), (deal) => deal.partner_id)
  const matches = [...Map.groupBy(leads, (lead) => lead.partner_id)].flatMap(([partnerId, theirs]) =>
    matchLeadsToDeals(theirs, deals.get(partnerId) ?? []),
  )
  if (matches.length === 0) return []
  const at = now.toISOString()
  const archived = await archiveMatchedLeadsOfAllPartners(tx, matches, at)
  await recordEvents(
    tx,
    archived.map(({ partner_id: partnerId, loid, business_name, loan_amount: amount }) => {
      return { partnerId, loid, type: 'lead.removed', data: { business_name, amount, reason: 'matches-deal' }, at }
    }),
  )
  return archived
}
