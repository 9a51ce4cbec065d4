import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { PAGE_SIZE, PAGE_SIZE_MAX } from './limits.ts'

export const Pagination = z.object({
  page: z.number(),
  limit: z.number(),
  has_more: z.boolean(),
  /** In lists of leads and deals: exact up to LIST_TOTAL_MAX; LIST_TOTAL_MAX + 1 means that there are more (D80). */
  total: z.optional(z.number()),
})
export type Pagination = z.infer<typeof Pagination>

/** What a caller may know of a lead or deal of its own that the lender has removed (D129). */
export const RemovedRecord = z.object({
  business_name: z.nullable(z.string()),
  /** The last status or stage. */
  value: z.string(),
  removed_at: Instant,
})
export type RemovedRecord = z.infer<typeof RemovedRecord>

/**
 * The body of a failed answer (D5). `fields` holds one message for each invalid field, but names at most twenty unknown
 * fields; `error` repeats the first message.
 */
export const Failure = z.object({
  success: z.literal(false),
  error: z.string(),
  code: z.string(),
  fields: z.optional(z.record(z.string(), z.string())),
  /** With the codes `LEAD_REMOVED` and `DEAL_REMOVED`. */
  removed: z.optional(RemovedRecord),
})
export type Failure = z.infer<typeof Failure>

/** `page` and `limit` as query parameters (D6), to be spread into a route's query. */
export function pagingQuery(limits: { default: number; max: number } = { default: PAGE_SIZE, max: PAGE_SIZE_MAX }) {
  return {
    page: z._default(wholeNumber('page', 1_000_000), 1),
    limit: z._default(wholeNumber('limit', limits.max), limits.default),
  }
}

/**
 * `sort` and `order` as query parameters of a list, to be spread into a route's query (D80). A column without an order is
 * sorted descending.
 */
export function sortQuery<const Column extends string>(columns: readonly Column[]) {
  return {
    sort: z.optional(z.enum(columns, { error: `sort must be one of ${columns.join(', ')}` })),
    order: z.optional(z.enum(['asc', 'desc'], { error: 'order must be asc or desc' })),
  }
}

/** The answer of a route that returns no data. */
export const Nothing = z.object({})

export function wholeNumber(name: string, max: number) {
  const message = `${name} must be a whole number from 1 to ${max}`
  return z.pipe(
    z.union([z.string(), z.number()], { error: message }),
    z.pipe(
      z.transform((value: string | number) =>
        typeof value === 'number' || /^\d+$/.test(value) ? Number(value) : Number.NaN,
      ),
      z.int({ error: message }).check(z.minimum(1, message), z.maximum(max, message)),
    ),
  )
}
