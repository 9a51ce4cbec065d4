import { createHash, randomBytes } from 'node:crypto'
import type { Sandbox } from '../sandbox-context.ts'
import { number } from '../store.ts'

const THROTTLE_TOKENS = 10
const BLOCKED_UNTIL = 'tokensBlockedUntil'
const THROTTLE_WINDOW_MS = 10 * 60_000

/**
 * Whether the client has asked for too many tokens and must wait. A request during the wait restarts the wait, as users
 * of Zoho report.
 */
export function isThrottled(sandbox: Sandbox, now: number): boolean {
  const { tokenThrottle, tokenBlockSeconds } = sandbox.behaviour()
  if (!tokenThrottle) return false
  const blockedUntil = sandbox.store.readSetting(BLOCKED_UNTIL)
  const isBlocked = typeof blockedUntil === 'number' && now < blockedUntil
  if (!isBlocked && tokensIssuedSince(sandbox, now - THROTTLE_WINDOW_MS) < THROTTLE_TOKENS) return false
  sandbox.store.writeSetting(BLOCKED_UNTIL, now + tokenBlockSeconds * 1_000)
  return true
}

/** Resets the throttle. Tokens that are still valid no longer count towards it. */
export function forgetThrottle(sandbox: Sandbox) {
  sandbox.store.run('UPDATE access_tokens SET issued_ms = 0')
  sandbox.store.writeSetting(BLOCKED_UNTIL, 0)
}

export function issueToken(sandbox: Sandbox, now: number): string {
  const token = `1000.${randomBytes(16).toString('hex')}.${randomBytes(16).toString('hex')}`
  sandbox.store.transaction(() => {
    const keepFrom = now - THROTTLE_WINDOW_MS
    sandbox.store.run('DELETE FROM access_tokens WHERE expires_ms <= ? AND issued_ms < ?', now, keepFrom)
    sandbox.store.run(
      'INSERT INTO access_tokens (hash, issued_ms, expires_ms) VALUES (?, ?, ?)',
      hash(token),
      now,
      now + sandbox.behaviour().tokenLifetimeSeconds * 1_000,
    )
  })
  return token
}

/** Whether the token was issued here and has not expired. */
export function isAlive(sandbox: Sandbox, token: string): boolean {
  const row = sandbox.store.get('SELECT expires_ms FROM access_tokens WHERE hash = ?', hash(token))
  return row !== undefined && number(row['expires_ms']) > sandbox.now()
}

/** Makes every token issued so far invalid. */
export function forgetTokens(sandbox: Sandbox) {
  sandbox.store.run('UPDATE access_tokens SET expires_ms = 0')
}

function tokensIssuedSince(sandbox: Sandbox, since: number): number {
  return number(sandbox.store.get('SELECT count(*) AS n FROM access_tokens WHERE issued_ms > ?', since)?.['n'])
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
