/** When the minute of this instant began. What is noted to the minute is written once a minute at most. */
export function minuteOf(now: Date): string {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000).toISOString()
}
