import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { Activity } from './dashboard.ts'
import { filterDate, Instant } from './dates.ts'
import { defineRoute } from './route.ts'
import { filterPerson } from './submitted-by.ts'
import { requiredText } from './text.ts'

const LOID_LENGTH_MAX = 40
const SNAPSHOT_LENGTH_MAX = 20_000

/** Where a person's look ended: what they saw is all until then that the snapshot holds (docs/decisions/inbox.md). */
const Look = {
  until: Instant,
  snapshot: z.string(),
}

/** What is new of one record, or of a burst of submissions. */
export const NewsLine = z.object({
  id: z.string(),
  /** Null for a burst. */
  loid: z.nullable(z.string()),
  /** The kind of page that the LOID leads to; of a burst, what was submitted. Null if the page is gone. */
  about: z.nullable(z.enum(['lead', 'deal'])),
  /** The business, or who submitted the burst. */
  name: z.string(),
  /** 'Pre Call → Pre Qualified, 1 note' */
  summary: z.string(),
  /** The newest note of the lender. */
  quote: z.nullable(z.string()),
  /** How many records it is about: more than one in a burst. */
  records: z.number(),
  changes: z.number(),
  at: Instant,
})
export type NewsLine = z.infer<typeof NewsLine>

export const News = z.object({
  ...Look,
  /** The newest first, at most 50. */
  lines: z.array(NewsLine),
  /** How many lines there are; if `is_least`, at least so many. */
  total: z.number(),
  is_least: z.boolean(),
  leads: z.number(),
  deals: z.number(),
  /** The records that changed last, for marks in lists. */
  loids: z.array(z.string()),
})
export type News = z.infer<typeof News>

/** What happens to a lead, deal or note, as `/activity` is filtered by it. */
export const ACTIVITY_TYPES = [
  'lead.created',
  'lead.status_changed',
  'lead.converted',
  'lead.removed',
  'deal.created',
  'deal.stage_changed',
  'deal.updated',
  'deal.removed',
  'note.added',
] as const

export const ACTIVITY_TYPE_NAMES: Record<(typeof ACTIVITY_TYPES)[number], string> = {
  'lead.created': 'Lead submitted',
  'lead.status_changed': 'Lead status',
  'lead.converted': 'Lead converted',
  'lead.removed': 'Lead removed',
  'deal.created': 'Deal created',
  'deal.stage_changed': 'Deal stage',
  'deal.updated': 'Deal updated',
  'deal.removed': 'Deal removed',
  'note.added': 'Note',
}

/** Beside people's ids, as the filter of who did it. */
export const ACTORS = { lender: 'The lender', 'api-key': 'API key' } as const

export const ActivityFilters = z.object({
  /** `next_cursor` of the answer before. */
  cursor: z.optional(z.guid('cursor must be an id')),
  type: z.optional(z.enum(ACTIVITY_TYPES, `type must be one of: ${ACTIVITY_TYPES.join(', ')}`)),
  /** A person's id, `me`, `lender` or `api-key`. */
  person: filterPerson(),
  dateFrom: filterDate('dateFrom'),
  dateTo: filterDate('dateTo'),
})
export type ActivityFilters = z.output<typeof ActivityFilters>

export const ActivityEntry = z.extend(Activity, {
  /** Who did it: a person's name, the API key's, or 'The lender'. Null where nobody remembers. */
  by: z.nullable(z.string()),
  /** The caller has not seen it yet. */
  is_new: z.boolean(),
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const ATTENTION_KINDS = ['crm-failed', 'lender-note', 'no-movement'] as const

export const AttentionItem = z.object({
  /** Names the item as it is now: once it changes, it has another. */
  id: z.string(),
  kind: z.enum(ATTENTION_KINDS),
  loid: z.string(),
  /** Of the page that the LOID leads to. */
  about: z.enum(['lead', 'deal']),
  name: z.string(),
  at: Instant,
  /** Could not reach the CRM: what to send again, and why it failed. */
  retry: z.nullable(
    z.object({ kind: z.enum(['lead', 'deal', 'note']), id: z.string(), problem: z.nullable(z.string()) }),
  ),
  /** The newest note of the lender, and how many are not read. */
  note: z.nullable(z.object({ content: z.string(), by: z.nullable(z.string()), count: z.number() })),
  /** How long it has been there, and how long that usually takes: with the partner's own records or with everybody's. */
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

export const readNews = defineRoute({
  method: 'GET',
  path: '/dashboard/news',
  auth: 'session',
  least: 'viewer',
  answer: News,
  summary: 'Records that changed since the caller last looked, one line each, the newest first.',
})

export const markNewsSeen = defineRoute({
  method: 'POST',
  path: '/dashboard/news/seen',
  auth: 'session',
  least: 'viewer',
  body: z.object({
    until: z.iso.datetime({ offset: true, error: 'until must be an instant' }),
    /** Of the same answer as `until`; without it, all that is there now counts as seen. */
    snapshot: z.optional(z.string().check(z.refine(isSnapshot, 'snapshot must be that of the news'))),
    /** Only this record: the caller has opened it. */
    loid: z.optional(requiredText('loid', LOID_LENGTH_MAX)),
  }),
  answer: Nothing,
  summary: 'Marks the news as seen, all of it or that of one record.',
})

export const readActivity = defineRoute({
  method: 'GET',
  path: '/activity',
  auth: 'session',
  least: 'viewer',
  query: ActivityFilters,
  answer: z.object({ activities: z.array(ActivityEntry), next_cursor: z.nullable(z.string()) }),
  summary: 'What happened to the partner’s leads and deals, newest first.',
})

export const readAttention = defineRoute({
  method: 'GET',
  path: '/dashboard/attention',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ items: z.array(AttentionItem), has_more: z.boolean() }),
  summary: 'What waits for somebody, the most urgent first, at most 20.',
})

export const putAway = defineRoute({
  method: 'POST',
  path: '/dashboard/attention/:id/put-away',
  auth: 'session',
  least: 'viewer',
  answer: Nothing,
  summary: 'Hides an item from the caller until its record changes again.',
})

/** As PostgreSQL writes it, `10:20:10,14,15`: every number below the next, the list from the first on and below the second. */
function isSnapshot(text: string): boolean {
  if (text.length > SNAPSHOT_LENGTH_MAX || !/^\d{1,18}:\d{1,18}:(?:\d{1,18}(?:,\d{1,18})*)?$/.test(text)) return false
  const [first = '', end = '', listed = ''] = text.split(':')
  const running = listed === '' ? [] : listed.split(',').map(BigInt)
  const isAscending = running.every((id, i) => i === 0 || id > (running[i - 1] ?? id))
  const isWithin = running.every((id) => id >= BigInt(first) && id < BigInt(end))
  return BigInt(first) > 0n && BigInt(first) <= BigInt(end) && isAscending && isWithin
}
