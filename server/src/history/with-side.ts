import type { Side } from '@portal/contract/meanings.ts'
import type { StatusMeanings } from './status-meanings.ts'

/** Adds whose turn it is to a lead (D127). A lead that has become a deal has no side: its deal has one. */
export function leadWithSide<Lead extends { lead_status: string; converted_to_deal?: object | null }>(
  statusMeanings: StatusMeanings,
  lead: Lead,
): Lead & { side: Side | null } {
  return { ...lead, side: lead.converted_to_deal ? null : statusMeanings('lead-status', lead.lead_status).side }
}

/** Adds whose turn it is to a deal (D127). */
export function dealWithSide<Deal extends { stage: string }>(
  statusMeanings: StatusMeanings,
  deal: Deal,
): Deal & { side: Side | null } {
  return { ...deal, side: statusMeanings('deal-stage', deal.stage).side }
}
