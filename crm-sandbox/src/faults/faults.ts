import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { randomNumbers } from '../random-numbers.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { forgetTokens } from '../wire/access-tokens.ts'
import { failure, isObject, type JsonObject } from '../wire/wire.ts'

/**
 * Which calls a fault strikes: calls whose `METHOD /path` contains `match`. Of these calls, it strikes every nth
 * (`every`), or each with the probability `chance`, from 0 to 1 (the same calls for the same `seed`). Without `every`
 * and `chance`, it strikes all of them. After `times` strikes it stops; each strike lowers `times` by one.
 */
type Strikes = { times?: number; every?: number; chance?: number; seed?: number; match?: string }

const STRIKING = [
  'tooMany',
  'unavailable',
  'late',
  'resetBefore',
  'resetAfterCommit',
  'forbidden',
  'scopeMismatch',
] as const

type Striking = (typeof STRIKING)[number]

/** Deliberate faults, for tests. */
export type FaultSettings = {
  /**
   * `status`: every call answers 503, as a gateway would; `socket`: connections are closed without an answer; `address`:
   * API calls answer 403 with a page, as if the organisation did not allow the caller's address.
   */
  outage?: 'status' | 'socket' | 'address'
  tooMany?: Strikes & { retryAfterSeconds?: number }
  /** Answers 503, as a gateway would. */
  unavailable?: Strikes
  /** The call is held for this time and then carried out, even if the caller has left. */
  late?: Strikes & { ms?: number }
  /** The connection is closed before anything is done. */
  resetBefore?: Strikes
  slowMs?: number
  failEvery?: { n: number; status?: number; code?: string; match?: string }
  /** The write happens, but its answer never arrives. */
  resetAfterCommit?: Strikes
  forbidden?: Strikes
  scopeMismatch?: Strikes
  refreshTokenRevoked?: boolean
  /** The token endpoint answers Access Denied. */
  tokensDenied?: boolean
  notifications?: { drop?: number; duplicate?: number; delayMs?: number; reorder?: boolean; single?: boolean }
}

export type Faults = {
  current(): FaultSettings
  refreshTokenRevoked(): boolean
  tokensDenied(): boolean
  /** Whether the fault strikes this call. If so, the call is counted as struck. */
  strikes(name: Striking, request: FastifyRequest): boolean
  notifications(): NonNullable<FaultSettings['notifications']>
  /** Applies `change` to the settings and saves them, for example to lower `drop` by one. */
  spend(change: (settings: FaultSettings) => void): void
  replace(settings: FaultSettings): void
  /**
   * Waits before a call is served. A stopping sandbox does not wait, because calls must end before the store closes.
   */
  slowDown(request: FastifyRequest): Promise<void>
  /** Waits, unless the sandbox is stopping. */
  wait(ms: number): Promise<void>
  stop(): void
}

export function openFaults(sandbox: Sandbox): Faults {
  const stored = readSettings(sandbox.store.readSetting('faults') ?? {})
  let settings: FaultSettings = typeof stored === 'string' ? {} : stored

  const stopping = new AbortController()
  const matched = new Map<Striking, number>()
  const chances = new Map<Striking, () => number>()

  function save(next: FaultSettings) {
    sandbox.store.writeSetting('faults', next)
    settings = next
  }

  const hold = (ms: number) => wait(ms, undefined, { signal: stopping.signal }).catch(() => undefined)

  function isDue(name: Striking, { every, chance, seed }: Strikes): boolean {
    const count = (matched.get(name) ?? 0) + 1
    matched.set(name, count)
    if (every !== undefined) return count % every === 0
    if (chance === undefined) return true
    const random = chances.get(name) ?? randomNumbers(seed ?? 1)
    chances.set(name, random)
    return random() < chance
  }

  return {
    current: () => settings,
    refreshTokenRevoked: () => settings.refreshTokenRevoked === true,
    tokensDenied: () => settings.tokensDenied === true,
    strikes(name, request) {
      const fault = settings[name]
      if (!fault || fault.times === 0 || !matches(request, fault.match) || !isDue(name, fault)) return false
      if (fault.times !== undefined) save({ ...settings, [name]: { ...fault, times: fault.times - 1 } })
      return true
    },
    notifications: () => settings.notifications ?? {},
    spend(change) {
      const next = structuredClone(settings)
      change(next)
      save(next)
    },
    replace(next) {
      matched.clear()
      chances.clear()
      save(next)
    },
    async slowDown(request) {
      if (!settings.slowMs || isSpared(request)) return
      await hold(settings.slowMs)
    },
    wait: hold,
    stop: () => stopping.abort(),
  }
}

export function faultRoutes(app: FastifyInstance, sandbox: Sandbox, faults: Faults) {
  app.get('/sandbox/faults', () => faults.current())
  app.post('/sandbox/faults', (request, reply) => {
    const body = request.body ?? {}
    const settings = readSettings(body)
    if (typeof settings === 'string') return reply.code(400).send({ error: settings })
    // `tokenExpired` is an action, not a lasting fault: every token issued so far becomes invalid.
    if (isObject(body) && body['tokenExpired'] === true) forgetTokens(sandbox)
    faults.replace(settings)
    return faults.current()
  })
}

/** Strikes a call before it is served. Returns true if the call has been answered or never will be. */
export async function strikeBefore(faults: Faults, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if (isSpared(request)) return false
  const { outage } = faults.current()
  if (outage === 'socket') hangUp(request, reply)
  if (outage === 'status') await sendUnavailable(reply)
  return outage === 'socket' || outage === 'status'
}

/** Applies the faults that strike single API calls. Returns undefined if no fault strikes. */
export async function strikeCall(faults: Faults, calls: number, request: FastifyRequest, reply: FastifyReply) {
  if (isSpared(request)) return undefined
  if (faults.current().outage === 'address') {
    return reply.code(403).type('text/html').send('<html><body>Access denied</body></html>')
  }
  if (faults.strikes('tooMany', request)) {
    const seconds = faults.current().tooMany?.retryAfterSeconds
    if (seconds !== undefined) reply.header('retry-after', seconds)
    return reply.code(429).send(failure('TOO_MANY_REQUESTS', {}, 'You have exceeded the maximum number of requests'))
  }
  if (faults.strikes('unavailable', request)) return sendUnavailable(reply)
  if (faults.strikes('late', request)) await faults.wait(faults.current().late?.ms ?? 0)
  if (faults.strikes('resetBefore', request)) return hangUp(request, reply)
  if (faults.strikes('forbidden', request)) {
    const details = { permissions: ['Crm_Implied_Api_Access'] }
    return reply.code(403).send(failure('NO_PERMISSION', details, 'permission denied'))
  }
  if (faults.strikes('scopeMismatch', request)) {
    return reply.code(401).send(failure('OAUTH_SCOPE_MISMATCH', {}, 'invalid oauth scope to access this URL'))
  }
  const { failEvery } = faults.current()
  if (failEvery && calls % failEvery.n === 0 && matches(request, failEvery.match)) {
    const { status = 500, code = 'INTERNAL_ERROR' } = failEvery
    return status < 300 ? reply.code(status).send() : reply.code(status).send(failure(code, {}, 'The call is refused'))
  }
  return undefined
}

/**
 * Called before each answer is sent. Returns true if the answer belongs to a successful write and is to be lost.
 */
export function strikeAfter(faults: Faults, request: FastifyRequest, status: number): boolean {
  const isWrite = request.method !== 'GET' && !request.url.startsWith('/crm/v8/coql')
  return !isSpared(request) && isWrite && status < 400 && faults.strikes('resetAfterCommit', request)
}

function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.raw.socket.destroy()
  return reply.hijack()
}

function sendUnavailable(reply: FastifyReply): FastifyReply {
  return reply.code(503).type('text/html').send('<html><body>503 Service Temporarily Unavailable</body></html>')
}

/** Tests also use the API to act as the lender's staff. Faults must not affect these calls. */
export function isSpared(request: FastifyRequest): boolean {
  return request.headers['x-spare-faults'] !== undefined
}

function matches(request: FastifyRequest, match: string | undefined): boolean {
  return match === undefined || `${request.method} ${request.url}`.includes(match)
}

/**
 * Returns the settings, or a text that says what is wrong. A plain number means `{times}` or `{n}`. The value `true`
 * means once or always, depending on the fault.
 */
function readSettings(body: unknown): FaultSettings | string {
  if (!isObject(body)) return 'a JSON object of faults is needed'
  const settings: FaultSettings = {}
  for (const [name, value] of Object.entries(body)) {
    if (value === false || value === null) continue
    switch (name) {
      case 'outage':
        if (value !== true && value !== 'status' && value !== 'socket' && value !== 'address')
          return 'outage is "status", "socket" or "address"'
        settings.outage = value === true ? 'status' : value
        break
      case 'slowMs':
        if (!isCount(value)) return 'slowMs is a number of milliseconds'
        settings.slowMs = value
        break
      case 'failEvery': {
        const fault = isObject(value) ? value : { n: value }
        const n = fault['n']
        if (!isCount(n) || n < 1) return 'failEvery is a number or {n, status, code, match}'
        settings.failEvery = {
          n,
          ...optional(fault, 'status', isCount),
          ...optional(fault, 'code', isText),
          ...optional(fault, 'match', isText),
        }
        break
      }
      case 'refreshTokenRevoked':
      case 'tokensDenied':
        settings[name] = true
        break
      case 'tokenExpired':
        break
      case 'notifications':
        if (!isObject(value)) return 'notifications is {drop, duplicate, delayMs, reorder, single}'
        settings.notifications = {
          ...optional(value, 'drop', isCount),
          ...optional(value, 'duplicate', isCount),
          ...optional(value, 'delayMs', isCount),
          ...optional(value, 'reorder', isYesNo),
          ...optional(value, 'single', isYesNo),
        }
        break
      default: {
        const striking = STRIKING.find((one) => one === name)
        if (!striking) return `${name} is not a fault`
        const strikes = readStrikes(value)
        if (!strikes) return `${name} is a number of times or {times, every, chance, seed, match}`
        settings[striking] = strikes
      }
    }
  }
  return settings
}

/** The fault strikes once, unless the value has `times`, `every` or `chance`. */
function readStrikes(value: unknown): (Strikes & { retryAfterSeconds?: number; ms?: number }) | undefined {
  const fault: JsonObject = isObject(value) ? value : { times: value === true ? 1 : value }
  const { times, every, chance } = fault
  if (times !== undefined && !isCount(times)) return undefined
  if (every !== undefined && (!isCount(every) || every < 1)) return undefined
  if (chance !== undefined && !isChance(chance)) return undefined
  return {
    ...(every === undefined && chance === undefined ? { times: times ?? 1 } : optional(fault, 'times', isCount)),
    ...optional(fault, 'every', isCount),
    ...optional(fault, 'chance', isChance),
    ...optional(fault, 'seed', isCount),
    ...optional(fault, 'match', isText),
    ...optional(fault, 'retryAfterSeconds', isCount),
    ...optional(fault, 'ms', isCount),
  }
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

function isChance(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isYesNo(value: unknown): value is boolean {
  return typeof value === 'boolean'
}
