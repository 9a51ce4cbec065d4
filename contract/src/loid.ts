import * as z from 'zod/mini'

/** LOIDs are `LO-` and eight characters of Crockford base32 (D17). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 8
const PATTERN = /^LO-?([0-9A-HJKMNP-TV-Z]{8})$/

/** The LOID a person meant, in its one written form, or null: lower case and a missing dash are understood. */
export function parseLoid(text: string): string | null {
  const match = PATTERN.exec(text.trim().toUpperCase())
  return match ? `LO-${match[1]}` : null
}

/** Eight random bytes make a LOID; five bits of each count. */
export function loidFromBytes(bytes: Uint8Array): string {
  const characters = Array.from(bytes.subarray(0, LENGTH), (byte) => ALPHABET.charAt(byte & 31))
  return `LO-${characters.join('')}`
}

export const Loid = z.string().register(z.globalRegistry, { pattern: '^LO-[0-9A-HJKMNP-TV-Z]{8}$' })
