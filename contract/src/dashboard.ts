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
  loid: z.nullable(z.string()),
  created_at: Instant,
})
export type Activity = z.infer<typeof Activity>

export const PipelineStage = z.object({
  stage: z.string(),
  count: z.number(),
  value: z.number(),
  /** Of the number of deals, 0 to 100 (D21). */
  percentage: z.number(),
})
export type PipelineStage = z.infer<typeof PipelineStage>

export const readStats = defineRoute({
  method: 'GET',
  path: '/dashboard/stats',
  auth: 'session',
  answer: Stats,
  summary: 'The figures of the dashboard’s cards.',
})

export const readRecentActivity = defineRoute({
  method: 'GET',
  path: '/dashboard/recent-activity',
  auth: 'session',
  answer: z.object({ activities: z.array(Activity) }),
  summary: 'What happened last, newest first, at most 20.',
})

export const readPipeline = defineRoute({
  method: 'GET',
  path: '/dashboard/pipeline',
  auth: 'session',
  answer: z.object({ pipeline: z.array(PipelineStage) }),
  summary: 'Deals by stage, in the CRM’s stage order.',
})
