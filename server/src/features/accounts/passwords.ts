import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { PASSWORD_COMMON, PASSWORD_TOO_SHORT } from '@portal/contract/account-forms.ts'
import { PASSWORD_LENGTH_MIN } from '@portal/contract/limits.ts'
import { Invalid } from '../../platform/errors.ts'
import { createWorkQueue } from '../../platform/work-queue.ts'
import { findPasswordFault, type PasswordOwner } from './judge-password.ts'

/** OWASP's parameters for argon2id, which is the library's default algorithm. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * The queue for hashing. If there are several cores, it leaves one of them for other requests (D53). Known browsers go
 * first, because strangers must not keep them waiting (D131).
 */
const inLine = createWorkQueue({ atOnce: Math.max(1, availableParallelism() - 1), waitMsMax: 10_000 })

export function hashPassword(password: string): Promise<string> {
  return inLine(() => hash(normal(password), ARGON2))
}

/** Hashes a new password. Throws WEAK_PASSWORD if it is weak. `field` is the password's name in the form. */
export async function hashNewPassword(password: string, field: string, owner: PasswordOwner): Promise<string> {
  await refuseWeakPassword(password, field, owner)
  return hashPassword(password)
}

/**
 * Whether the password belongs to the hash. Also tries the password as it was typed, because older hashes were made
 * without normalisation. With `goesFirst`, the check overtakes those of strangers.
 */
export async function isPassword(password: string, passwordHash: string, goesFirst = false): Promise<boolean> {
  const spellings = new Set([normal(password), password])
  for (const spelling of spellings) {
    if (await inLine(() => verify(passwordHash, spelling), goesFirst)) return true
  }
  return false
}

let nobodysHash: string | undefined

/** Takes as long as a real check, so that the duration does not reveal whether an address is known (D11). */
export async function pretendToCheck(password: string): Promise<void> {
  nobodysHash ??= await hashPassword('nobody has this password')
  await isPassword(password, nobodysHash)
}

/**
 * Throws WEAK_PASSWORD for a password that is too short or easily guessed, and says why (D131). `field` is the
 * password's name in the form.
 */
export async function refuseWeakPassword(password: string, field: string, owner: PasswordOwner): Promise<void> {
  if (normal(password).length < PASSWORD_LENGTH_MIN) throw weak(PASSWORD_TOO_SHORT, field)
  const fault = await findPasswordFault(normal(password), owner)
  if (fault !== undefined) throw weak(`${PASSWORD_COMMON} ${fault}`, field)
}

/** Normalises a password, because some keyboards type é as one character and others as two. */
function normal(password: string): string {
  return password.normalize('NFKC')
}

function weak(text: string, field: string): Invalid {
  return new Invalid('WEAK_PASSWORD', text, { [field]: text })
}
