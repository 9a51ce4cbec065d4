import type { Tx } from '../../platform/db/database.ts'
import { findMatchableDealsOfAllPartners, nameMatchedLeadsOfAllPartners } from '../../records/deals/deals.queries.ts'
import { recordEvents } from '../../records/events/events.ts'
import {
  findOpenLeadsOfAllPartners,
  findPossibleMatchesOfAllPartners,
  markLeadsMatchedOfAllPartners,
} from '../../records/leads/matching.queries.ts'
import { matchLeadsToDeals } from './match-lead-to-deal.ts'

/**
 * Lets deals replace the leads that they match (D29). Compares the leads and deals in `touched` with all records that
 * they may match. The caller holds the partners' locks, so that no deal replaces two leads. `quiet` has the LOIDs of
 * records that are not news to the partner. A match of such a record causes no event, unless the partner submitted the
 * lead (D35).
 */
export async function matchLeads(
  tx: Tx,
  touched: { leads: readonly string[]; deals: readonly string[] },
  now: Date,
  quiet: ReadonlySet<string> = new Set(),
): Promise<void> {
  const possible = await findPossibleMatchesOfAllPartners(tx, touched)
  if (possible.length === 0) return
  const loidsOf = (side: 'lead' | 'deal') => [...new Set(possible.map((one) => one[side]))]
  const leads = await findOpenLeadsOfAllPartners(tx, loidsOf('lead'))
  const deals = Map.groupBy(await findMatchableDealsOfAllPartners(tx, loidsOf('deal')), (deal) => deal.partner_id)
  const matches = [...Map.groupBy(leads, (lead) => lead.partner_id)].flatMap(([partnerId, theirs]) =>
    matchLeadsToDeals(theirs, deals.get(partnerId) ?? []),
  )
  if (matches.length === 0) return
  const at = now.toISOString()
  const matched = await markLeadsMatchedOfAllPartners(tx, matches, at)
  await nameMatchedLeadsOfAllPartners(tx, matched)
  await recordEvents(
    tx,
    matched
      .filter(({ loid, deal_loid, is_submitted }) => is_submitted || !(quiet.has(loid) || quiet.has(deal_loid)))
      .map(({ partner_id: partnerId, loid, deal_loid, business_name, loan_amount: amount }) => {
        return { partnerId, loid, type: 'lead.converted', data: { business_name, amount, deal_loid }, at }
      }),
  )
}
