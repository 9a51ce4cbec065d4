import { createHash, createHmac, randomBytes } from 'node:crypto'

/** 256 random bits, as text for a header or an address. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Tokens are stored as this alone (D12, D13): their randomness makes a slow hash needless. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export function newTokenSeed(): Buffer {
  return randomBytes(32)
}

/**
 * Equal arguments give the same token. Making it needs both the seed, which the database holds, and the old token,
 * which it does not.
 */
export function successorOf(token: string, seed: Buffer): string {
  return createHmac('sha256', seed).update(token).digest('base64url')
}
