const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/
const PLAIN_DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/** The stored form of an instant: UTC without milliseconds, so that comparing the texts compares the times. */
export function storedInstant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** Reads an ISO 8601 time with an offset. Returns undefined for any other text. */
export function parseInstant(value: string): string | undefined {
  const match = INSTANT.exec(value)
  if (!match) return undefined
  const offset = match[7] ?? 'Z'
  const withColon = /^[+-]\d{4}$/.test(offset) ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset
  const ms = Date.parse(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6] ?? '00'}${withColon}`)
  return Number.isNaN(ms) ? undefined : storedInstant(ms)
}

export function parsePlainDate(value: string): string | undefined {
  if (!PLAIN_DATE.test(value)) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}

/** Shows an instant as Zoho does: in the API user's offset, without milliseconds. */
export function showInstant(stored: string, offset: string): string {
  const local = new Date(Date.parse(stored) + offsetMinutes(offset) * 60_000)
  return `${local.toISOString().slice(0, 19)}${offset}`
}

export function isOffset(value: unknown): value is string {
  return typeof value === 'string' && /^[+-](0\d|1[0-4]):[0-5]\d$/.test(value)
}

/** The calendar day on which an instant falls for the API user. */
export function localDay(ms: number, offset: string): string {
  return new Date(ms + offsetMinutes(offset) * 60_000).toISOString().slice(0, 10)
}

/** Whole days, rounded down, as Zoho counts them between two entries of a history. */
export function daysBetween(from: string, to: string): number {
  return Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 86_400_000))
}

function offsetMinutes(offset: string): number {
  const sign = offset.startsWith('-') ? -1 : 1
  return sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)))
}
