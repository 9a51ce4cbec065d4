import { randomBytes } from 'node:crypto'
import { hashPassword, isPassword } from '../passwords.ts'
import { plainCode } from './plain-code.ts'

const CODES = 10
const CODE_LENGTH = 10
/** Crockford's base32: digits and letters, without the letters that look like digits and without u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export interface RecoveryCodes {
  /** The codes as people write them down. */
  codes: string[]
  hashes: string[]
}

/**
 * Makes ten codes of 50 random bits each. Do not call this within a transaction, because making the codes takes as long
 * as ten password hashes.
 */
export async function newRecoveryCodes(): Promise<RecoveryCodes> {
  const codes = Array.from({ length: CODES }, newCode)
  const hashes = await Promise.all(codes.map((code) => hashPassword(plain(code))))
  return { codes, hashes }
}

/**
 * Finds the stored hash that matches the typed code. Case, dashes and spaces do not matter, `o` counts as 0, and `i`
 * and `l` count as 1.
 */
export async function findRecoveryCode(hashes: readonly string[], typed: string): Promise<string | undefined> {
  const code = plain(typed)
  if (code.length !== CODE_LENGTH) return undefined
  for (const hash of hashes) if (await isPassword(code, hash)) return hash
  return undefined
}

function newCode(): string {
  // There are 32 characters, so each takes five bits of its byte.
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`
}

function plain(code: string): string {
  return plainCode(code).toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')
}
