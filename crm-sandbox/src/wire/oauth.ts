import { createHash, randomBytes } from 'node:crypto'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Faults } from '../faults/faults.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { number } from '../store.ts'
import { neededScopes, SCOPES } from './scopes.ts'
import { ApiError, isObject, type Query } from './wire.ts'

const SECRET = 'sandbox'
const THROTTLE_TOKENS = 10
const BLOCKED_UNTIL = 'tokensBlockedUntil'
const THROTTLE_WINDOW_MS = 10 * 60_000

/** The token endpoint. Zoho answers most of its errors with 200, so the body alone tells. */
export async function oauthRoutes(app: FastifyInstance, sandbox: Sandbox, faults: Faults) {
  await app.register(formbody)
  await app.register(multipart, { attachFieldsToBody: 'keyValues', limits: { fields: 20, files: 0 } })

  app.post<{ Querystring: Query }>('/oauth/v2/token', (request, reply) => {
    const body = isObject(request.body) ? request.body : {}
    const read = (name: string): string | undefined => {
      const value = body[name] ?? request.query[name]
      return typeof value === 'string' ? value : undefined
    }
    return answerToken(sandbox, faults, read, reply)
  })
}

function answerToken(
  sandbox: Sandbox,
  faults: Faults,
  read: (name: string) => string | undefined,
  reply: FastifyReply,
) {
  if (read('client_id') !== SECRET) return { error: 'invalid_client' }
  if (read('client_secret') !== SECRET) return { error: 'invalid_client_secret' }
  if (read('grant_type') !== 'refresh_token') return { error: 'unsupported_grant_type' }
  if (read('refresh_token') !== SECRET || faults.refreshTokenRevoked()) return { error: 'invalid_code' }

  const behaviour = sandbox.behaviour()
  const now = sandbox.now()
  if (faults.tokensDenied() || isThrottled(sandbox, now)) {
    return reply.code(Number(behaviour.tokenThrottleStatus)).send({
      error_description: 'You have made too many requests continuously. Please try again after some time.',
      error: 'Access Denied',
      status: 'failure',
    })
  }
  return {
    access_token: issueToken(sandbox, now),
    ...(behaviour.tokenShowsScope
      ? { scope: SCOPES.filter((scope) => !behaviour.scopesMissing.includes(scope)).join(' ') }
      : {}),
    api_domain: sandbox.baseUrl(),
    token_type: 'Bearer',
    expires_in: behaviour.tokenLifetimeSeconds,
  }
}

/** Asking while blocked starts the wait again, as users report of Zoho. */
function isThrottled(sandbox: Sandbox, now: number): boolean {
  const { tokenThrottle, tokenBlockSeconds } = sandbox.behaviour()
  if (!tokenThrottle) return false
  const blockedUntil = sandbox.store.readSetting(BLOCKED_UNTIL)
  const isBlocked = typeof blockedUntil === 'number' && now < blockedUntil
  if (!isBlocked && tokensIssuedSince(sandbox, now - THROTTLE_WINDOW_MS) < THROTTLE_TOKENS) return false
  sandbox.store.writeSetting(BLOCKED_UNTIL, now + tokenBlockSeconds * 1_000)
  return true
}

/** Tokens that still live no longer count against the throttle. */
export function forgetThrottle(sandbox: Sandbox) {
  sandbox.store.run('UPDATE access_tokens SET issued_ms = 0')
  sandbox.store.writeSetting(BLOCKED_UNTIL, 0)
}

/** Lets a call pass whose access token is known, alive and of the scopes that the call needs. */
export function authenticate(sandbox: Sandbox, request: FastifyRequest) {
  const header = request.headers.authorization
  if (header === undefined || header.trim() === '') {
    throw new ApiError(401, 'AUTHENTICATION_FAILURE', {}, 'Authentication failed')
  }
  const token = /^Zoho-oauthtoken (\S+)$/.exec(header)?.[1]
  const row = token && sandbox.store.get('SELECT expires_ms FROM access_tokens WHERE hash = ?', hash(token))
  if (!row || number(row['expires_ms']) <= sandbox.now()) {
    throw new ApiError(401, 'INVALID_TOKEN', {}, 'invalid oauth token')
  }
  const { scopesMissing } = sandbox.behaviour()
  if (neededScopes(request).some((scope) => scopesMissing.includes(scope))) {
    throw new ApiError(401, 'OAUTH_SCOPE_MISMATCH', {}, 'invalid oauth scope to access this URL')
  }
}

export function forgetTokens(sandbox: Sandbox) {
  sandbox.store.run('UPDATE access_tokens SET expires_ms = 0')
}

function issueToken(sandbox: Sandbox, now: number): string {
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

function tokensIssuedSince(sandbox: Sandbox, since: number): number {
  return number(sandbox.store.get('SELECT count(*) AS n FROM access_tokens WHERE issued_ms > ?', since)?.['n'])
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
