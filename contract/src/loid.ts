import * as z from 'zod/mini'

/** A LOID is `LO-` and eight characters of Crockford base32 (D17). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 8
const PATTERN = /^LO-?([0-9A-HJKMNP-TV-Z]{8})$/

/**
 * The LOID that a person typed, in its standard form. Lower case and a missing dash are accepted. Null if the text is
 * not a LOID.
 */
export function parseLoid(text: string): string | null {
  const match = PATTERN.exec(text.trim().toUpperCase())
  return match ? `LO-${match[1]}` : null
}

/** Makes a LOID from eight random bytes. Five bits of each byte are used. */
export function loidFromBytes(bytes: Uint8Array): string {
  const characters = Array.from(bytes.subarray(0, LENGTH), (byte) => ALPHABET.charAt(byte & 31))
  return `LO-${characters.join('')}`
}

export const Loid = z.string().register(z.globalRegistry, { pattern: '^LO-[0-9A-HJKMNP-TV-Z]{8}$' })
