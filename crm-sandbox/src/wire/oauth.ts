import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Faults } from '../faults/faults.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { isAlive, issueToken, isThrottled } from './access-tokens.ts'
import { neededScopes, SCOPES } from './scopes.ts'
import { ApiError, isObject, type Query } from './wire.ts'

const SECRET = 'sandbox'

/** The token endpoint. Zoho answers most errors with status 200, so only the body shows an error. */
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

/** Refuses a call unless its access token is known, is still valid, and has the scopes that the call needs. */
export function authenticate(sandbox: Sandbox, request: FastifyRequest) {
  const header = request.headers.authorization
  if (header === undefined || header.trim() === '') {
    throw new ApiError(401, 'AUTHENTICATION_FAILURE', {}, 'Authentication failed')
  }
  const token = /^Zoho-oauthtoken (\S+)$/.exec(header)?.[1]
  if (!token || !isAlive(sandbox, token)) throw new ApiError(401, 'INVALID_TOKEN', {}, 'invalid oauth token')
  const { scopesMissing } = sandbox.behaviour()
  if (neededScopes(request).some((scope) => scopesMissing.includes(scope))) {
    throw new ApiError(401, 'OAUTH_SCOPE_MISMATCH', {}, 'invalid oauth scope to access this URL')
  }
}
