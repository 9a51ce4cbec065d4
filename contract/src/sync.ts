import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

/** A CRM record that could not be read or applied; it counts as skipped (D28). */
export const SyncProblem = z.object({ zoho_id: z.string(), reason: z.string() })
export type SyncProblem = z.infer<typeof SyncProblem>

/** How many records the CRM did not show, and which stay until it names them as deleted (D123); absent if there are none. */
const HeldRecords = z.optional(z.number())

/**
 * `created + updated + converted + skipped = total_zoho_leads`. `removed` leads have left the CRM and are not in this
 * total.
 */
export const LeadSyncResult = z.object({
  total_zoho_leads: z.number(),
  created: z.number(),
  updated: z.number(),
  converted: z.number(),
  skipped: z.number(),
  removed: z.number(),
  held: HeldRecords,
  problems: z.array(SyncProblem),
})
export type LeadSyncResult = z.infer<typeof LeadSyncResult>

/** `created + updated + skipped = total_zoho_deals`. */
export const DealSyncResult = z.object({
  total_zoho_deals: z.number(),
  created: z.number(),
  updated: z.number(),
  matching_leads_removed: z.number(),
  skipped: z.number(),
  removed: z.number(),
  held: HeldRecords,
  problems: z.array(SyncProblem),
})
export type DealSyncResult = z.infer<typeof DealSyncResult>

export const FullSyncResult = z.object({ leads: LeadSyncResult, deals: DealSyncResult })
export type FullSyncResult = z.infer<typeof FullSyncResult>

export const SingleDealSyncResult = z.object({
  operation: z.enum(['created', 'updated', 'unchanged', 'removed']),
  deal_name: z.nullable(z.string()),
  stage: z.nullable(z.string()),
  amount: z.nullable(z.number()),
})
export type SingleDealSyncResult = z.infer<typeof SingleDealSyncResult>

/** The answer if a sync takes longer than 20 seconds and continues in the background (D31). */
export const RunningSync = z.object({ run_id: z.string(), status: z.literal('running') })
export type RunningSync = z.infer<typeof RunningSync>

export const SyncRun = z.object({
  run_id: z.string(),
  kind: z.enum(['leads', 'deals', 'all']),
  status: z.enum(['running', 'succeeded', 'failed']),
  phase: z.nullable(z.string()),
  done: z.number(),
  total: z.number(),
  error: z.nullable(z.string()),
  result: z.nullable(z.union([FullSyncResult, LeadSyncResult, DealSyncResult])),
  started_at: Instant,
  finished_at: z.nullable(Instant),
})
export type SyncRun = z.infer<typeof SyncRun>

export const syncLeads = defineRoute({
  method: 'POST',
  path: '/dashboard/sync-leads',
  auth: 'session',
  least: 'member',
  answer: LeadSyncResult,
  accepted: RunningSync,
  summary: 'Updates the partner’s leads from the CRM.',
})

export const syncDeals = defineRoute({
  method: 'POST',
  path: '/dashboard/sync-deals',
  auth: 'session',
  least: 'member',
  answer: DealSyncResult,
  accepted: RunningSync,
  summary: 'Updates the partner’s deals from the CRM.',
})

export const syncEverything = defineRoute({
  method: 'POST',
  path: '/crm/sync',
  auth: 'session',
  least: 'member',
  answer: FullSyncResult,
  accepted: RunningSync,
  summary: 'Updates the partner’s leads and deals from the CRM in one run.',
})

export const syncOneDeal = defineRoute({
  method: 'POST',
  path: '/dashboard/sync-deal/:id',
  auth: 'session',
  least: 'member',
  answer: SingleDealSyncResult,
  summary: 'Pulls one deal from the CRM, by LOID or id.',
})

export const readSyncRun = defineRoute({
  method: 'GET',
  path: '/dashboard/sync-runs/:id',
  auth: 'session',
  least: 'viewer',
  answer: SyncRun,
  summary: 'Returns the progress of a sync, and its result or error when it has ended.',
})

export const debugSyncLeads = defineRoute({
  method: 'POST',
  path: '/dashboard/debug-sync-leads',
  auth: 'session',
  least: 'member',
  answer: z.object({
    success: z.boolean(),
    error: z.optional(z.string()),
    debug: z.object({
      steps: z.array(z.object({ name: z.string(), ok: z.boolean(), ms: z.number(), detail: z.string() })),
      counts: z.object({ portal_leads: z.number(), zoho_leads: z.nullable(z.number()) }),
      missing_fields: z.array(z.string()),
      api_domain: z.nullable(z.string()),
      mode: z.enum(['sandbox', 'zoho']),
    }),
  }),
  envelope: 'bare',
  summary: 'Tries each step of a lead sync and changes nothing.',
})
