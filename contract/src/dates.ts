import * as z from 'zod/mini'
import { isPlainDate, isTimeZone } from './calendar.ts'

/**
 * A time in ISO 8601, in UTC and with milliseconds (D7). The portal itself writes these texts, so their form is not
 * checked.
 */
export const Instant = z.string().register(z.globalRegistry, { format: 'date-time' })

/**
 * A query parameter with a calendar date from 1900 on, in the form `YYYY-MM-DD` (D7). An empty parameter counts as
 * absent.
 */
export function filterDate(name: string) {
  const error = `${name} must be a date in the form YYYY-MM-DD, 1900 or later`
  return z.pipe(
    z.optional(z.string({ error })).check(z.refine((text) => !text || isPlainDate(text), error)),
    z.transform((text): string | undefined => text || undefined),
  )
}

/**
 * A field of a request body with a calendar date from 1900 on, in the form `YYYY-MM-DD`. Absent, null and empty become
 * null.
 */
export function optionalDate(label: string) {
  const error = `${label} must be a date in the form YYYY-MM-DD, 1900 or later`
  const date = z.pipe(
    z.nullish(z.string({ error })).check(z.refine((text) => !text || isPlainDate(text), error)),
    z.transform((text): string | null => text || null),
  )
  // The API documentation shows this format.
  return date.register(z.globalRegistry, { format: 'date' })
}

/** The query parameters of a list that is limited to some days, to be spread into a route's query. */
export function filterDays() {
  const error = 'timezone must be the name of a time zone, such as Pacific/Auckland'
  return {
    /** Both days are inclusive. */
    dateFrom: filterDate('dateFrom'),
    dateTo: filterDate('dateTo'),
    /** The zone of the days, in which the page shows them (D146). If absent, they are days in PORTAL_TIMEZONE. */
    timezone: z.pipe(
      z
        .optional(z.string({ error }).check(z.maxLength(100, { error, abort: true })))
        .check(z.refine((zone) => !zone || isTimeZone(zone), error)),
      z.transform((zone): string | undefined => zone || undefined),
    ),
  }
}
