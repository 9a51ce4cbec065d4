import { randomUUID } from 'node:crypto'

/**
 * A UUID of version 7: the first 48 bits are the time, so that rows of one time lie together in an index. Ids made one
 * after the other for the same millisecond ascend, so that what is written in order is read in order. Made here because
 * PostgreSQL has its own only from version 18 on.
 */
export function newId(now: Date = new Date()): string {
  // Node draws the bytes of many of these at once. Drawing them one by one is what would take long.
  const random = randomUUID()
  const ms = now.getTime()
  // The twelve bits after the time count within it, from a random start in their lower half.
  const count = ms === last.ms ? last.count + 1 : Number.parseInt(random.slice(0, 3), 16) & 0x07ff
  last = { ms, count }
  const time = hex(ms, 12)
  // The rest is as in a random id.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count & 0x0fff, 3)}${random.slice(18)}`
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** The least id of version 7 that could be made at this time: all earlier ids are less. */
export function firstIdAt(time: Date): string {
  const ms = hex(time.getTime(), 12)
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`
}

const YEAR_9999_MS = Date.UTC(9999, 11, 31)

/** When an id of version 7 was made, to the millisecond. Of any other id, some time. */
export function timeOfId(id: string): string {
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  return new Date(Math.min(ms, YEAR_9999_MS)).toISOString()
}

let last = { ms: -1, count: 0 }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether PostgreSQL would take the text as a uuid; anything else must not reach a query (D8: it is a 404). */
export function isId(text: string): boolean {
  return UUID.test(text)
}
