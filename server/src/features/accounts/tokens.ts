import { createHash, createHmac, randomBytes } from 'node:crypto'

/** Makes 256 random bits as text, for a header or a link. */
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
 * Makes the token that replaces an old one. Equal arguments give the same token. Nobody can make the token from the
 * database alone, because the database has the seed but not the old token.
 */
export function successorOf(token: string, seed: Buffer): string {
  return createHmac('sha256', seed).update(token).digest('base64url')
}
