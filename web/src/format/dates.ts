const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

// The specification's 'MMM d, yyyy' is the same in every locale, so this code formats dates itself. The locale en-AU
// has 'Sept', and the first use of the browser's formatter keeps a slow phone busy for a tenth of a second.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * For example `Nov 21, 2026`. An instant is shown in the browser's zone. A plain `YYYY-MM-DD` is the same day
 * everywhere.
 */
export function formatDate(date: string | null | undefined): string {
  const time = instantOf(date)
  if (time === null) return '—'
  return isPlain(date) ? dayText(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()) : localDay(time)
}

/** For example `Nov 21, 2026, 3:05 PM`, in the browser's zone. */
export function formatDateTime(instant: string | null | undefined): string {
  const time = instantOf(instant)
  return time === null ? '—' : `${localDay(time)}, ${localTime(time)}`
}

/** For example `3:05 PM`, in the browser's zone. */
export function formatTimeOfDay(time: Date): string {
  return localTime(time)
}

/** For example `Nov 21, 2026, 3:05:09 PM`, in the browser's zone. */
export function formatExactTime(instant: string | null | undefined): string {
  const time = instantOf(instant)
  return time === null ? '—' : `${localDay(time)}, ${localTime(time, { toTheSecond: true })}`
}

/** For example `230 ms` or `1.2 s`. */
export function formatDuration(durationMs: number): string {
  return durationMs < SECOND_MS ? `${Math.round(durationMs)} ms` : `${(durationMs / SECOND_MS).toFixed(1)} s`
}

/** For example `12 May`, in the browser's zone. */
export function formatDayAndMonth(instant: string): string {
  const [month, day] = formatDate(instant).split(/[ ,]/)
  return `${day} ${month}`
}

/** For example `Nov 16`, for a plain date or an instant. */
export function formatDayInShort(date: string): string {
  return formatDate(date).replace(/, \d+$/, '')
}

/** For example `Nov 2026`, for a plain date or an instant. */
export function formatMonth(date: string): string {
  return formatDate(date).replace(/ \d+,/, '')
}

/**
 * Returns 'Just now', minutes, hours up to 24, days up to 7, and then the date (section 9). If the browser's clock is
 * slow, a time can be in the future. It is then shown as 'Just now'.
 */
export function formatRelativeTime(instant: string | null | undefined, now: number = Date.now()): string {
  const time = instantOf(instant)
  if (time === null) return '—'
  const age = now - time.getTime()
  if (age < MINUTE_MS) return 'Just now'
  if (age < HOUR_MS) return ago(Math.floor(age / MINUTE_MS), 'minute')
  if (age < DAY_MS) return ago(Math.floor(age / HOUR_MS), 'hour')
  if (age < 7 * DAY_MS) return ago(Math.floor(age / DAY_MS), 'day')
  return localDay(time)
}

/** The exact time to show below `formatRelativeTime`. It has no date if that text is the date. */
export function formatTimeBelow(instant: string | null | undefined, now: number = Date.now()): string {
  const time = instantOf(instant)
  const isDated = time !== null && formatRelativeTime(instant, now) === localDay(time)
  return isDated ? localTime(time, { toTheSecond: true }) : formatExactTime(instant)
}

export function isPast(instant: string, now: number = Date.now()): boolean {
  return Date.parse(instant) <= now
}

/** For example `1 day` or `3 days`. */
export function formatDays(days: number): string {
  return `${days} ${days === 1 ? 'day' : 'days'}`
}

/** The days since creation, rounded up. The result is 0 at the moment of creation. */
export function daysActive(createdAt: string, now: number = Date.now()): number {
  const time = instantOf(createdAt)
  return time === null ? 0 : Math.max(0, Math.ceil((now - time.getTime()) / DAY_MS))
}

function ago(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`
}

function isPlain(date: string | null | undefined): boolean {
  return date?.length === 10
}

function instantOf(date: string | null | undefined): Date | null {
  const time = new Date(date || Number.NaN)
  return Number.isNaN(time.getTime()) ? null : time
}

function localDay(time: Date): string {
  return dayText(time.getFullYear(), time.getMonth(), time.getDate())
}

function dayText(year: number, month: number, day: number): string {
  return `${MONTHS[month]} ${day}, ${year}`
}

function localTime(time: Date, { toTheSecond = false } = {}): string {
  const twoDigits = (part: number) => String(part).padStart(2, '0')
  const seconds = toTheSecond ? `:${twoDigits(time.getSeconds())}` : ''
  const hours = time.getHours()
  return `${hours % 12 || 12}:${twoDigits(time.getMinutes())}${seconds} ${hours < 12 ? 'AM' : 'PM'}`
}
