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
  /** A fraction from 0 to 1 (D21). */
  conversion_rate: z.number(),
})
export type Stats = z.infer<typeof Stats>

export const Activity = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  /** The text of a lender's note, shortened if it is long; null for any other activity. */
  quote: z.nullable(z.string()),
  loid: z.nullable(z.string()),
  /** The kind of page that the activity links to; null if there is no such page, as for a removed deal. */
  about: z.nullable(z.enum(['lead', 'deal'])),
  created_at: Instant,
})
export type Activity = z.infer<typeof Activity>

export const PipelineStage = z.object({
  stage: z.string(),
  count: z.number(),
  value: z.number(),
  /** The stage's share of the number of deals, from 0 to 100 (D21). */
  percentage: z.number(),
})
export type PipelineStage = z.infer<typeof PipelineStage>

export const TREND_PERIODS = ['week', 'month'] as const
export type TrendPeriod = (typeof TREND_PERIODS)[number]

/** The new leads, deals and conversions of one week (from Monday) or month, in the time zone `PORTAL_TIMEZONE`. */
export const TrendPoint = z.object({
  /** The period's first day, YYYY-MM-DD. */
  start: z.string(),
  leads: z.number(),
  deals: z.number(),
  deal_value: z.number(),
  /** Leads that became deals in this period, even if they were submitted earlier. */
  conversions: z.number(),
})
export type TrendPoint = z.infer<typeof TrendPoint>

/** `previous` is null if there is no earlier figure, as for a new partner. */
export const Comparison = z.object({ current: z.number(), previous: z.nullable(z.number()) })
export type Comparison = z.infer<typeof Comparison>

export const Trends = z.object({
  period: z.enum(TREND_PERIODS),
  points: z.array(TrendPoint),
  /**
   * Compares the last 30 days with the 30 days before them, and the present conversion rate with that of 30 days ago.
   */
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
  summary: 'The 20 most recent activities, newest first.',
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
    'Returns the figures of the last 12 weeks or months, from the oldest to the current one, and compares the last 30 days with the 30 days before them.',
})

export const readTimeZone = defineRoute({
  method: 'GET',
  path: '/dashboard/time-zone',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ time_zone: z.string() }),
  summary: 'The lender’s time zone, in which days are meant unless a call says otherwise.',
})
