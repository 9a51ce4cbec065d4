import { phoneDigits } from '@portal/contract/phone.ts'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Every word of the text occurs somewhere in the column, which holds lower case and phone numbers as bare digits (D24).
 * What looks like a phone number, the whole text or one word, is also looked for by its digits, so that its spaces and
 * its +61 or 0 do not matter; `24-7` in a business name is found all the same.
 */
export function everyWordIn(column: Expression<string>, text: string): RawBuilder<SqlBool> {
  const whole = text.trim().toLowerCase()
  const words = whole.split(/\s+/)
  const wordByWord = allOf(words.map((word) => anyOf(spellings(word).map((spelling) => has(column, spelling)))))
  const number = words.length > 1 ? phoneNumber(whole) : undefined
  return number === undefined ? wordByWord : anyOf([has(column, number), wordByWord])
}

function spellings(word: string): string[] {
  const number = phoneNumber(word)
  if (number === undefined) return [word]
  return word.includes(number) ? [number] : [word, number]
}

/** The digits to look for, without country code and trunk 0; a country code alone is looked for as it is. */
function phoneNumber(text: string): string | undefined {
  if (!/^[+(]*\d[\d\s().-]*$/.test(text)) return undefined
  const digits = phoneDigits(text)
  if (digits.length >= 2) return digits
  return text.startsWith('+') ? text.replace(/\D/g, '') : undefined
}

function has(column: Expression<string>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} like ${`%${escapeLike(text)}%`}`
}

function allOf(conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

function anyOf(conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`
}

/** Whole days in the portal's time zone, both inclusive (D7). */
export function createdFrom(column: Expression<string>, day: string, timezone: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} >= (${day}::date)::timestamp at time zone ${timezone}`
}

export function createdUntil(column: Expression<string>, day: string, timezone: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} < (${day}::date + 1)::timestamp at time zone ${timezone}`
}

/** Contains the text, whatever the case. */
export function containing(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} ilike ${`%${escapeLike(text)}%`}`
}

export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
