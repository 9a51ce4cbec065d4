import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'lp_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 32
/** 62 to the sixth is more than 2 to the 32nd. */
const CHECKSUM_LENGTH = 6
const PREVIEW_LENGTH = 8
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

const ANYWHERE = new RegExp(`${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`, 'g')

/** `lp_`, 32 random characters of base62 (190 bits), and six of the CRC-32 over them (D39). */
export function newApiKey(): string {
  // randomInt gives every character the same chance. The remainder of a byte by 62 would not.
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
  return PREFIX + secret + checksumOf(secret)
}

/**
 * Whether a text looks like a key, valid or not. A session's token may begin with the same letters by chance, but is
 * two characters longer.
 */
export function hasKeyForm(token: string): boolean {
  return FORM.test(token)
}

/** Whether a key could be one of ours. This needs no database, so a scanner for leaked keys can do the same. */
export function isWellFormedKey(token: string): boolean {
  const [, secret = '', checksum] = FORM.exec(token) ?? []
  return checksum === checksumOf(secret)
}

/** The part of a key that anybody may see. */
export function keyPreview(key: string): string {
  return `${key.slice(0, PREVIEW_LENGTH)}...`
}

/** The text with every key shortened to its preview, for logs and records. */
export function withoutKeys(text: string): string {
  return text.replace(ANYWHERE, keyPreview)
}

/** Only this hash of a key is stored. Keys are random, so a slow hash is not needed. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Base62, the most significant character first. */
function checksumOf(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
