import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'lp_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 32
/** Six characters hold a CRC-32, because 62 to the power of 6 is more than 2 to the power of 32. */
const CHECKSUM_LENGTH = 6
const PREVIEW_LENGTH = 8
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

const ANYWHERE = new RegExp(`${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`, 'g')

/** Makes a key: `lp_`, 32 random characters of base62 (190 bits), and their CRC-32 in six characters (D39). */
export function newApiKey(): string {
  // randomInt gives every character the same chance. A random byte modulo 62 would not.
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
  return PREFIX + secret + checksumOf(secret)
}

/**
 * Whether a text has the form of a key, with a right or wrong checksum. A session's token may begin with the same
 * letters by chance, but is two characters longer.
 */
export function hasKeyForm(token: string): boolean {
  return FORM.test(token)
}

/**
 * Whether a text has the form and the checksum of a key. This needs no database, so a scanner for leaked keys can make
 * the same check.
 */
export function isWellFormedKey(token: string): boolean {
  const [, secret = '', checksum] = FORM.exec(token) ?? []
  return checksum === checksumOf(secret)
}

/** The first characters of a key. Pages and logs may show them. */
export function keyPreview(key: string): string {
  return `${key.slice(0, PREVIEW_LENGTH)}...`
}

/** Shortens every key in a text to its preview, for logs and stored requests. */
export function withoutKeys(text: string): string {
  return text.replace(ANYWHERE, keyPreview)
}

/** Only this hash and the preview of a key are stored. Keys are random, so a slow hash is not needed. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** The CRC-32 in base62, with the most significant character first. */
function checksumOf(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
