import { fold } from '@portal/contract/fold.ts'
import { parseLoid } from '@portal/contract/loid.ts'
import { phoneDigits } from '@portal/contract/phone.ts'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/** How a column holds its words: folded by the portal (D142), or only in lower case. */
type Spelling = 'folded' | 'lower case'

/**
 * The condition that the column contains every word of the text. The column holds phone numbers as bare digits (D24).
 * If the whole text or a word looks like a phone number, its digits are also searched for, so that spaces, +61 and a
 * leading 0 do not matter. A business name with `24-7` is still found.
 */
export function everyWordIn(column: Expression<string | null>, text: string, spelling: Spelling): RawBuilder<SqlBool> {
  const hasAll = (parts: string[]) => allOf(parts.map((part) => has(column, part)))
  const found = readings(text, spelling).map((words) => allOf(words.map((ways) => anyOf(ways.map(hasAll)))))
  return found.length === 0 ? sql<SqlBool>`false` : anyOf(found)
}

/**
 * Trigrams that every folded text with these words contains, for a look-up in an index. Empty if no trigram is certain:
 * the words are too short, or their readings have no trigram in common.
 */
export function trigramsOf(text: string): string[] {
  const all = readings(text, 'folded')
  const isInEach = (trigram: string) =>
    all.every((words) => words.some((ways) => ways.every((parts) => parts.some((part) => part.includes(trigram)))))
  return [...new Set(all.flat(3).flatMap(trigramsAlong))].filter(isInEach)
}

/** The fewest trigrams that cover the word's runs of letters and digits. More would exclude hardly any other rows. */
function trigramsAlong(word: string): string[] {
  return Array.from(word.matchAll(/[\p{L}\p{N}]{3,}/gu), ([run]) => {
    const letters = Array.from(run)
    const starts = Array.from({ length: Math.floor(letters.length / 3) }, (_, at) => 3 * at)
    return [...starts, letters.length - 3].map((start) => letters.slice(start, start + 3).join(''))
  }).flat()
}

/**
 * The readings of the text: as separate words, as one phone number, or as a LOID among other words (D145). Both spellings
 * of a column hold a LOID without its dash. A word is found in one of several ways, each of which is a list of parts that
 * must all be there. A word is left out if the fold leaves nothing of it, as of a dash.
 */
function readings(text: string, spelling: Spelling): string[][][][] {
  const words = text.trim().split(/\s+/)
  const number = words.length > 1 ? phoneNumber(text) : undefined
  const wordByWord = words.map((word) => waysToFind(word, spelling)).filter((ways) => ways.length > 0)
  const whole = [number, parseLoid(text)?.replace('-', '').toLowerCase()].filter((one) => one !== undefined)
  return [...whole.map((one) => [[[one]]]), ...(wordByWord.length === 0 ? [] : [wordByWord])]
}

function waysToFind(word: string, spelling: Spelling): string[][] {
  const number = phoneNumber(word)
  const lower = word.toLowerCase()
  if (number !== undefined && lower.includes(number)) return [[number]]
  const folded = fold(word)
  const ways = folded === '' ? [] : [folded.split(' ')]
  if (spelling === 'lower case' && lower !== folded) ways.push([lower])
  if (number !== undefined) ways.push([number])
  return ways
}

/**
 * The digits to search for, without country code and leading 0. A country code alone is kept. Undefined if the text is
 * not a phone number.
 */
function phoneNumber(written: string): string | undefined {
  const text = written
    .normalize('NFKC')
    .replace(/["'‘-‟\p{Cf}]/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .trim()
  if (!/^[+(]*\d[\d\s().-]*$/.test(text)) return undefined
  const digits = phoneDigits(text)
  if (digits.length >= 2) return digits
  return text.startsWith('+') ? text.replace(/\D/g, '') : undefined
}

function has(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} like ${`%${escapeLike(text)}%`}`
}

export function allOf(conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  if (conditions.length === 0) return sql<SqlBool>`true`
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

function anyOf(conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`
}

export function oneOf(column: Expression<string | null>, values: readonly string[]): RawBuilder<SqlBool> {
  // With `=`, an index returns rows in the order of its next column.
  return values.length === 1 ? sql<SqlBool>`${column} = ${values[0]}` : sql<SqlBool>`${column} = any (${values})`
}

/**
 * The row has one of these ids. Because of the inner `select`, a named statement is planned once. With a plain `any`,
 * PostgreSQL plans the statement again whenever there are fewer than ten ids, and that takes as long as reading the
 * rows.
 */
export function idIn(ids: string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`id = any ((select ${ids}::uuid[])::uuid[])`
}

/** On this day of the zone or later (D7, D146). PostgreSQL may not know each zone that a browser knows. */
export function dayOrLater(column: Expression<string>, day: string, timezone: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} >= to_timestamp(${startOfDay(Date.parse(day), timezone) / 1_000}::float8)`
}

export function dayOrEarlier(column: Expression<string>, day: string, timezone: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} < to_timestamp(${startOfDay(Date.parse(day) + DAY_MS, timezone) / 1_000}::float8)`
}

const DAY_MS = 86_400_000

/** The instant at which a day begins in a zone. `midnight` is the beginning of the same day in UTC. */
function startOfDay(midnight: number, timeZone: string): number {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const aheadOfUtc = (instant: number) => {
    const parts = new Map(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - instant
  }
  // The clocks may change on that day. A zone in which they skip midnight begins the day an hour later.
  const candidates = [midnight - DAY_MS, midnight + DAY_MS].map((near) => midnight - aheadOfUtc(near))
  const atMidnight = candidates.filter((instant) => instant + aheadOfUtc(instant) === midnight)
  return atMidnight.length > 0 ? Math.min(...atMidnight) : Math.max(...candidates)
}

/** The column contains the text, in upper or lower case. */
export function containing(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} ilike ${`%${escapeLike(text)}%`}`
}

/** The email has signs other than those of ASCII, or capitals. Two indexes have only these emails. */
export function isUnusualEmail(column: Expression<string | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} ~ '[^!-@[-~]'`
}

export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
