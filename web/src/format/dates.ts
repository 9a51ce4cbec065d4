const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

// Always en-US: en-AU writes 'Sept', which the specification's 'MMM d, yyyy' does not.
const DAY: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric', year: 'numeric' }
const LOCAL_DAY = new Intl.DateTimeFormat('en-US', DAY)
const UTC_DAY = new Intl.DateTimeFormat('en-US', { ...DAY, timeZone: 'UTC' })
const LOCAL_TIME = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' })

const LOCAL_TIME_TO_THE_SECOND = new Intl.DateTimeFormat('en-US', {
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
})

/** `Nov 21, 2026`. An instant in the browser's zone; a plain `YYYY-MM-DD` is the same day everywhere. */
export function formatDate(date: string | null | undefined): string {
  const time = instantOf(date)
  if (time === null) return '—'
  return (isPlain(date) ? UTC_DAY : LOCAL_DAY).format(time)
}

/** `Nov 21, 2026, 3:05 PM` in the browser's zone. */
export function formatDateTime(instant: string | null | undefined): string {
  const time = instantOf(instant)
  return time === null ? '—' : `${LOCAL_DAY.format(time)}, ${LOCAL_TIME.format(time)}`
}

/** `Nov 21, 2026, 3:05:09 PM` in the browser's zone. */
export function formatExactTime(instant: string | null | undefined): string {
  const time = instantOf(instant)
  return time === null ? '—' : `${LOCAL_DAY.format(time)}, ${LOCAL_TIME_TO_THE_SECOND.format(time)}`
}

/** `230 ms`, `1.2 s`. */
export function formatDuration(durationMs: number): string {
  return durationMs < SECOND_MS ? `${Math.round(durationMs)} ms` : `${(durationMs / SECOND_MS).toFixed(1)} s`
}

/** `12 May`, in the browser's zone. */
export function formatDayAndMonth(instant: string): string {
  const [month, day] = formatDate(instant).split(/[ ,]/)
  return `${day} ${month}`
}

/** `Nov 16` of a plain `YYYY-MM-DD`. */
export function formatDayInShort(date: string): string {
  return formatDate(date).replace(/, \d+$/, '')
}

/** `Nov 2026` of a plain `YYYY-MM-DD`. */
export function formatMonth(date: string): string {
  return formatDate(date).replace(/ \d+,/, '')
}

/** Section 9: 'Just now', minutes, hours up to 24, days up to 7, then the date. A clock that runs behind counts as now. */
export function formatRelativeTime(instant: string | null | undefined, now: number = Date.now()): string {
  const time = instantOf(instant)
  if (time === null) return '—'
  const age = now - time
  if (age < MINUTE_MS) return 'Just now'
  if (age < HOUR_MS) return ago(Math.floor(age / MINUTE_MS), 'minute')
  if (age < DAY_MS) return ago(Math.floor(age / HOUR_MS), 'hour')
  if (age < 7 * DAY_MS) return ago(Math.floor(age / DAY_MS), 'day')
  return LOCAL_DAY.format(time)
}

/** `1 day`, `3 days`. */
export function formatDays(days: number): string {
  return `${days} ${days === 1 ? 'day' : 'days'}`
}

/** The ceiling of the days since creation; 0 in the moment of creation. */
export function daysActive(createdAt: string, now: number = Date.now()): number {
  const time = instantOf(createdAt)
  return time === null ? 0 : Math.max(0, Math.ceil((now - time) / DAY_MS))
}

function ago(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`
}

function isPlain(date: string | null | undefined): boolean {
  return date?.length === 10
}

function instantOf(date: string | null | undefined): number | null {
  const time = date ? Date.parse(date) : Number.NaN
  return Number.isNaN(time) ? null : time
}
