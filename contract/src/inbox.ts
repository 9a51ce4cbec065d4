import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'
import { requiredText } from './text.ts'

const LOID_LENGTH_MAX = 40
const SNAPSHOT_LENGTH_MAX = 20_000

/** What a person has seen: every event up to `until` that the database snapshot includes (docs/decisions/inbox.md). */
const Look = {
  until: Instant,
  snapshot: z.string(),
}

/** A line of news about one record, or about a burst: several records that one author added in a short time. */
export const NewsLine = z.object({
  id: z.string(),
  /** Null for a burst. */
  loid: z.nullable(z.string()),
  /** The kind of page that the LOID leads to; for a burst, the kind of its records. Null if that page is gone. */
  about: z.nullable(z.enum(['lead', 'deal'])),
  /** The name of the deal or business; for a burst, its author's name. */
  name: z.string(),
  /** For example 'Pre Call → Pre Qualified, 1 note by Robin Lee'. */
  summary: z.string(),
  /** The text of the lender's newest unseen note, shortened if it is long. */
  quote: z.nullable(z.string()),
  /** How many records the line is about: more than one for a burst. */
  records: z.number(),
  changes: z.number(),
  at: Instant,
  /**
   * True if the dashboard already tells all of this under 'Needs attention', so that 'Since you were here' leaves the
   * line out (D127).
   */
  needs_attention: z.boolean(),
  /** What 'Needs attention' does not tell, and when it last happened. The dashboard shows both instead of `summary` and `at`. */
  untold_summary: z.string(),
  untold_at: Instant,
})
export type NewsLine = z.infer<typeof NewsLine>

export const News = z.object({
  ...Look,
  /** The newest first, at most 50. */
  lines: z.array(NewsLine),
  /** The number of all lines, including those that are not in `lines`. If `is_least`, there may be more. */
  total: z.number(),
  is_least: z.boolean(),
  /** How many of the lines that `total` counts are about leads, and how many about deals. */
  leads: z.number(),
  deals: z.number(),
  /** The LOIDs of the newest records with unseen news. The lists of leads and deals mark them as new. */
  loids: z.array(z.string()),
})
export type News = z.infer<typeof News>

export const readNews = defineRoute({
  method: 'GET',
  path: '/dashboard/news',
  auth: 'session',
  least: 'viewer',
  answer: News,
  summary:
    'Records that changed since the caller last looked, the newest first. Each has a line; a burst of new records shares one.',
})

export const markNewsSeen = defineRoute({
  method: 'POST',
  path: '/dashboard/news/seen',
  auth: 'session',
  least: 'viewer',
  body: z.object({
    until: z.iso.datetime({ offset: true, error: 'until must be an instant' }),
    /**
     * From the same answer as `until`. If absent, every event that exists now and is not later than `until` counts as
     * seen.
     */
    snapshot: z.optional(
      z.string().check(z.refine(isSnapshot, 'snapshot must be the one that GET /dashboard/news returned')),
    ),
    /** If present, only the news of this record is marked, because the caller has opened its page. */
    loid: z.optional(requiredText('loid', LOID_LENGTH_MAX)),
  }),
  answer: Nothing,
  summary: 'Marks all news as seen, or only the news of one record.',
})

/**
 * Whether the text is a PostgreSQL snapshot, such as `10:20:10,14,15`. The listed ids must ascend and lie between the
 * first two numbers.
 */
function isSnapshot(text: string): boolean {
  if (text.length > SNAPSHOT_LENGTH_MAX || !/^\d{1,18}:\d{1,18}:(?:\d{1,18}(?:,\d{1,18})*)?$/.test(text)) return false
  const [first = '', end = '', listed = ''] = text.split(':')
  const running = listed === '' ? [] : listed.split(',').map(BigInt)
  const isAscending = running.every((id, i) => i === 0 || id > (running[i - 1] ?? id))
  const isWithin = running.every((id) => id >= BigInt(first) && id < BigInt(end))
  return BigInt(first) > 0n && BigInt(first) <= BigInt(end) && isAscending && isWithin
}
