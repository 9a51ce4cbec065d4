import * as z from 'zod/mini'
import { pagingQuery, sortQuery } from './answer.ts'
import { ISO_COUNTRIES } from './choices.ts'
import { filterDate, filterDays, Instant } from './dates.ts'
import { LEAD_RECORD, LEAD_VERDICT } from './lead-fields.ts'
import { NewLead } from './lead-form.ts'
import {
  BUSINESS_NUMBER_LENGTH_MAX,
  CHOICE_LENGTH_MAX,
  PHONE_LENGTH_MAX,
  SEARCH_LENGTH_MAX,
  WITHDRAWAL_REASON_LENGTH_MAX,
} from './limits.ts'
import { Loid } from './loid.ts'
import { Side, turn } from './meanings.ts'
import { Note } from './notes.ts'
import { shapeOf } from './record-fields.ts'
import { Request } from './requests.ts'
import { defineRoute } from './route.ts'
import { filterPerson, SubmittedBy } from './submitted-by.ts'
import { filterChoices, filterText, optionalText, searchIn } from './text.ts'

/** The state of a record's push to the CRM: not done yet, done, or given up (D23). */
export const CrmState = z.enum(['pending', 'synced', 'failed'])
export type CrmState = z.infer<typeof CrmState>

const Text = z.nullable(z.string())

export const Lead = z.object({
  id: z.string(),
  loid: Loid,
  ...shapeOf(LEAD_RECORD),
  lead_name: Text,
  partner: Text,
  /** Whose turn it is; null once the lead has ended or become a deal (D127). */
  side: z.nullable(Side),
  ...SubmittedBy,
  /** When the lender converted the lead, as long as there is no deal for it (D124); otherwise null. */
  awaits_deal_since: z.nullable(Instant),
  ...shapeOf(LEAD_VERDICT),
  crm: CrmState,
  created_at: Instant,
  modified_time: Instant,
})
export type Lead = z.infer<typeof Lead>

/** What is said of a lead that the lender converted without a deal (D124). */
export const NO_DEAL_YET = 'Converted, no deal yet'
export const NO_DEAL_YET_MEANING =
  'The lender has converted the lead, and has not made a deal of it yet. The deal appears here by itself.'

export const StatusHistoryEntry = z.object({
  id: z.string(),
  status: z.string(),
  changed_time: Instant,
  changed_by: Text,
  description: Text,
  /** Whole days until the next entry. The latest entry lasts until now, or until the lead became a deal (D26, D51). */
  duration: z.number(),
})
export type StatusHistoryEntry = z.infer<typeof StatusHistoryEntry>

export const readUsualCountry = defineRoute({
  method: 'GET',
  path: '/dashboard/usual-country',
  auth: 'session',
  least: 'member',
  answer: z.object({ iso: z.enum(ISO_COUNTRIES) }),
  summary: 'The country of most of the partner’s latest leads, for phone numbers that fit two countries.',
})

/** The columns by which the list of leads is sorted. `modified_time` is the last change. */
export const LEAD_SORT_COLUMNS = [
  'business_name',
  'loid',
  'loan_amount',
  'partner_iso',
  'lead_status',
  'created_at',
  'modified_time',
] as const
export type LeadSortColumn = (typeof LEAD_SORT_COLUMNS)[number]

/** The list without its pages, as a file has it (D82). */
export const LeadExport = z.object({
  ...sortQuery(LEAD_SORT_COLUMNS),
  status: filterChoices('status'),
  source: filterText('source', CHOICE_LENGTH_MAX),
  ...filterDays(),
  /** The last change was on this day or later. */
  changedFrom: filterDate('changedFrom'),
  /** The lender's verdict, word for word. */
  verdict: filterText('verdict', SEARCH_LENGTH_MAX),
  search: filterText('search', SEARCH_LENGTH_MAX),
  searchIn,
  person: filterPerson(),
  turn,
})
export type LeadExport = z.output<typeof LeadExport>

export const LeadFilters = z.object({ ...pagingQuery(), ...LeadExport.shape })
export type LeadFilters = z.output<typeof LeadFilters>

export const exportLeads = defineRoute({
  method: 'GET',
  path: '/dashboard/leads/export',
  auth: 'session',
  least: 'viewer',
  query: LeadExport,
  answer: z.string(),
  envelope: 'file',
  summary: 'All rows of the list of leads, with its filters and in its order, as a CSV file.',
})

export const listLeads = defineRoute({
  method: 'GET',
  path: '/dashboard/leads',
  auth: 'session',
  least: 'viewer',
  query: LeadFilters,
  answer: z.object({ leads: z.array(Lead) }),
  envelope: 'paged',
  summary: 'The partner’s leads that have not become deals, newest first unless `sort` names a column.',
})

export const createLead = defineRoute({
  method: 'POST',
  path: '/dashboard/leads',
  auth: 'session',
  least: 'member',
  body: NewLead,
  answer: z.object({ id: z.string(), loid: Loid, lead_status: z.string(), crm: CrmState }),
  status: 201,
  creates: true,
  summary: 'Submits a lead; it is pushed to the CRM in the background.',
})

/** A correction or withdrawal that is on its way to the lender, or that was refused because the lender came first (D86). */
export const LeadChange = z.object({
  kind: z.enum(['correct', 'withdraw']),
  state: z.enum(['waiting', 'refused']),
  /** Why it was refused. */
  problem: Text,
  asked_at: Instant,
})
export type LeadChange = z.infer<typeof LeadChange>

export const LeadDetail = z.object({
  ...Lead.shape,
  change: z.nullable(LeadChange),
  /** Whether the caller can correct or withdraw the lead, as far as the portal knows (D86). */
  may_change: z.boolean(),
  withdrawn_at: z.nullable(Instant),
  /** Why the lead is not in the CRM, once the portal has stopped trying to push it. */
  crm_problem: Text,
  /** The deal that the lead has become; null for a lead that is not converted (D18). */
  converted_to_deal: z.nullable(z.object({ loid: Loid })),
})
export type LeadDetail = z.infer<typeof LeadDetail>

export const readLead = defineRoute({
  method: 'GET',
  path: '/crm/lead/:id',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ lead: LeadDetail, notes: z.array(Note), requests: z.array(Request) }),
  summary: 'One lead by LOID or id, with its newest 1,000 notes, newest first, and what the lender asks about it.',
})

const ChangeAsked = z.object({ loid: Loid })

export const correctLead = defineRoute({
  method: 'PUT',
  path: '/crm/lead/:id',
  auth: 'session',
  least: 'member',
  body: NewLead,
  answer: ChangeAsked,
  status: 202,
  summary:
    'Corrects what was typed, until the lender has touched the lead. Only for the person who submitted it, or an owner. The change is made in the background.',
})

export const withdrawLead = defineRoute({
  method: 'POST',
  path: '/crm/lead/:id/withdraw',
  auth: 'session',
  least: 'member',
  body: z.object({ reason: optionalText('Reason', WITHDRAWAL_REASON_LENGTH_MAX) }),
  answer: ChangeAsked,
  status: 202,
  summary:
    'Takes the lead back from the lender, until the lender has touched it. Only for the person who submitted it, or an owner. The change is made in the background.',
})

export const readStatusHistory = defineRoute({
  method: 'GET',
  path: '/crm/lead/:id/status-history',
  auth: 'session',
  least: 'viewer',
  answer: z.array(StatusHistoryEntry),
  summary: 'The lead’s latest 1,000 statuses, newest first.',
})

export const retryLeadPush = defineRoute({
  method: 'POST',
  path: '/crm/lead/:id/retry-push',
  auth: 'session',
  least: 'member',
  answer: z.object({ loid: Loid, crm: CrmState }),
  status: 202,
  summary: 'Sends a lead and its notes to the CRM again if the portal has given up on them.',
})

export const DuplicateLead = z.object({
  loid: Loid,
  business_name: Text,
  created_at: Instant,
  matches: z.array(z.enum(['email', 'phone', 'abn'])),
})
export type DuplicateLead = z.infer<typeof DuplicateLead>

export const findDuplicates = defineRoute({
  method: 'GET',
  path: '/dashboard/leads/duplicates',
  auth: 'session',
  least: 'member',
  query: z.object({
    email: filterText('email', SEARCH_LENGTH_MAX),
    phone: filterText('phone', PHONE_LENGTH_MAX),
    abn: filterText('abn', BUSINESS_NUMBER_LENGTH_MAX),
  }),
  answer: z.object({ duplicates: z.array(DuplicateLead) }),
  summary: 'Up to five leads from the last 90 days that have the same email, phone or ABN, newest first.',
})

export const listLeadStatuses = defineRoute({
  method: 'GET',
  path: '/crm/lead-statuses',
  auth: 'session',
  least: 'viewer',
  answer: z.object({
    statuses: z.array(z.string()),
    /** How many of the partner's open leads have each status. */
    counts: z.record(z.string(), z.number()),
    /** The verdicts that the partner's open leads have; null if the lender's CRM has no such field (D112). */
    verdicts: z.nullable(z.array(z.string())),
  }),
  summary:
    'The CRM’s own lead statuses, in the CRM’s order, or the standard statuses until the CRM has answered once, and the lender’s verdicts.',
})
