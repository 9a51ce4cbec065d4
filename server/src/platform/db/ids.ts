import { randomUUID } from 'node:crypto'

const COUNT_MAX = 0x0fff

/**
 * A UUID of version 7. Its first 48 bits are the time, so that rows of the same time are close together in an index.
 * Ids made in sequence for the same millisecond ascend, so that rows are read in the order in which they were written.
 * After a few thousand of them, the time in the id runs a millisecond ahead. The portal makes the ids itself, because
 * PostgreSQL can make them only from version 18 on.
 */
export function newId(now: Date = new Date()): string {
  // Node draws the random bytes of many ids at once, which is faster than drawing them for each id.
  const random = randomUUID()
  last = next(now.getTime(), random)
  const time = hex(last.ms, 12)
  // The twelve bits after the time are the count, and the remaining bits are random.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(last.count, 3)}${random.slice(18)}`
}

/** Counts ids within the millisecond, from a random start in the lower half of the range. */
function next(asked: number, random: string): typeof last {
  if (asked !== last.asked) return { asked, ms: asked, count: Number.parseInt(random.slice(0, 3), 16) & 0x07ff }
  if (last.count < COUNT_MAX) return { ...last, count: last.count + 1 }
  return { asked, ms: last.ms + 1, count: 0 }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** The lowest possible id of version 7 at this time; all earlier ids are lower. */
export function firstIdAt(time: Date): string {
  const ms = hex(time.getTime(), 12)
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`
}

const YEAR_9999_MS = Date.UTC(9999, 11, 31)

/** When an id of version 7 was made, to the millisecond. For any other id, the result is meaningless. */
export function timeOfId(id: string): string {
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  return new Date(Math.min(ms, YEAR_9999_MS)).toISOString()
}

/** The newest id: the time that was asked for, the time in the id, and its count within that millisecond. */
let last = { asked: -1, ms: -1, count: 0 }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Whether PostgreSQL accepts the text as a uuid. Any other text must not be sent to PostgreSQL; the route answers 404
 * (D8).
 */
export function isId(text: string): boolean {
  return UUID.test(text)
}
