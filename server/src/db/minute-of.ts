/** The start of this instant's minute. A time that is stored to the minute is written at most once a minute. */
export function minuteOf(now: Date): string {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000).toISOString()
}
