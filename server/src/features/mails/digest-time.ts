import { DIGEST_HOUR } from '@portal/contract/notifications.ts'

const FRIDAY = 5

/**
 * Returns when the first digest after this instant is due: at 8:00 in the person's time zone, on a working day.
 * Temporal handles daylight saving.
 */
export async function digestAfter(instant: string, timeZone: string): Promise<string> {
  // Imported here, because the portal does not need Temporal to start.
  const { Temporal } = await import('temporal-polyfill')
  const after = Temporal.Instant.from(instant)
  let day = after.toZonedDateTimeISO(timeZone).toPlainDate()
  for (;;) {
    const digest = day.toZonedDateTime({ timeZone, plainTime: { hour: DIGEST_HOUR } }).toInstant()
    if (day.dayOfWeek <= FRIDAY && Temporal.Instant.compare(digest, after) > 0) {
      return digest.toString({ fractionalSecondDigits: 3 })
    }
    day = day.add({ days: 1 })
  }
}
