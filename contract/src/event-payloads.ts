import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { LEAD_VERDICT } from './lead-fields.ts'
import { Loid } from './loid.ts'
import { CURRENCY } from './money.ts'
import { shapeOf } from './record-fields.ts'
import type { EVENT_TYPES } from './webhooks.ts'

const Text = z.nullable(z.string())
const Money = z.nullable(z.number())

const LeadFacts = {
  object: z.literal('lead'),
  loid: Loid,
  business_name: Text,
  amount: Money,
  currency: z.literal(CURRENCY),
}

const DealFacts = {
  object: z.literal('deal'),
  loid: Loid,
  deal_name: Text,
  business_name: Text,
  amount: Money,
  currency: z.literal(CURRENCY),
}

const LEAD = {
  object: 'lead',
  loid: 'LO-7K3M9Q2X',
  business_name: 'Okafor Freight',
  amount: 150_000,
  currency: CURRENCY,
} as const
const DEAL = { ...LEAD, object: 'deal', deal_name: 'Okafor Freight' } as const
const AT = '2026-11-03T01:02:03.456Z'

/**
 * For each event: when it is sent to a partner's endpoint, and with which fields. The fields are names, amounts, the
 * status or stage and the change, never an email address, a phone number, an ABN or the text of a note (D35).
 */
export const EVENT_PAYLOADS = {
  'lead.created': payload(
    'lead.created',
    'A lead was submitted, or the lender added one for you.',
    { ...LeadFacts, status: z.string(), submitted_by: Text, created_at: Instant },
    { ...LEAD, status: 'New Lead', submitted_by: 'Mia Harbour', created_at: AT },
  ),
  'lead.status_changed': payload(
    'lead.status_changed',
    'The lender set another status. `changed_at` is the CRM’s time.',
    { ...LeadFacts, status: z.string(), previous: z.string(), changed_at: Instant },
    { ...LEAD, status: 'Pre Qualified', previous: 'New Lead', changed_at: AT },
  ),
  'lead.verdict_changed': payload(
    'lead.verdict_changed',
    'The lender said something else of the lead. All three fields are null if the lender took its verdict back. `protected_until` is a day.',
    { ...LeadFacts, ...shapeOf(LEAD_VERDICT), changed_at: Instant },
    {
      ...LEAD,
      partner_verdict: 'Yours',
      verdict_reason: 'First to refer',
      protected_until: '2027-03-03',
      changed_at: AT,
    },
  ),
  'lead.corrected': payload(
    'lead.corrected',
    'Somebody of your business corrected what was typed. `fields` names what changed, without the values.',
    { ...LeadFacts, fields: z.array(z.string()), submitted_by: Text, changed_at: Instant },
    { ...LEAD, fields: ['phone'], submitted_by: 'Mia Harbour', changed_at: AT },
  ),
  'lead.withdrawn': payload(
    'lead.withdrawn',
    'Somebody of your business took the lead back before the lender touched it. The event does not contain the reason.',
    { ...LeadFacts, submitted_by: Text, withdrawn_at: Instant },
    { ...LEAD, submitted_by: 'Mia Harbour', withdrawn_at: AT },
  ),
  'lead.converted': payload(
    'lead.converted',
    'The lead became the deal `deal_loid`, which is null if you do not have the deal. The deal usually has the lead’s LOID. It has a different LOID if it was created separately and then matched to the lead.',
    { ...LeadFacts, deal_loid: z.nullable(Loid), converted_at: Instant },
    { ...LEAD, deal_loid: LEAD.loid, converted_at: AT },
  ),
  'lead.removed': payload(
    'lead.removed',
    'The lead left the CRM, or the lender moved it to another partner.',
    { ...LeadFacts, reason: z.literal('left-crm'), removed_at: Instant },
    { ...LEAD, reason: 'left-crm', removed_at: AT },
  ),
  'lead.restored': payload(
    'lead.restored',
    'A removed lead is back, or a lead whose deal was removed.',
    { ...LeadFacts, status: z.string(), restored_at: Instant },
    { ...LEAD, status: 'New Lead', restored_at: AT },
  ),
  'deal.created': payload(
    'deal.created',
    'A deal was submitted, or the lender made one.',
    { ...DealFacts, stage: z.string(), submitted_by: Text, created_at: Instant },
    { ...DEAL, stage: 'Information Received', submitted_by: 'Mia Harbour', created_at: AT },
  ),
  'deal.stage_changed': payload(
    'deal.stage_changed',
    'The lender moved the deal to another stage. `changed_at` is the CRM’s time.',
    { ...DealFacts, stage: z.string(), previous: z.string(), changed_at: Instant },
    { ...DEAL, stage: 'Approved', previous: 'Information Received', changed_at: AT },
  ),
  'deal.updated': payload(
    'deal.updated',
    'The lender changed the deal, but not its stage.',
    { ...DealFacts, stage: z.string(), changed_at: Instant },
    { ...DEAL, stage: 'Information Received', changed_at: AT },
  ),
  'deal.removed': payload(
    'deal.removed',
    'The deal left the CRM, or the lender moved it to another partner.',
    { ...DealFacts, removed_at: Instant },
    { ...DEAL, removed_at: AT },
  ),
  'deal.restored': payload(
    'deal.restored',
    'A removed deal is back.',
    { ...DealFacts, stage: z.string(), restored_at: Instant },
    { ...DEAL, stage: 'Information Received', restored_at: AT },
  ),
  'note.added': payload(
    'note.added',
    'Somebody wrote a note. The event does not contain the note’s text.',
    {
      object: z.literal('note'),
      loid: Loid,
      on: z.enum(['lead', 'deal']),
      business_name: Text,
      created_by: Text,
      submitted_by: Text,
      created_at: Instant,
    },
    {
      object: 'note',
      loid: LEAD.loid,
      on: 'lead',
      business_name: LEAD.business_name,
      created_by: 'Priya Nair',
      submitted_by: null,
      created_at: AT,
    },
  ),
  'request.opened': request('request.opened', 'The lender asks for something.'),
  'request.answered': request('request.answered', 'Somebody of your business answered.'),
  'request.accepted': request('request.accepted', 'The lender accepted the answer.'),
  'request.reopened': request('request.reopened', 'The lender asks again.'),
  'request.withdrawn': request('request.withdrawn', 'The lender does not ask any more.'),
  'document.added': payload(
    'document.added',
    'Somebody of your business sent a file, or the lender attached one. The event does not contain the file’s name.',
    {
      object: z.literal('document'),
      loid: Loid,
      on: z.enum(['lead', 'deal']),
      business_name: Text,
      document_id: z.string(),
      request_id: Text,
      submitted_by: Text,
      created_at: Instant,
    },
    {
      object: 'document',
      loid: LEAD.loid,
      on: 'lead',
      business_name: LEAD.business_name,
      document_id: '019a4b1e-7c00-7000-8000-000000000002',
      request_id: null,
      submitted_by: 'Mia Harbour',
      created_at: AT,
    },
  ),
  'webhook.test': payload(
    'webhook.test',
    'You asked for a test.',
    { object: z.literal('test'), message: z.string() },
    { object: 'test', message: 'This is a test of your webhook URL.' },
  ),
} satisfies Record<(typeof EVENT_TYPES)[number], object>

function payload<Type extends string, Facts extends z.core.$ZodShape>(
  type: Type,
  description: string,
  facts: Facts,
  data: z.input<z.ZodMiniObject<Facts>>,
) {
  return {
    description,
    schema: z.strictObject({ type: z.literal(type), timestamp: Instant, data: z.strictObject(facts) }),
    example: { type, timestamp: AT, data },
  }
}

/** What the lender asks is a free text, so a delivery does not contain it; the portal's page of the record shows it. */
function request<Type extends string>(type: Type, description: string) {
  return payload(
    type,
    `${description} \`due_on\` is a day. The event does not contain what the lender asks.`,
    {
      object: z.literal('request'),
      loid: Loid,
      on: z.enum(['lead', 'deal']),
      business_name: Text,
      request_id: z.string(),
      due_on: Text,
      changed_at: Instant,
    },
    {
      object: 'request',
      loid: LEAD.loid,
      on: 'lead',
      business_name: LEAD.business_name,
      request_id: '019a4b1e-7c00-7000-8000-000000000001',
      due_on: '2026-11-10',
      changed_at: AT,
    },
  )
}
