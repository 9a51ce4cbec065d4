import { randomFillSync } from 'node:crypto'

/**
 * A UUID of version 7: the first 48 bits are the time, so that rows of one time lie together in an index. Ids made one
 * after the other for the same millisecond ascend, so that what is written in order is read in order. Made here because
 * PostgreSQL has its own only from version 18 on.
 */
export function newId(now: Date = new Date()): string {
  const bytes = randomFillSync(Buffer.alloc(16))
  const ms = now.getTime()
  // The twelve bits after the time count within it, from a random start in their lower half.
  const count = ms === last.ms ? last.count + 1 : bytes.readUInt16BE(6) & 0x07ff
  last = { ms, count }
  bytes.writeUIntBE(ms, 0, 6)
  bytes.writeUInt16BE(0x7000 | (count & 0x0fff), 6)
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The least id of version 7 that could be made at this time: all that were made before are less. */
export function firstIdAt(time: Date): string {
  const ms = time.getTime().toString(16).padStart(12, '0')
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
