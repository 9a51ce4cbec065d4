import type { Deal } from '@portal/contract/deals.ts'
import type { LeadDetail } from '@portal/contract/leads.ts'

/** A lead as the server answers it; what matters to a test is given. */
export function leadOf(given: Partial<LeadDetail> = {}): LeadDetail {
  return {
    id: given.loid ?? 'lead-1',
    loid: 'LO-7K3M9QAZ',
    business_name: 'Coastal Concrete',
    first_name: 'Mia',
    last_name: 'Singh',
    lead_name: 'Mia Singh',
    email: 'mia@coastal.example',
    phone: '+61412345678',
    state: 'NSW',
    loan_amount: 250_000,
    loan_type: 'Term Loan',
    loan_purpose: null,
    loan_term: '36 months',
    sales_monthly: null,
    lead_status: 'New Lead',
    lead_source: 'Partner Portal',
    brand: null,
    description: null,
    permit_link: null,
    business_industry: null,
    time_in_business: null,
    business_abn: null,
    partner: 'Harbour Finance',
    partner_iso: 'AU',
    owns_property: false,
    property_value: null,
    property_debt: null,
    crm: 'synced',
    created_at: '2026-11-20T01:00:00.000Z',
    modified_time: '2026-11-20T01:00:00.000Z',
    converted_to_deal: null,
    ...given,
  }
}

export function dealOf(given: Partial<Deal> = {}): Deal {
  return {
    id: given.loid ?? 'deal-1',
    loid: 'LO-7K3M9QAZ',
    deal_name: 'Coastal Concrete – Term Loan',
    business_name: 'Coastal Concrete',
    contact_name: 'Mia Singh',
    email: 'mia@coastal.example',
    phone: '+61412345678',
    amount: 250_000,
    loan_type: 'Term Loan',
    loan_purpose: null,
    loan_term: null,
    stage: 'Funded',
    lead_source: null,
    closing_date: '2026-12-15',
    probability: null,
    description: null,
    partner_iso: 'AU',
    crm: 'synced',
    created_at: '2026-11-18T01:00:00.000Z',
    modified_time: '2026-11-20T01:00:00.000Z',
    ...given,
  }
}
