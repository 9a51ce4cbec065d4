import { phoneDigits } from '@portal/contract/phone.ts'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Every word of the text occurs somewhere in the column, which holds lower case and phone numbers as bare digits (D24).
 * A text that is a phone number is one word, so that its spaces and its +61 or 0 do not matter.
 */
export function everyWordIn(column: Expression<string>, text: string): RawBuilder<SqlBool> {
  const conditions = searchWords(text).map((word) => sql<SqlBool>`${column} like ${`%${escapeLike(word)}%`}`)
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
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

function searchWords(text: string): string[] {
  const whole = text.trim()
  if (isPhone(whole)) return [phoneDigits(whole)]
  return whole
    .toLowerCase()
    .split(/\s+/)
    .map((word) => (isPhone(word) ? phoneDigits(word) : word))
}

/** Looks like a phone number and is more than a country code. */
function isPhone(text: string): boolean {
  return /^[+\d][\d\s()-]*$/.test(text) && phoneDigits(text).length >= 3
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
