import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { Loid } from './loid.ts'
import { HISTORY_KINDS, OUTCOMES, Side, STEPS } from './meanings.ts'
import { defineRoute } from './route.ts'
import { filterText } from './text.ts'

const Text = z.nullable(z.string())

/** How long a status or stage usually takes, in days, to one decimal place. */
export const UsualTime = z.object({
  days: z.number(),
  /** How many times records entered and left the status or stage. */
  entries: z.number(),
  /**
   * Whether the time is based on the partner's own leads and deals or, if these are too few, on those of all partners.
   */
  of: z.enum(['partner', 'everybody']),
})
export type UsualTime = z.infer<typeof UsualTime>

/** The step that a referral has reached, and its present status or stage. */
export const Standing = z.object({
  steps: z.array(z.object({ name: z.enum(STEPS), reached_at: z.nullable(Instant) })),
  step: z.enum(STEPS),
  outcome: z.enum(OUTCOMES),
  kind: z.enum(HISTORY_KINDS),
  /** The present status or stage; `since` is when it began. */
  value: z.string(),
  since: Instant,
  /** One line that says what the status or stage means. */
  meaning: Text,
  /** Whose turn it is; null once the referral has ended. */
  side: z.nullable(Side),
  /** Null if the referral has ended, or if there are too few records to compare with. */
  usual: z.nullable(UsualTime),
})
export type Standing = z.infer<typeof Standing>

export const TimelineEntry = z.object({
  id: z.string(),
  type: z.enum([
    'submitted',
    'status',
    'verdict',
    'corrected',
    'withdrawn',
    'converted',
    'stage',
    'request',
    'document',
    'note',
  ]),
  at: Instant,
  by: Text,
  /** Whether the lender, not the partner, made the change or wrote the note. */
  is_lender: z.boolean(),
  /** The status or stage that began; null if none did, as for a note. */
  value: Text,
  /** How many whole days the status or stage lasted; null while it lasts, or if none began. */
  days: z.nullable(z.number()),
  /** A note's text, the comment on the change, or the lender's verdict. */
  text: Text,
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

export const ReferralTimeline = z.object({
  /** The LOID of the lead, or of the deal that it has become. */
  loid: Loid,
  standing: Standing,
  /** The latest first. */
  entries: z.array(TimelineEntry),
  /** The number of earlier entries, and the value of the parameter `before` that returns them. */
  earlier: z.nullable(z.object({ count: z.number(), before: z.string() })),
})
export type ReferralTimeline = z.infer<typeof ReferralTimeline>

const POSITION_LENGTH_MAX = 100

const TimelineQuery = z.object({ before: filterText('before', POSITION_LENGTH_MAX) })

const SUMMARY =
  'Returns the latest 50 entries of a referral’s timeline, newest first. The timeline covers the referral both as a lead and as a deal. `before` returns earlier entries.'

export const readLeadTimeline = defineRoute({
  method: 'GET',
  path: '/crm/lead/:id/timeline',
  auth: 'session',
  least: 'viewer',
  query: TimelineQuery,
  answer: ReferralTimeline,
  summary: SUMMARY,
})

export const readDealTimeline = defineRoute({
  method: 'GET',
  path: '/crm/deal/:id/timeline',
  auth: 'session',
  least: 'viewer',
  query: TimelineQuery,
  answer: ReferralTimeline,
  summary: SUMMARY,
})
