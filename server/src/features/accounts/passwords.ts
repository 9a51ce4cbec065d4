import { hash, verify } from '@node-rs/argon2'
import { PASSWORD_COMMON, PASSWORD_TOO_SHORT } from '@portal/contract/accounts.ts'
import { PASSWORD_LENGTH_MIN } from '@portal/contract/limits.ts'
import { Invalid } from '../../errors.ts'

/** OWASP's parameters for argon2id, which is the library's own algorithm. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const COMMON_PASSWORDS = 10_000

export function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON2)
}

/** Throws WEAK_PASSWORD instead where it is one. */
export async function hashNewPassword(password: string, field: string): Promise<string> {
  await refuseWeakPassword(password, field)
  return hashPassword(password)
}

export function isPassword(password: string, passwordHash: string): Promise<boolean> {
  return verify(passwordHash, password)
}

let nobodysHash: Promise<string> | undefined

/** Takes as long as a real check, so that time does not tell whether an address is known (D11). */
export async function pretendToCheck(password: string): Promise<void> {
  nobodysHash ??= hashPassword('nobody has this password')
  await isPassword(password, await nobodysHash)
}

let commonPasswords: Promise<Set<string>> | undefined

/** Throws WEAK_PASSWORD for one too short or among the 10,000 most common (D10). `field` is the form's name for it. */
export async function refuseWeakPassword(password: string, field: string): Promise<void> {
  if (password.length < PASSWORD_LENGTH_MIN) throw weak(PASSWORD_TOO_SHORT, field)
  // The list takes 50 ms to read, which the start of the portal need not wait for.
  commonPasswords ??= readCommonPasswords()
  if ((await commonPasswords).has(password.toLowerCase())) throw weak(PASSWORD_COMMON, field)
}

async function readCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].slice(0, COMMON_PASSWORDS))
}

function weak(text: string, field: string): Invalid {
  return new Invalid('WEAK_PASSWORD', text, { [field]: text })
}
