import type { PlannedRecord, Scope } from '../../apply/plan-record.ts'
import type { NamedCrmLead, StoredLead } from './lead-table.ts'

export type PlannedLead = Omit<PlannedRecord<StoredLead>, 'outcome'> & {
  outcome: PlannedRecord<StoredLead>['outcome'] | 'converted'
}

/**
 * Converts a lead. Only the CRM decides this (D29), and it counts once. The same holds for a lead that a deal had
 * replaced. `dealLoid` is the LOID of the deal that the lead became. It is null if the conversion made no deal or the
 * deal is not the partner's.
 */
export function convertLead(
  planned: PlannedRecord<StoredLead>,
  { now, isNews }: Pick<Scope, 'now' | 'isNews'>,
  lead: NamedCrmLead,
  dealLoid: string | null,
): PlannedLead {
  const { before, events } = planned
  const row = { ...planned.row, deal_loid: dealLoid ?? planned.row.deal_loid }
  if (row.converted_at !== null && row.matched_at === null) return { ...planned, row }
  const { partner_id: partnerId, loid, business_name, loan_amount: amount } = row
  const converted = {
    ...row,
    converted_at: lead.converted_at ?? lead.modified_time,
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
  // If the portal first sees a lead after its conversion, that is no news in a partner's first sync. The conversion of
  // a lead that it knew always is (D35).
  const isTold = before ? before.matched_at === null || before.deal_loid !== row.deal_loid : isNews
  return { ...planned, outcome: 'converted', row: converted, events: isTold ? [...events, event] : events }
}
