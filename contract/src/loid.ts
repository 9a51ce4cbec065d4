import * as z from 'zod/mini'
import { cleanCode } from './clean-text.ts'

/** A LOID is `LO-` and eight characters of Crockford base32 (D17). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 8

const DASH = /[\p{Pd}\u2212]/gu
/** Crockford base32 reads I and L as 1, and O as 0. It has no U. */
const WRITTEN = /(?<![\p{L}\p{N}])[L1I][O0][ -]*((?:[0-9A-TV-Z][ -]?){7}[0-9A-TV-Z])(?![\p{L}\p{N}])/u

/**
 * Finds the LOID in a text, however people write, paste or say it (D145): in any case, with any dash or blank or none,
 * among other words, and with signs that look alike. The result has the standard form. Null if there is no LOID.
 */
export function parseLoid(text: string): string | null {
  const plain = cleanCode(text).normalize('NFKC').replace(DASH, '-').replace(/\s/g, ' ').toUpperCase()
  const [, code] = WRITTEN.exec(plain) ?? []
  if (code === undefined) return null
  return `LO-${code.replace(/[ -]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0')}`
}

/** Makes a LOID from eight random bytes. Five bits of each byte are used. */
export function loidFromBytes(bytes: Uint8Array): string {
  const characters = Array.from(bytes.subarray(0, LENGTH), (byte) => ALPHABET.charAt(byte & 31))
  return `LO-${characters.join('')}`
}

export const Loid = z.string().register(z.globalRegistry, { pattern: '^LO-[0-9A-HJKMNP-TV-Z]{8}$' })
