import { ApiDealDetail, ApiLeadDetail } from '@portal/contract/partner-reads.ts'
import { pullDetailsOf } from '../../crm/pull/details/pull-details.ts'
import type { Deps } from '../../deps.ts'
import { getDeal } from '../../records/deals/deals.queries.ts'
import { findHistory } from '../../records/histories/history.queries.ts'
import { dealWithSide, leadWithSide } from '../../records/histories/with-side.ts'
import { findLeadKeys, getLead, type Owner } from '../../records/leads/leads.queries.ts'
import { findNotes } from '../../records/notes/notes.queries.ts'
import { findVersion } from './changes.queries.ts'

/** One lead with its statuses and notes, as a system reads it. */
export async function readReferralLead(deps: Deps, owner: Owner, idOrLoid: string): Promise<ApiLeadDetail> {
  const { reads, clock } = deps
  const lead = await getLead(reads, owner, idOrLoid)
  if (lead.is_due) await pullDetailsOf(deps, 'Leads', owner.id, lead.loid)
  const [version, keys, notes] = await Promise.all([
    findVersion(reads, owner.id, lead.id),
    findLeadKeys(reads, owner.id, lead.loid),
    findNotes(reads, owner.id, lead.loid),
  ])
  const entries = await findHistory(reads, 'lead-status', owner.id, keys, clock.now())
  return ApiLeadDetail.parse({
    lead: { ...leadWithSide(deps, lead), version, deal_loid: lead.converted_to_deal?.loid ?? null },
    history: entries.map(({ value, ...entry }) => ({ ...entry, status: value })),
    notes,
  })
}

/** One deal with its stages and notes, as a system reads it. */
export async function readReferralDeal(deps: Deps, owner: Owner, idOrLoid: string): Promise<ApiDealDetail> {
  const { reads, clock } = deps
  const deal = await getDeal(reads, owner.id, idOrLoid)
  if (deal.is_due) await pullDetailsOf(deps, 'Deals', owner.id, deal.loid)
  const [version, entries, notes] = await Promise.all([
    findVersion(reads, owner.id, deal.id),
    findHistory(reads, 'deal-stage', owner.id, [{ loid: deal.loid, ended_at: null }], clock.now()),
    findNotes(reads, owner.id, deal.loid),
  ])
  return ApiDealDetail.parse({
    deal: { ...dealWithSide(deps, deal), version },
    history: entries.map(({ value, ...entry }) => ({ ...entry, stage: value })),
    notes,
  })
}
