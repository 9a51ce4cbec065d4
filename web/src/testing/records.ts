import type { DealDetail } from '@portal/contract/deals.ts'
import { LEAD_RECORD, LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import type { LeadDetail } from '@portal/contract/leads.ts'
import { STEPS } from '@portal/contract/meanings.ts'
import { eachOf, keysOf } from '@portal/contract/record-fields.ts'
import type { ReferralTimeline, TimelineEntry } from '@portal/contract/timeline.ts'
import type { WebhookEndpoint, WebhookLog } from '@portal/contract/webhooks.ts'

/** A lead as the server sends it. Each test sets only the fields that matter to it. */
export function leadOf(given: Partial<LeadDetail> = {}): LeadDetail {
  return {
    ...eachOf(keysOf({ ...LEAD_RECORD, ...LEAD_VERDICT }), null),
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
    loan_term: '36 months',
    lead_status: 'New Lead',
    side: 'lender',
    lead_source: 'Partner Portal',
    partner: 'Harbour Finance',
    partner_iso: 'AU',
    owns_property: false,
    submitter_id: null,
    submitted_by: null,
    awaits_deal_since: null,
    crm: 'synced',
    created_at: '2026-11-20T01:00:00.000Z',
    modified_time: '2026-11-20T01:00:00.000Z',
    crm_problem: null,
    converted_to_deal: null,
    change: null,
    may_change: false,
    withdrawn_at: null,
    ...given,
  }
}

/** The timeline of a submitted lead, with these entries after the submission. */
export function timelineOf(
  later: Partial<TimelineEntry>[] = [],
  given: Partial<ReferralTimeline> = {},
): ReferralTimeline {
  const submitted = {
    id: 'submitted',
    type: 'submitted' as const,
    at: '2026-11-20T01:00:00.000Z',
    by: 'Mia Harbour',
    is_lender: false,
    value: 'New Lead',
    days: 1,
    text: null,
  }
  return {
    loid: 'LO-7K3M9QAZ',
    standing: {
      steps: STEPS.map((name, index) => ({ name, reached_at: index === 0 ? submitted.at : null })),
      step: 'Submitted',
      outcome: 'open',
      kind: 'lead-status',
      value: 'New Lead',
      since: submitted.at,
      meaning: 'The lender has the referral.',
      side: 'lender',
      usual: null,
    },
    entries: [...later.map((entry, index) => ({ ...submitted, id: `later ${index}`, ...entry })), submitted],
    earlier: null,
    ...given,
  }
}

export function dealOf(given: Partial<DealDetail> = {}): DealDetail {
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
    side: null,
    lead_source: null,
    closing_date: '2026-12-15',
    probability: null,
    description: null,
    partner_iso: 'AU',
    submitter_id: null,
    submitted_by: null,
    crm: 'synced',
    created_at: '2026-11-18T01:00:00.000Z',
    modified_time: '2026-11-20T01:00:00.000Z',
    crm_problem: null,
    from_referral: [],
    ...given,
  }
}

export function webhookEndpointOf(given: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    webhook_url: 'https://hooks.saltbush.example/portal',
    is_active: true,
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
    secret_preview: 'whsec_a1...',
    previous_secret_until: null,
    ...given,
  }
}

/** A successful delivery, unless the test gives other fields. */
export function webhookLogOf(given: Partial<WebhookLog> = {}): WebhookLog {
  return {
    id: 'log-1',
    direction: 'outbound',
    status: 'success',
    endpoint: 'https://hooks.saltbush.example/portal',
    api_key: null,
    event_type: 'lead.created',
    loid: 'LO-7K3M9QAZ',
    response_status: 200,
    error_message: null,
    request_body: '{"type":"lead.created"}',
    response_body: '{"ok":true}',
    attempts: 1,
    next_attempt_at: null,
    created_at: '2026-11-20T01:00:00.000Z',
    ...given,
  }
}

/** A line of the news about the lead of `leadOf`. */
export const NEWS_LINE = {
  id: 'LO-7K3M9QAZ',
  loid: 'LO-7K3M9QAZ',
  about: 'lead',
  name: 'Coastal Concrete',
  summary: 'Details changed',
  quote: null,
  records: 1,
  changes: 1,
  at: '2026-11-20T01:00:00.000Z',
  needs_attention: false,
  untold_summary: 'Details changed',
  untold_at: '2026-11-20T01:00:00.000Z',
}
