import type { KeyRight } from '@portal/contract/key-rights.ts'
import { API_CALLS_PER_MINUTE } from '@portal/contract/limits.ts'
import type { PersonRight } from '@portal/contract/person-rights.ts'
import type { Role } from '@portal/contract/roles.ts'
import type { Auth } from '@portal/contract/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Unauthorized } from '../errors.ts'
import type { Limit, RateLimit } from './rate-limit.ts'

/** The partner that makes the call. */
export interface Caller {
  id: string
  businessName: string
  submitter: Submitter
}

/** The author of the records that this call creates (D64): a person, or a system that uses the API key. */
export interface Submitter {
  /** Null for a system. */
  id: string | null
  /** The name that is shown in records and in the CRM, and sent to endpoints. */
  name: string
}

/** One of the partner's people. */
export interface SessionCaller extends Caller {
  personId: string
  role: Role
  personRights: readonly PersonRight[]
  /** Whether an owner requires a second factor of everybody and this person has not set one up. */
  mustSetUpSecondFactor: boolean
  /** The session's token as it was sent. */
  token: string
}

export interface KeyCaller extends Caller {
  /** SHA-256 of the API key. */
  keyHash: Buffer
  rights: readonly KeyRight[]
  /** The key with a name; null for the specification's one key. */
  key: { id: string; name: string } | null
}

/** The caller as the log shows it: by ids only. */
export function whoOf(caller: SessionCaller | KeyCaller | null): { partner?: string; person?: string } {
  if (!caller) return {}
  return { partner: caller.id, ...('personId' in caller && { person: caller.personId }) }
}

/** The type of caller for each `auth` setting of a route. */
export type CallerOf<Who extends Auth> = {
  none: undefined
  session: SessionCaller
  'api-key': KeyCaller
  'session-or-api-key': SessionCaller | KeyCaller
  'session-or-none': SessionCaller | undefined
}[Who]

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, so that the log names the caller even if the body is refused. */
    caller: SessionCaller | KeyCaller | null
  }
}

/** Sets the request's caller, or throws. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply, auth: Auth) => Promise<void>

/**
 * Finds the caller that a token belongs to. Features provide these functions, because this folder knows no features.
 */
export interface CallerSources {
  findSessionCaller(token: string): Promise<SessionCaller | undefined>
  findKeyCaller(key: string): Promise<KeyCaller | undefined>
  /** Whether the token has the form of an API key and not of a session's token. */
  hasKeyForm(token: string): boolean
}

const API_CALLS: RateLimit = {
  name: 'api-key',
  points: API_CALLS_PER_MINUTE,
  seconds: 60,
  text: `Too many calls with API keys: at most ${API_CALLS_PER_MINUTE} a minute.`,
}

const REFUSALS = {
  session: 'Please sign in again.',
  'api-key': 'A valid API key is needed, as Authorization: Bearer lp_…',
  'session-or-api-key': 'A valid API key or session is needed, as Authorization: Bearer …',
}

/**
 * Checks whether the bearer token is valid and of the kind that the route accepts. A session's token on a route for
 * keys, or a key on a route for sessions, is treated as unknown. An unknown token is refused with a 401 without further
 * details (D5a), or is ignored where a session is optional. On a route that accepts keys, each call with an
 * existing key counts once against the limit of the partner's keys together, even if the call fails (D14) or its caller is checked twice.
 */
export function createAuthenticate(sources: CallerSources, limiter: (reply: FastifyReply) => Limit): Authenticate {
  return async (request, reply, auth) => {
    if (auth === 'none') return
    const isCounted = request.caller !== null
    if (auth === 'session-or-none') {
      const token = bearerToken(request)
      request.caller = (token && !sources.hasKeyForm(token) && (await sources.findSessionCaller(token))) || null
      return
    }
    const token = bearerToken(request)
    if (token === undefined) throw new Unauthorized('UNAUTHORIZED', REFUSALS[auth])
    if (!sources.hasKeyForm(token)) {
      const caller = auth === 'api-key' ? undefined : await sources.findSessionCaller(token)
      if (!caller) throw new Unauthorized('UNAUTHORIZED', REFUSALS[auth])
      request.caller = caller
      return
    }
    const caller = auth === 'session' ? undefined : await sources.findKeyCaller(token)
    if (!caller) throw new Unauthorized('UNAUTHORIZED', REFUSALS[auth])
    request.caller = caller
    if (!isCounted) await limiter(reply)(API_CALLS, caller.id)
  }
}

function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer ([\w.~+/-]{1,200}=*)$/i.exec(request.headers.authorization ?? '')
  return match?.[1]
}
