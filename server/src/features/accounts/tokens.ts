import { createHash, createHmac, randomBytes } from 'node:crypto'

/** 256 random bits as text, for a header or an address. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Only this hash of a token is stored (D12, D13). Tokens are random, so a slow hash is not needed. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export function newTokenSeed(): Buffer {
  return randomBytes(32)
}

/**
 * Equal arguments give the same token. Making it takes the seed, which is in the database, and the old token, which is
 * not.
 */
export function successorOf(token: string, seed: Buffer): string {
  return createHmac('sha256', seed).update(token).digest('base64url')
}
