/** When the minute of this instant began. A time that is kept to the minute is written at most once a minute. */
export function minuteOf(now: Date): string {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000).toISOString()
}
