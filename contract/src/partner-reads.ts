import * as z from 'zod/mini'
import { wholeNumber } from './answer.ts'
import { DEAL_RECORD } from './deal-fields.ts'
import { Deal, StageHistoryEntry } from './deals.ts'
import { LEAD_RECORD, LEAD_VERDICT } from './lead-fields.ts'
import { Lead, StatusHistoryEntry } from './leads.ts'
import { CHANGES_MAX, CHANGES_SIZE, CURSOR_LENGTH_MAX } from './limits.ts'
import { Loid } from './loid.ts'
import { Side } from './meanings.ts'
import { Note } from './notes.ts'
import { eachOf, sharedColumns } from './record-fields.ts'
import { defineRoute } from './route.ts'
import { filterText } from './text.ts'

/** Changes with each change of the record. Two answers with one version have the same record. */
const version = z.string()

/** A lead as a system reads it (D84). */
export const ApiLead = z.extend(
  z.pick(Lead, {
    id: true,
    loid: true,
    ...eachOf([...sharedColumns(LEAD_RECORD), ...sharedColumns(LEAD_VERDICT)], true),
    submitted_by: true,
    awaits_deal_since: true,
    crm: true,
    created_at: true,
    modified_time: true,
  }),
  { version },
)
export type ApiLead = z.infer<typeof ApiLead>

/** A deal as a system reads it (D84). It never has a commission. */
export const ApiDeal = z.extend(
  z.pick(Deal, {
    id: true,
    loid: true,
    ...eachOf(sharedColumns(DEAL_RECORD), true),
    submitted_by: true,
    crm: true,
    created_at: true,
    modified_time: true,
  }),
  { version },
)
export type ApiDeal = z.infer<typeof ApiDeal>

/** Why a record is no longer listed. An applicant's erased data must be erased by every system that has it (D97). */
export const GONE_REASONS = ['removed', 'withdrawn', 'erased', 'converted'] as const
export type GoneReason = (typeof GONE_REASONS)[number]

/** What remains of a record that is no longer listed. */
const GoneRecord = {
  loid: Loid,
  reason: z.enum(GONE_REASONS),
  /** The deal that a converted lead has become; otherwise null. */
  deal_loid: z.nullable(Loid),
  version,
}

/** Where the next call begins. */
const Continuation = {
  /** The `since` of the next call. */
  cursor: z.string(),
  /** Whether the next call has something now. */
  has_more: z.boolean(),
}

/** What changed with one record (D84). */
export const ChangeEvent = z.object({
  type: z.enum([
    'lead.changed',
    'lead.removed',
    'lead.withdrawn',
    'lead.erased',
    'lead.converted',
    'deal.changed',
    'deal.removed',
    'deal.erased',
  ]),
  loid: Loid,
  /** The deal that a converted lead has become; otherwise null. */
  deal_loid: z.nullable(Loid),
  version,
  /** The record as it is now; null unless the type is `lead.changed`. */
  lead: z.nullable(ApiLead),
  /** The record as it is now; null unless the type is `deal.changed`. */
  deal: z.nullable(ApiDeal),
})
export type ChangeEvent = z.infer<typeof ChangeEvent>

/** Without `since` the reading begins: with all records, and then what changed since. */
const Reading = z.strictObject({
  since: filterText('since', CURSOR_LENGTH_MAX),
  limit: z._default(wholeNumber('limit', CHANGES_MAX), CHANGES_SIZE),
})
export type Reading = z.output<typeof Reading>

export const readApiLeads = defineRoute({
  method: 'GET',
  path: '/partner/leads',
  auth: 'api-key',
  right: 'read',
  query: Reading,
  answer: z.object({ leads: z.array(ApiLead), gone: z.array(z.object(GoneRecord)), ...Continuation }),
  summary: 'All leads, then those that changed, in the order in which the changes were stored.',
})

export const readApiDeals = defineRoute({
  method: 'GET',
  path: '/partner/deals',
  auth: 'api-key',
  right: 'read',
  query: Reading,
  answer: z.object({ deals: z.array(ApiDeal), gone: z.array(z.object(GoneRecord)), ...Continuation }),
  summary: 'All deals, then those that changed, in the order in which the changes were stored.',
})

export const readApiEvents = defineRoute({
  method: 'GET',
  path: '/partner/events',
  auth: 'api-key',
  right: 'read',
  query: Reading,
  answer: z.object({ events: z.array(ChangeEvent), ...Continuation }),
  summary: 'All leads and deals, then what changed with either, in the order in which the changes were stored.',
})

const ApiNote = z.pick(Note, {
  id: true,
  title: true,
  content: true,
  created_by: true,
  submitted_by: true,
  created_at: true,
})

export const ApiLeadDetail = z.object({
  lead: z.extend(ApiLead, {
    /** Whose turn it is; null once the lead has ended or become a deal (D127). */
    side: z.nullable(Side),
    deal_loid: z.nullable(Loid),
  }),
  history: z.array(z.pick(StatusHistoryEntry, { id: true, status: true, changed_time: true, changed_by: true })),
  notes: z.array(ApiNote),
})
export type ApiLeadDetail = z.infer<typeof ApiLeadDetail>

export const readApiLead = defineRoute({
  method: 'GET',
  path: '/partner/leads/:loid',
  auth: 'api-key',
  right: 'read',
  answer: ApiLeadDetail,
  summary: 'One lead by LOID, with its latest 1,000 statuses and notes, newest first.',
})

export const ApiDealDetail = z.object({
  deal: z.extend(ApiDeal, {
    /** Whose turn it is; null once the deal has ended (D127). */
    side: z.nullable(Side),
  }),
  history: z.array(z.pick(StageHistoryEntry, { id: true, stage: true, changed_time: true, changed_by: true })),
  notes: z.array(ApiNote),
})
export type ApiDealDetail = z.infer<typeof ApiDealDetail>

export const readApiDeal = defineRoute({
  method: 'GET',
  path: '/partner/deals/:loid',
  auth: 'api-key',
  right: 'read',
  answer: ApiDealDetail,
  summary: 'One deal by LOID, with its latest 1,000 stages and notes, newest first.',
})

export const CURSOR_DAYS = 30
