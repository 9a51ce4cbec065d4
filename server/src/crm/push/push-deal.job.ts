import { DEAL_TABLE } from '../../records/deals/deal-table.ts'
import { pushJobOf } from './push-record.ts'

export const pushDeal = pushJobOf({
  name: 'push-deal',
  on: 'deals',
  table: DEAL_TABLE,
  pushOne: (crm, deal, { partnerZohoId, untilLeaseEnds, beforeSending }) =>
    crm.pushDeal({ ...deal, partner_zoho_id: partnerZohoId }, untilLeaseEnds, beforeSending),
  pushMany(crm, deals, { partnerZohoId, untilLeaseEnds, beforeSending }) {
    const toPush = deals.map((deal) => ({ ...deal, partner_zoho_id: partnerZohoId }))
    return crm.pushDeals(toPush, untilLeaseEnds, beforeSending)
  },
  findSent: (crm, sent, untilLeaseEnds) => crm.findSentDeals(sent, untilLeaseEnds),
  // The first pull takes what the CRM has filled in, so the deal counts as unread until then.
  readUntil: () => null,
})
