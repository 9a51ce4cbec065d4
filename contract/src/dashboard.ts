import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

export const Stats = z.object({
  total_leads: z.number(),
  active_leads: z.number(),
  total_deals: z.number(),
  won_deals: z.number(),
  total_deal_value: z.number(),
  avg_deal_size: z.number(),
  /** A fraction of 0 to 1 (D21). */
  conversion_rate: z.number(),
})
export type Stats = z.infer<typeof Stats>

export const Activity = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  /** The lender's own words, if this is a note of the lender. */
  quote: z.nullable(z.string()),
  loid: z.nullable(z.string()),
  /** The kind of page that the LOID leads to; null if the page is gone. */
  about: z.nullable(z.enum(['lead', 'deal'])),
  created_at: Instant,
})
export type Activity = z.infer<typeof Activity>

export const PipelineStage = z.object({
  stage: z.string(),
  count: z.number(),
  value: z.number(),
  /** The share of the number of deals, 0 to 100 (D21). */
  percentage: z.number(),
})
export type PipelineStage = z.infer<typeof PipelineStage>

export const TREND_PERIODS = ['week', 'month'] as const
export type TrendPeriod = (typeof TREND_PERIODS)[number]

/** What began in one week (from Monday) or month of `PORTAL_TIMEZONE`. */
export const TrendPoint = z.object({
  /** The period's first day, YYYY-MM-DD. */
  start: z.string(),
  leads: z.number(),
  deals: z.number(),
  deal_value: z.number(),
  /** Leads that became deals then, whenever they were submitted. */
  conversions: z.number(),
})
export type TrendPoint = z.infer<typeof TrendPoint>

/** `previous` is null if there is nothing to compare with, because the partner is too new. */
export const Comparison = z.object({ current: z.number(), previous: z.nullable(z.number()) })
export type Comparison = z.infer<typeof Comparison>

export const Trends = z.object({
  period: z.enum(TREND_PERIODS),
  points: z.array(TrendPoint),
  /** Counts of the last 30 days and of the 30 days before. The rate is the present one and the one of 30 days ago. */
  comparison: z.object({
    leads: Comparison,
    deals: Comparison,
    deal_value: Comparison,
    conversion_rate: Comparison,
  }),
})
export type Trends = z.infer<typeof Trends>

export const readStats = defineRoute({
  method: 'GET',
  path: '/dashboard/stats',
  auth: 'session',
  least: 'viewer',
  answer: Stats,
  summary: 'The figures of the dashboard’s cards.',
})

export const readRecentActivity = defineRoute({
  method: 'GET',
  path: '/dashboard/recent-activity',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ activities: z.array(Activity) }),
  summary: 'What happened last, newest first, at most 20.',
})

export const readPipeline = defineRoute({
  method: 'GET',
  path: '/dashboard/pipeline',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ pipeline: z.array(PipelineStage) }),
  summary: 'Deals by stage, in the CRM’s stage order.',
})

export const readTrends = defineRoute({
  method: 'GET',
  path: '/dashboard/trends',
  auth: 'session',
  least: 'viewer',
  query: z.object({
    period: z._default(z.enum(TREND_PERIODS, { error: 'period must be week or month' }), 'week'),
  }),
  answer: Trends,
  summary:
    'The last 12 weeks or months, oldest first, the running one last, and the last 30 days against the 30 before.',
})
