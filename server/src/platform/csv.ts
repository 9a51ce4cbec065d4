/** What a spreadsheet needs to read UTF-8. It begins a file. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** One line of a CSV file (RFC 4180). Null is an empty cell. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",;\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A free text as a spreadsheet may open it (D82): one that would be a formula begins with an apostrophe. So does a text
 * that begins with apostrophes before such a sign, so that taking one apostrophe off restores every text.
 */
export function guarded(text: string | null): string | null {
  return text !== null && /^'*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text
}

/**
 * Gives the day of an instant in the zone, as YYYY-MM-DD. One formatter serves a whole file: a new one for each cell took
 * 5 GB of memory for 100,000 rows.
 */
export function dayWriter(timeZone: string): (instant: string) => string {
  const day = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone })
  return (instant) => day.format(new Date(instant))
}

/** A text that the export has guarded, as it was. */
export function unguarded(text: string): string {
  return /^'+[=+\-@\t\r＝＋－＠]/.test(text) ? text.slice(1) : text
}
