import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

export const ATTENTION_KINDS = ['crm-failed', 'lender-note', 'no-movement'] as const

export const AttentionItem = z.object({
  /** Identifies the item in its present state. Once the item changes, it has another id. */
  id: z.string(),
  kind: z.enum(ATTENTION_KINDS),
  loid: z.string(),
  /** The kind of page that the LOID leads to. */
  about: z.enum(['lead', 'deal']),
  name: z.string(),
  at: Instant,
  /** The lead, deal or note that did not reach the CRM and can be sent again, and why the push failed. */
  retry: z.nullable(
    z.object({ kind: z.enum(['lead', 'deal', 'note']), id: z.string(), problem: z.nullable(z.string()) }),
  ),
  /** The lender's newest note, shortened if it is long, and how many of the lender's notes are unread. */
  note: z.nullable(z.object({ content: z.string(), by: z.nullable(z.string()), count: z.number() })),
  /**
   * How many days the record has been in its status or stage, and how many are usual for this partner or for all
   * partners.
   */
  standing: z.nullable(
    z.object({
      value: z.string(),
      days: z.number(),
      usual_days: z.number(),
      usual_of: z.enum(['partner', 'everybody']),
    }),
  ),
})
export type AttentionItem = z.infer<typeof AttentionItem>

export const readAttention = defineRoute({
  method: 'GET',
  path: '/dashboard/attention',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ items: z.array(AttentionItem), has_more: z.boolean() }),
  summary: 'At most 20 items that need attention, the most urgent first.',
})

export const putAway = defineRoute({
  method: 'POST',
  path: '/dashboard/attention/:id/put-away',
  auth: 'session',
  least: 'viewer',
  answer: Nothing,
  summary: 'Hides an item from the caller until its record changes again, for at most a year.',
})
