import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forgetTokens } from './oauth.ts'
import type { Sandbox } from './sandbox-context.ts'
import { failure, isObject, type JsonObject } from './wire.ts'

/**
 * What goes wrong on purpose, for tests. Each part that counts goes down to nothing as it strikes. `match` limits a fault to calls whose
 * `METHOD /path` contains it.
 */
export type FaultSettings = {
  /** `status`: every call answers 503, as a gateway would; `socket`: connections are closed without an answer. */
  outage?: 'status' | 'socket'
  tooMany?: { times: number; retryAfterSeconds?: number; match?: string }
  slowMs?: number
  failEvery?: { n: number; status?: number; match?: string }
  /** The write happens, its answer never arrives. */
  resetAfterCommit?: { times: number; match?: string }
  forbidden?: { times: number; match?: string }
  scopeMismatch?: { times: number; match?: string }
  refreshTokenRevoked?: boolean
  notifications?: { drop?: number; duplicate?: number; delayMs?: number; reorder?: boolean }
}

export type Faults = {
  current(): FaultSettings
  refreshTokenRevoked(): boolean
  notifications(): NonNullable<FaultSettings['notifications']>
  /** Counts one down and saves it. */
  spend(change: (settings: FaultSettings) => void): void
  replace(settings: FaultSettings): void
}

export function openFaults(sandbox: Sandbox): Faults {
  const stored = readSettings(sandbox.store.readSetting('faults') ?? {})
  let settings: FaultSettings = typeof stored === 'string' ? {} : stored

  function save(next: FaultSettings) {
    sandbox.store.writeSetting('faults', next)
    settings = next
  }

  return {
    current: () => settings,
    refreshTokenRevoked: () => settings.refreshTokenRevoked === true,
    notifications: () => settings.notifications ?? {},
    spend(change) {
      const next = structuredClone(settings)
      change(next)
      save(next)
    },
    replace: save,
  }
}

export function faultRoutes(app: FastifyInstance, sandbox: Sandbox, faults: Faults) {
  app.get('/sandbox/faults', () => faults.current())
  app.post('/sandbox/faults', (request, reply) => {
    const body = request.body ?? {}
    const settings = readSettings(body)
    if (typeof settings === 'string') return reply.code(400).send({ error: settings })
    // Not a state but a moment: every token issued so far ends now.
    if (isObject(body) && body['tokenExpired'] === true) forgetTokens(sandbox)
    faults.replace(settings)
    return faults.current()
  })
}

/** Strikes a call before it is served. True when it has been answered, or never will be. */
export async function strikeBefore(faults: Faults, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const { outage } = faults.current()
  if (outage === 'socket') {
    reply.hijack()
    request.raw.socket.destroy()
    return true
  }
  if (outage === 'status') {
    await reply.code(503).type('text/html').send('<html><body>503 Service Temporarily Unavailable</body></html>')
    return true
  }
  return false
}

export async function slowDown(faults: Faults) {
  const { slowMs } = faults.current()
  if (slowMs) await wait(slowMs)
}

/** Strikes an API call: the answers Zoho itself gives when it refuses or fails. */
export async function strikeCall(faults: Faults, calls: number, request: FastifyRequest, reply: FastifyReply) {
  const { tooMany, forbidden, scopeMismatch, failEvery } = faults.current()
  if (tooMany && tooMany.times > 0 && matches(request, tooMany.match)) {
    faults.spend((next) => next.tooMany && next.tooMany.times--)
    if (tooMany.retryAfterSeconds !== undefined) reply.header('retry-after', tooMany.retryAfterSeconds)
    return reply.code(429).send(failure('TOO_MANY_REQUESTS', {}, 'You have exceeded the maximum number of requests'))
  }
  if (forbidden && forbidden.times > 0 && matches(request, forbidden.match)) {
    faults.spend((next) => next.forbidden && next.forbidden.times--)
    const details = { permissions: ['Crm_Implied_Api_Access'] }
    return reply.code(403).send(failure('NO_PERMISSION', details, 'permission denied'))
  }
  if (scopeMismatch && scopeMismatch.times > 0 && matches(request, scopeMismatch.match)) {
    faults.spend((next) => next.scopeMismatch && next.scopeMismatch.times--)
    return reply.code(401).send(failure('OAUTH_SCOPE_MISMATCH', {}, 'invalid oauth scope to access this URL'))
  }
  if (failEvery && calls % failEvery.n === 0 && matches(request, failEvery.match)) {
    return reply.code(failEvery.status ?? 500).send(failure('INTERNAL_ERROR', {}, 'Internal Server Error'))
  }
  return undefined
}

/** After a write was committed: true when its answer is to be lost. */
export function strikeAfter(faults: Faults, request: FastifyRequest, status: number): boolean {
  const fault = faults.current().resetAfterCommit
  if (!fault || fault.times <= 0 || request.method === 'GET' || status >= 400) return false
  if (!matches(request, fault.match)) return false
  faults.spend((next) => next.resetAfterCommit && next.resetAfterCommit.times--)
  return true
}

function matches(request: FastifyRequest, match: string | undefined): boolean {
  return match === undefined || `${request.method} ${request.url}`.includes(match)
}

/** The settings, or what is wrong with them. A plain number stands for `{times}` or `{n}`, and true for once or always. */
function readSettings(body: unknown): FaultSettings | string {
  if (!isObject(body)) return 'a JSON object of faults is needed'
  const settings: FaultSettings = {}
  for (const [name, value] of Object.entries(body)) {
    if (value === false || value === null) continue
    switch (name) {
      case 'outage':
        if (value !== true && value !== 'status' && value !== 'socket') return 'outage is "status" or "socket"'
        settings.outage = value === 'socket' ? 'socket' : 'status'
        break
      case 'slowMs':
        if (!isCount(value)) return 'slowMs is a number of milliseconds'
        settings.slowMs = value
        break
      case 'tooMany':
      case 'resetAfterCommit':
      case 'forbidden':
      case 'scopeMismatch': {
        const counted = readCounted(value)
        if (!counted) return `${name} is a number of times or {times, match}`
        settings[name] = counted
        break
      }
      case 'failEvery': {
        const fault = isObject(value) ? value : { n: value }
        const n = fault['n']
        if (!isCount(n) || n < 1) return 'failEvery is a number or {n, status, match}'
        settings.failEvery = { n, ...optional(fault, 'status', isCount), ...optional(fault, 'match', isText) }
        break
      }
      case 'refreshTokenRevoked':
        settings.refreshTokenRevoked = true
        break
      case 'tokenExpired':
        break
      case 'notifications':
        if (!isObject(value)) return 'notifications is {drop, duplicate, delayMs, reorder}'
        settings.notifications = {
          ...optional(value, 'drop', isCount),
          ...optional(value, 'duplicate', isCount),
          ...optional(value, 'delayMs', isCount),
          ...optional(value, 'reorder', isYesNo),
        }
        break
      default:
        return `${name} is not a fault`
    }
  }
  return settings
}

function readCounted(value: unknown): { times: number; match?: string; retryAfterSeconds?: number } | undefined {
  const fault: JsonObject = isObject(value) ? value : { times: value === true ? 1 : value }
  const times = fault['times'] ?? 1
  if (!isCount(times)) return undefined
  return { times, ...optional(fault, 'match', isText), ...optional(fault, 'retryAfterSeconds', isCount) }
}

function optional<Name extends string, T>(
  from: JsonObject,
  name: Name,
  is: (value: unknown) => value is T,
): { [key in Name]?: T } {
  const value = from[name]
  const found: { [key in Name]?: T } = {}
  if (is(value)) found[name] = value
  return found
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isYesNo(value: unknown): value is boolean {
  return typeof value === 'boolean'
}
