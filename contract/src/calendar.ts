export function isPlainDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1900-01-01') return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** Whole days from one instant to another, rounded down (D26); never less than 0. */
export function wholeDays(from: string, to: string): number {
  return Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 86_400_000))
}

/**
 * Whether the text is an IANA name of a time zone. Some old names, such as Japan, are refused. Intl would also accept
 * offsets, which have no daylight saving, and abbreviations that Temporal refuses, such as ACT.
 */
export function isTimeZone(zone: string): boolean {
  if (!/^(?:UTC|GMT|[CEMW]ET|[EHM]ST|[A-Z]{3}\d[A-Z]{3}|\w+(?:\/[\w+-]+)+)$/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
