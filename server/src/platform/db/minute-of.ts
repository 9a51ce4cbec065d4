/** The time rounded down to the minute, for columns that are written at most once a minute. */
export function minuteOf(now: Date): string {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000).toISOString()
}
