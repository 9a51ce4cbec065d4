import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { Instant } from './dates.ts'
import { Side } from './meanings.ts'
import { Request } from './requests.ts'
import { defineRoute } from './route.ts'

/** What needs attention, in the order of the list (D127). */
export const ATTENTION_KINDS = [
  'request',
  'your-turn',
  'lender-note',
  'crm-failed',
  'webhook-failing',
  'awaits-deal',
  'protection-ends',
  'no-movement',
] as const

export const AttentionItem = z.object({
  /** Identifies the item in its present state. Once the item changes, it has another id. */
  id: z.string(),
  kind: z.enum(ATTENTION_KINDS),
  /** Null for an item that is about no record, such as the webhook. */
  loid: z.nullable(z.string()),
  /** The kind of page that the LOID leads to. */
  about: z.nullable(z.enum(['lead', 'deal'])),
  /** The name of the deal or business; for the webhook, the host that it goes to. */
  name: z.string(),
  at: Instant,
  /** The lead, deal or note that did not reach the CRM and can be sent again, and why the push failed. */
  retry: z.nullable(
    z.object({ kind: z.enum(['lead', 'deal', 'note']), id: z.string(), problem: z.nullable(z.string()) }),
  ),
  /**
   * The newest of the lender's notes that nobody has answered, shortened if it is long, and how many they are. Reading
   * the notes does not answer them: `is_read` is true if the caller has opened the record since.
   */
  note: z.nullable(
    z.object({ content: z.string(), by: z.nullable(z.string()), count: z.number(), is_read: z.boolean() }),
  ),
  /** What the lender asks, until it is answered (D105). */
  request: z.nullable(z.pick(Request, { id: true, subject: true, reason: true, due_on: true, state: true })),
  /** The last day of a protection that ends soon (D112). */
  protected_until: z.nullable(z.string()),
  /** Since when every delivery has failed, or that the portal has disabled the webhook. */
  webhook: z.nullable(z.object({ failing_since: z.nullable(Instant), disabled_at: z.nullable(Instant) })),
  /**
   * The record's status or stage, what it means, whose turn it is, how many days the record has been in it, and how
   * many are usual for this partner or for all partners. Null for a failed push and for the webhook.
   */
  standing: z.nullable(
    z.object({
      value: z.string(),
      meaning: z.nullable(z.string()),
      side: z.nullable(Side),
      days: z.number(),
      usual: z.nullable(z.object({ days: z.number(), of: z.enum(['partner', 'everybody']) })),
    }),
  ),
})
export type AttentionItem = z.infer<typeof AttentionItem>

export const Attention = z.object({
  /** The most urgent first, at most 50. */
  items: z.array(AttentionItem),
  /** The number of all items, including those that are not in `items`. If `is_least`, there may be more. */
  total: z.number(),
  is_least: z.boolean(),
  /** False until the partner's usual times were computed for the first time: there may be more items then. */
  knows_usual_times: z.boolean(),
})
export type Attention = z.infer<typeof Attention>

export const readAttention = defineRoute({
  method: 'GET',
  path: '/dashboard/attention',
  auth: 'session',
  least: 'viewer',
  answer: Attention,
  summary: 'At most 50 items that need attention, the most urgent first.',
})

export const markDone = defineRoute({
  method: 'POST',
  path: '/dashboard/attention/:id/done',
  auth: 'session',
  least: 'member',
  answer: Nothing,
  summary: 'Marks an item as done for the whole business. It returns only if something new happens to its record.',
})

export const REMIND_DAYS_MAX = 366
export const REMIND_LATER = 'Choose a time between now and a year from now'

export const remindMe = defineRoute({
  method: 'POST',
  path: '/dashboard/attention/:id/remind',
  auth: 'session',
  least: 'viewer',
  body: z.object({ until: z.iso.datetime({ offset: true, error: 'until must be an instant' }) }),
  answer: Nothing,
  summary: 'Hides an item from the caller until this time, or until its record changes.',
})

export const putAway = defineRoute({
  method: 'POST',
  path: '/dashboard/attention/:id/put-away',
  auth: 'session',
  least: 'viewer',
  answer: Nothing,
  summary: 'Hides an item from the caller until its record changes again, for at most a year.',
})
