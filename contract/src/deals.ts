import * as z from 'zod/mini'
import { pagingQuery, sortQuery } from './answer.ts'
import { filterDate, filterDays, Instant } from './dates.ts'
import { DEAL_RECORD } from './deal-fields.ts'
import { CrmState } from './leads.ts'
import { SEARCH_LENGTH_MAX } from './limits.ts'
import { Loid } from './loid.ts'
import { Side, turn } from './meanings.ts'
import { optionalMoney } from './money-field.ts'
import { Note } from './notes.ts'
import { shapeOf } from './record-fields.ts'
import { Request } from './requests.ts'
import { defineRoute } from './route.ts'
import { filterPerson, SubmittedBy } from './submitted-by.ts'
import { filterChoices, filterText, searchIn } from './text.ts'

const Text = z.nullable(z.string())

export const Deal = z.object({
  id: z.string(),
  loid: Loid,
  ...shapeOf(DEAL_RECORD),
  /** Whose turn it is; null once the deal has ended (D127). */
  side: z.nullable(Side),
  ...SubmittedBy,
  crm: CrmState,
  created_at: Instant,
  modified_time: Instant,
})
export type Deal = z.infer<typeof Deal>

/** What the page of a deal takes from the deal's lead if the CRM's deal has none (D124). */
export const REFERRAL_FIELDS = ['contact_name', 'email', 'phone', 'loan_purpose', 'partner_iso'] as const

export const DealDetail = z.object({
  ...Deal.shape,
  /** The fields whose values are the lead's, because the CRM's deal has none. The portal does not write them back. */
  from_referral: z.array(z.enum(REFERRAL_FIELDS)),
  /** Why the deal is not in the CRM, once the portal has stopped trying to push it. */
  crm_problem: Text,
})
export type DealDetail = z.infer<typeof DealDetail>

export const StageHistoryEntry = z.object({
  id: z.string(),
  stage: z.string(),
  changed_time: Instant,
  /** Whole days until the next entry, or until now for the latest (D26). */
  duration: z.number(),
  changed_by: Text,
  description: Text,
})
export type StageHistoryEntry = z.infer<typeof StageHistoryEntry>

/** The columns by which the list of deals is sorted. `modified_time` is the last change. */
export const DEAL_SORT_COLUMNS = ['deal_name', 'loid', 'amount', 'stage', 'created_at', 'modified_time'] as const
export type DealSortColumn = (typeof DEAL_SORT_COLUMNS)[number]

/** The list without its pages, as a file has it (D82). */
export const DealExport = z.object({
  ...sortQuery(DEAL_SORT_COLUMNS),
  stage: filterChoices('stage'),
  minAmount: optionalMoney('minAmount'),
  ...filterDays(),
  /** The last change was on this day or later. */
  changedFrom: filterDate('changedFrom'),
  search: filterText('search', SEARCH_LENGTH_MAX),
  searchIn,
  person: filterPerson(),
  turn,
})
export type DealExport = z.output<typeof DealExport>

export const DealFilters = z.object({ ...pagingQuery(), ...DealExport.shape })
export type DealFilters = z.output<typeof DealFilters>

export const exportDeals = defineRoute({
  method: 'GET',
  path: '/dashboard/deals/export',
  auth: 'session',
  least: 'viewer',
  query: DealExport,
  answer: z.string(),
  envelope: 'file',
  summary: 'All rows of the list of deals, with its filters and in its order, as a CSV file.',
})

export const listDeals = defineRoute({
  method: 'GET',
  path: '/dashboard/deals',
  auth: 'session',
  least: 'viewer',
  query: DealFilters,
  answer: z.object({ deals: z.array(Deal) }),
  envelope: 'paged',
  summary: 'The partner’s own deals, newest first unless `sort` names a column.',
})

/** If `converted_from_lead`, the deal's page also shows the statuses of the lead that became the deal (D18). */
export const readDeal = defineRoute({
  method: 'GET',
  path: '/crm/deal/:id',
  auth: 'session',
  least: 'viewer',
  answer: z.object({
    deal: DealDetail,
    notes: z.array(Note),
    requests: z.array(Request),
    converted_from_lead: z.boolean(),
  }),
  summary:
    'One deal by LOID or id, with the newest 1,000 notes on it and on its lead, newest first, and what the lender asks about it.',
})

export const readStageHistory = defineRoute({
  method: 'GET',
  path: '/crm/deal/:id/stage-history',
  auth: 'session',
  least: 'viewer',
  answer: z.array(StageHistoryEntry),
  summary: 'The deal’s latest 1,000 stages, newest first.',
})

export const listStages = defineRoute({
  method: 'GET',
  path: '/crm/stages',
  auth: 'session',
  least: 'viewer',
  answer: z.object({
    stages: z.array(z.string()),
    /** How many of the partner's deals have each stage. */
    counts: z.record(z.string(), z.number()),
  }),
  summary: 'The CRM’s own deal stages, in the CRM’s order, or the standard stages until the CRM has answered once.',
})

export const retryDealPush = defineRoute({
  method: 'POST',
  path: '/crm/deal/:id/retry-push',
  auth: 'session',
  least: 'member',
  answer: z.object({ loid: Loid, crm: CrmState }),
  status: 202,
  summary: 'Sends a deal and its notes to the CRM again if the portal has given up on them.',
})
