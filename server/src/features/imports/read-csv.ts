import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { cleanText } from '@portal/contract/clean-text.ts'
import { IMPORT_COLUMNS_MAX, IMPORT_ROWS_MAX } from '@portal/contract/limits.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { CsvError, type Options, parse } from 'csv-parse'
import { Invalid } from '../../platform/errors.ts'

export interface CsvFile {
  heading: string[]
  rows: CsvRow[]
}

export interface CsvRow {
  /** The row's number in a spreadsheet, where the heading is row 1. */
  number: number
  /** As many as the heading has. */
  cells: string[]
}

/** Other requests are served each time that so many rows have been read. */
const ROWS_AT_A_TIME = 250
const PIECE_LENGTH = 64 * 1024
const HEADING_LENGTH_MAX = 200

/**
 * Reads a CSV file with commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252. Rows without any text are left out.
 * Throws `Invalid` with a sentence for people if the file is something else, or too large.
 */
export async function readCsv(file: Buffer): Promise<CsvFile> {
  if (file.length === 0) throw refused('The file is empty. Choose a CSV file.')
  if (OTHER_FORMATS.includes(file.toString('hex', 0, 4))) {
    throw refused('This is not a CSV file. In your spreadsheet, choose Save As or Download, then CSV.')
  }
  const text = withoutBlankEnd(decode(file))
  refuseExcess(text)
  const { delimiter, from } = findDelimiter(text)
  const records = Readable.from(piecesOf(text.slice(from))).pipe(parse({ ...OPTIONS, delimiter }))
  let heading: string[] | undefined
  let number = 0
  const rows: CsvRow[] = []
  try {
    for await (const record of records) {
      const cells = textsOf(record)
      number += 1
      if (number % ROWS_AT_A_TIME === 0) await setImmediate()
      if (cells.every((cell) => cell.trim() === '')) continue
      if (!heading) heading = headingOf(cells)
      else if (rows.length === IMPORT_ROWS_MAX) throw refused(TOO_MANY_ROWS)
      else rows.push({ number, cells: inColumns(cells, heading.length, number) })
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error) : error
  }
  if (!heading) throw refused('The file is empty. Choose a CSV file.')
  if (rows.length === 0) throw refused('The file has a heading and no rows below it.')
  return { heading, rows }
}

/** Spreadsheets write rows of separators below the last row, sometimes a million. */
function withoutBlankEnd(text: string): string {
  let end = text.length
  while (end > 0 && BLANK_OR_SEPARATOR.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

const BLANK_OR_SEPARATOR = /[\s,;]/

/**
 * Refuses what the parser would need much memory or time for: a row that is very long, often because a quotation mark is
 * not closed, a row with very many cells, and very many blank rows.
 */
function refuseExcess(text: string): void {
  let isQuoted = false
  let number = 1
  let begin = 0
  let separators = 0
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) isQuoted = !isQuoted
    else if (!isQuoted && SEPARATORS.has(sign)) separators += 1
    else if (!isQuoted && (sign === LINE_FEED || (sign === RETURN && text.charCodeAt(at + 1) !== LINE_FEED))) {
      number += 1
      begin = at
      separators = 0
    }
    if (at - begin > ROW_LENGTH_MAX || separators > SEPARATORS_MAX) {
      throw refused(`Row ${number} is too long. Is a quotation mark in it not closed?`)
    }
    if (number > LINES_MAX) {
      throw refused(`The file has more than ${formatNumber(LINES_MAX)} rows with the blank ones. Remove these.`)
    }
  }
}

const [QUOTE, LINE_FEED, RETURN] = [0x22, 0x0a, 0x0d]
const SEPARATORS = new Set([0x2c, 0x3b, 0x09])
const ROW_LENGTH_MAX = 1_000_000
const SEPARATORS_MAX = 10_000
const LINES_MAX = 100_000

/** How workbooks (`PK…` and OLE), PDF files and compressed files begin. */
const OTHER_FORMATS = ['504b0304', 'd0cf11e0', '25504446', '1f8b0800', '1f8b0808']

const OPTIONS: Options = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  // A row that is too long is refused with its number, and one that is too short has blank cells at its end.
  relax_column_count: true,
}

const TOO_MANY_ROWS = `The file has more than ${formatNumber(IMPORT_ROWS_MAX)} rows. Split it into several files.`

function decode(file: Buffer): string {
  // The parser takes the byte order mark away.
  return new TextDecoder(encodingOf(file), { ignoreBOM: true }).decode(file)
}

function encodingOf(file: Buffer): string {
  const start = file.subarray(0, 2).toString('hex')
  if (start === 'fffe') return 'utf-16le'
  if (start === 'feff') return 'utf-16be'
  // In UTF-16, every other byte of an ordinary letter is zero.
  const sample = file.subarray(0, 1_000)
  const zerosAt = (parity: number) => sample.filter((byte, at) => byte === 0 && at % 2 === parity).length
  if (zerosAt(1) > sample.length / 4) return 'utf-16le'
  if (zerosAt(0) > sample.length / 4) return 'utf-16be'
  return isUtf8(file) ? 'utf-8' : 'windows-1252'
}

/** The separator that the heading has most of, or that Excel's line `sep=;` names. `from` is where the heading begins. */
function findDelimiter(text: string): { delimiter: string; from: number } {
  const named = /^\uFEFF?sep=([,;\t])(?:\r\n|\n|\r)/i.exec(text)
  if (named?.[1]) return { delimiter: named[1], from: named[0].length }
  const counts = new Map([',', ';', '\t'].map((sign) => [sign, 0]))
  let isQuoted = false
  for (const sign of text.trimStart()) {
    if (sign === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === '\n' || sign === '\r') break
    const count = counts.get(sign)
    if (count !== undefined) counts.set(sign, count + 1)
  }
  const [[delimiter] = [',']] = [...counts].toSorted(([, one], [, other]) => other - one)
  return { delimiter, from: 0 }
}

function* piecesOf(text: string): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    // A piece does not end within a character of two units.
    const end = at + PIECE_LENGTH + (/[\ud800-\udbff]/.test(text.charAt(at + PIECE_LENGTH - 1)) ? 1 : 0)
    yield Buffer.from(text.slice(at, end))
    at = end
  }
}

function textsOf(record: unknown): string[] {
  return Array.isArray(record) ? record.map((cell) => cleanText(String(cell))) : []
}

function headingOf(cells: string[]): string[] {
  const end = cells.findLastIndex((cell) => cell.trim() !== '') + 1
  if (end > IMPORT_COLUMNS_MAX) throw refused(`The file has more than ${IMPORT_COLUMNS_MAX} columns.`)
  const heading = cells.slice(0, end).map((cell) => cell.trim())
  if (heading.some((cell) => cell.length > HEADING_LENGTH_MAX)) {
    throw refused(`A heading has more than ${HEADING_LENGTH_MAX} characters. The first row must name the columns.`)
  }
  return heading
}

function inColumns(cells: string[], columns: number, number: number): string[] {
  if (cells.slice(columns).some((cell) => cell.trim() !== '')) {
    throw refused(
      `Row ${number} has more cells than the heading. Put quotation marks around a text with a separator in it.`,
    )
  }
  return Array.from({ length: columns }, (_, at) => cells[at] ?? '')
}

function unreadable({ code, lines }: CsvError & { lines?: unknown }): Invalid {
  const where = typeof lines === 'number' ? `Line ${lines} of the file` : 'The file'
  const isQuote = code === 'CSV_QUOTE_NOT_CLOSED' || code === 'INVALID_OPENING_QUOTE'
  return refused(
    isQuote || code === 'CSV_INVALID_CLOSING_QUOTE'
      ? `${where} has a quotation mark that is not closed, or not doubled within a text.`
      : `${where} cannot be read as CSV.`,
  )
}

function refused(text: string): Invalid {
  return new Invalid('VALIDATION', text, { file: text })
}
