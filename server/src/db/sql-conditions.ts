import { phoneDigits } from '@portal/contract/phone.ts'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * The condition that the column contains every word of the text. The column holds text in lower case and phone numbers
 * as bare digits (D24). If the whole text or a word looks like a phone number, its digits are also searched for, so
 * that spaces, +61 and a leading 0 do not matter. A business name with `24-7` is still found.
 */
export function everyWordIn(column: Expression<string>, text: string): RawBuilder<SqlBool> {
  return anyOf(
    readings(text).map((words) =>
      allOf(words.map((spellings) => anyOf(spellings.map((spelling) => has(column, spelling))))),
    ),
  )
}

/**
 * Trigrams that every text with these words contains, for a look-up in an index. Empty if no trigram is certain: the
 * words are too short or not in Latin letters or digits, or their readings have no trigram in common.
 */
export function trigramsOf(text: string): string[] {
  const ways = readings(text)
  const isInEach = (trigram: string) =>
    ways.every((words) => words.some((spellings) => spellings.every((spelling) => spelling.includes(trigram))))
  const written = ways.flatMap((words) => words.flat())
  return [...new Set(written.flatMap(trigramsAlong))].filter(isInEach)
}

/**
 * The fewest trigrams that cover the word's runs of Latin letters and digits. More trigrams would exclude hardly any
 * other rows.
 */
function trigramsAlong(word: string): string[] {
  return Array.from(word.matchAll(/[a-z0-9]{3,}/g), ([run]) => [...(run.match(/.{3}/g) ?? []), run.slice(-3)]).flat()
}

/** The readings of the text: as separate words, or as one phone number. Each word is a list of its spellings. */
function readings(text: string): string[][][] {
  const whole = text.trim().toLowerCase()
  const words = whole.split(/\s+/)
  const number = words.length > 1 ? phoneNumber(whole) : undefined
  const wordByWord = words.map(spellings)
  return number === undefined ? [wordByWord] : [[[number]], wordByWord]
}

function spellings(word: string): string[] {
  const number = phoneNumber(word)
  if (number === undefined) return [word]
  return word.includes(number) ? [number] : [word, number]
}

/**
 * The digits to search for, without country code and leading 0. A country code alone is kept. Undefined if the text is
 * not a phone number.
 */
function phoneNumber(text: string): string | undefined {
  if (!/^[+(]*\d[\d\s().-]*$/.test(text)) return undefined
  const digits = phoneDigits(text)
  if (digits.length >= 2) return digits
  return text.startsWith('+') ? text.replace(/\D/g, '') : undefined
}

function has(column: Expression<string>, text: string): RawBuilder<SqlBool> {
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

/** Created on this day or later. Days are in the portal's time zone (D7), here and in `createdUntil`. */
export function createdFrom(column: Expression<string>, day: string, timezone: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} >= (${day}::date)::timestamp at time zone ${timezone}`
}

export function createdUntil(column: Expression<string>, day: string, timezone: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} < (${day}::date + 1)::timestamp at time zone ${timezone}`
}

/** The column contains the text, in upper or lower case. */
export function containing(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} ilike ${`%${escapeLike(text)}%`}`
}

export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
