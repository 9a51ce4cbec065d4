import { formatDays } from './dates.ts'

/** From this number of days on, fractions of a day are left out. */
const WHOLE_DAYS_FROM = 10
const NEARLY = 0.2

/** A median in days, as people say it: `2–3 days`, `3 days`, `less than a day`. */
export function formatUsualDays(days: number): string {
  if (days < 1 - NEARLY) return 'less than a day'
  const nearest = Math.round(days)
  if (days >= WHOLE_DAYS_FROM || Math.abs(days - nearest) <= NEARLY) return formatDays(nearest)
  return `${Math.floor(days)}–${formatDays(Math.ceil(days))}`
}
