import { randomFillSync } from 'node:crypto'

/**
 * A UUID of version 7: the first 48 bits are the time, so that rows of one time lie together in an index. Made here
 * because PostgreSQL has its own only from version 18 on.
 */
export function newId(now: Date = new Date()): string {
  const bytes = randomFillSync(Buffer.alloc(16))
  bytes.writeUIntBE(now.getTime(), 0, 6)
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f)
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether PostgreSQL would take the text as a uuid; anything else must not reach a query (D8: it is a 404). */
export function isId(text: string): boolean {
  return UUID.test(text)
}
