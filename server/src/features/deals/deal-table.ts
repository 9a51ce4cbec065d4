import type { CrmTable, NamedRecord } from '../../apply/crm-table.ts'
import type { DealRow } from '../../db/tables.ts'
import type { CrmDeal } from '../../zoho/crm-records.ts'
import { CrmConflict } from '../../zoho/errors.ts'

/** With `erased_at`, the deal of a lead whose applicant's data were erased. */
export type NamedCrmDeal = CrmDeal & NamedRecord & { erased_at?: string | null }
/** A deal's row as it is written. */
export type StoredDeal = Omit<DealRow, 'search_text' | 'crm_problem' | 'crm_sent_at' | 'lead_loid'>

/** The fields that name an applicant, emptied (D97): the figures stay. */
export const ERASED_DEAL = {
  deal_name: null,
  business_name: null,
  contact_name: null,
  email: null,
  phone: null,
  description: null,
} satisfies Partial<DealRow>

/** Turns the CRM's deals into rows. */
export const DEAL_TABLE: CrmTable<NamedCrmDeal, StoredDeal> = {
  module: 'Deals',
  name: 'deals',
  historyKind: 'deal-stage',
  crmColumns: [
    'deal_name',
    'business_name',
    'contact_name',
    'email',
    'phone',
    'amount',
    'loan_type',
    'loan_purpose',
    'loan_term',
    'stage',
    'lead_source',
    'closing_date',
    'probability',
    'description',
    'partner_iso',
  ],
  valueOf: (row) => row.stage,
  toRow(deal, own, before) {
    const erasedAt = before?.erased_at ?? deal.erased_at ?? null
    if (deal.stage === null) throw new CrmConflict('it has no stage')
    return {
      deal_name: deal.deal_name,
      business_name: deal.business_name,
      // The portal cannot make the contact. Until the lender has made it, the name that the partner gave is shown.
      contact_name: deal.contact_name ?? before?.contact_name ?? null,
      email: deal.email,
      phone: deal.phone,
      amount: deal.amount,
      loan_type: deal.loan_type,
      loan_purpose: deal.loan_purpose,
      loan_term: deal.loan_term,
      stage: deal.stage,
      lead_source: deal.lead_source,
      closing_date: deal.closing_date,
      probability: deal.probability,
      description: deal.description,
      partner_iso: deal.partner_iso,
      submitter_id: before?.submitter_id ?? null,
      submitted_by: before?.submitted_by ?? null,
      erased_at: erasedAt,
      ...own,
      ...(erasedAt && ERASED_DEAL),
    }
  },
  created: (row, at) => ({
    ...eventOf(row, at),
    type: 'deal.created',
    data: { ...dataOf(row), stage: row.stage, submitted_by: row.submitted_by },
  }),
  changed: (row, { value: stage, previous }, at) => {
    return { ...eventOf(row, at), type: 'deal.stage_changed', data: { ...dataOf(row), stage, previous } }
  },
  updated(row, before, deal, at) {
    // The CRM itself adds values to a deal that the portal pushed, such as the stage's probability. These are nobody's
    // change.
    const isFilledIn = before.crm_modified_time === null && deal.created_at === deal.modified_time
    if (isFilledIn) return undefined
    return { ...eventOf(row, at), type: 'deal.updated', data: { ...dataOf(row), stage: row.stage } }
  },
  removed: (row, at) => ({ ...eventOf(row, at), type: 'deal.removed', data: dataOf(row) }),
}

function eventOf({ partner_id: partnerId, loid }: StoredDeal, at: string) {
  return { partnerId, loid, at }
}

function dataOf({ deal_name, business_name, amount }: StoredDeal) {
  return { deal_name, business_name, amount }
}
