import type { NamedCrmLead, StoredLead } from '../../records/leads/lead-table.ts'
import type { PlannedRecord, Scope } from './plan-record.ts'

export type PlannedLead = Omit<PlannedRecord<StoredLead>, 'outcome'> & {
  outcome: PlannedRecord<StoredLead>['outcome'] | 'converted'
}

/**
 * Marks a lead as converted when the CRM first says so (D29). If a deal had replaced the lead, the conversion also ends
 * this match. `dealLoid` is the LOID of the deal that the lead became; null if no such deal is applied with the lead,
 * because staff made none or gave it to another partner. A lead without any deal stays open and waits for one (D124).
 */
export function convertLead(
  planned: PlannedRecord<StoredLead>,
  { now, isNews }: Pick<Scope, 'now' | 'isNews'>,
  lead: NamedCrmLead,
  dealLoid: string | null,
): PlannedLead {
  const { before, events } = planned
  const row = { ...planned.row, deal_loid: dealLoid ?? planned.row.deal_loid }
  const convertedAt = lead.converted_at ?? lead.modified_time
  if (row.deal_loid === null) return awaitDeal(planned, convertedAt)
  if (row.converted_at !== null && row.matched_at === null) return { ...planned, row }
  const { partner_id: partnerId, loid, business_name, loan_amount: amount } = row
  const converted = {
    ...row,
    converted_at: convertedAt,
    awaits_deal_since: null,
    matched_at: null,
    match_told: false,
    archived_at: null,
    archived_reason: null,
  }
  const at = now.toISOString()
  const event = {
    partnerId,
    loid,
    type: 'lead.converted',
    data: { business_name, amount, deal_loid: row.deal_loid },
    at,
  } as const
  // In a partner's first sync, the conversion of an unknown lead makes no event. The conversion of a known lead makes
  // an event, unless the portal had already matched the lead to this deal (D35).
  const isTold = before ? before.matched_at === null || before.deal_loid !== row.deal_loid : isNews
  return { ...planned, outcome: 'converted', row: converted, events: isTold ? [...events, event] : events }
}

function awaitDeal(planned: PlannedRecord<StoredLead>, convertedAt: string): PlannedLead {
  const { before, row, outcome } = planned
  if (row.converted_at === null && row.awaits_deal_since !== null) return planned
  const awaiting = { ...row, converted_at: null, awaits_deal_since: row.converted_at ?? convertedAt }
  return { ...planned, row: awaiting, outcome: before ? 'updated' : outcome }
}
