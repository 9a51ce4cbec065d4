import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { ApiError, isObject } from './wire.ts'

const DAY_MS = 24 * 3_600_000
const RECENT_CALLS_KEPT = 500

type Call = { method: string; path: string; status: number; credits: number; ms: number; at: string }

export type Limits = {
  /**
   * Counts a new call, and returns the call's number. Refuses the call with 429 if too many calls run at once or the
   * credits are used up.
   */
  begin(request: FastifyRequest, reply: FastifyReply): number
  /** Counts a call that ends. Does nothing if the call has already ended. */
  end(request: FastifyRequest, status: number, ms: number): void
  /** Counts a call of the token endpoint, which costs no credits. */
  countTokenCall(): void
  clear(): void
}

/**
 * Zoho's limits on the credits used in a rolling day and on the calls that run at once. Every start of the sandbox
 * resets the counts.
 */
export function openLimits(sandbox: Sandbox) {
  const spentByMinute = new Map<number, number>()
  const countByKind = new Map<string, number>()
  const countByStatus = new Map<string, number>()
  const running = new Map<FastifyRequest, { heavy: boolean }>()
  let recent: Call[] = []
  let total = 0
  let tokenCalls = 0

  function creditsUsed(): number {
    const since = Math.floor((sandbox.now() - DAY_MS) / 60_000)
    let used = 0
    for (const [minute, credits] of spentByMinute) {
      if (minute <= since) spentByMinute.delete(minute)
      else used += credits
    }
    return used
  }

  const limits: Limits = {
    begin(request, reply) {
      total++
      const behaviour = sandbox.behaviour()
      const heavy = isHeavy(request)
      running.set(request, { heavy })
      const heavyCount = [...running.values()].filter((one) => one.heavy).length
      if (running.size > behaviour.concurrentCallsMax || (heavy && heavyCount > behaviour.subConcurrentCallsMax)) {
        throw new ApiError(429, 'TOO_MANY_REQUESTS', {}, 'Too many requests are being processed at once')
      }
      const left = behaviour.creditsPerDay - creditsUsed()
      if (left <= 0)
        throw new ApiError(429, 'TOO_MANY_REQUESTS', {}, 'The API credits of the last 24 hours are used up')
      // Zoho shows the remaining credits only after half of the day's credits are used.
      if (left * 2 <= behaviour.creditsPerDay) reply.header('x-api-credits-remaining', left)
      return total
    },

    end(request, status, ms) {
      if (!running.delete(request)) return
      const isFree = status === 401 || status === 429 || (status >= 400 && !sandbox.behaviour().errorsCostCredits)
      const credits = isFree ? 0 : creditsOf(request)
      const minute = Math.floor(sandbox.now() / 60_000)
      spentByMinute.set(minute, (spentByMinute.get(minute) ?? 0) + credits)
      const kind = `${request.method} ${kindOf(request)}`
      countByKind.set(kind, (countByKind.get(kind) ?? 0) + 1)
      countByStatus.set(String(status), (countByStatus.get(String(status)) ?? 0) + 1)
      const call = { method: request.method, path: request.url, status, credits, ms, at: new Date().toISOString() }
      recent = [...recent.slice(1 - RECENT_CALLS_KEPT), call]
    },

    countTokenCall() {
      tokenCalls++
    },

    clear() {
      spentByMinute.clear()
      countByKind.clear()
      countByStatus.clear()
      recent = []
      total = 0
      tokenCalls = 0
    },
  }

  function routes(app: FastifyInstance) {
    app.get('/sandbox/calls', () => ({
      total,
      token_calls: tokenCalls,
      credits_used: creditsUsed(),
      credits_remaining: Math.max(0, sandbox.behaviour().creditsPerDay - creditsUsed()),
      by_kind: Object.fromEntries([...countByKind].sort()),
      by_status: Object.fromEntries([...countByStatus].sort()),
      recent,
    }))
    app.delete('/sandbox/calls', (_request, reply) => {
      limits.clear()
      return reply.code(204).send()
    })
  }

  return { limits, routes }
}

function kindOf(request: FastifyRequest): string {
  const path = request.url.split('?')[0] ?? ''
  return path.replace(/\/\d{15,20}(?=\/|$)/g, '/{id}')
}

function isHeavy(request: FastifyRequest): boolean {
  const path = request.url
  if (/\/(search|coql)\b|\/actions\/convert\b/.test(path)) return true
  if (request.method === 'GET') return /[?&](sort_by|cvid)=/.test(path)
  return itemCount(request) > 10
}

function creditsOf(request: FastifyRequest): number {
  const path = request.url
  if (/\/actions\/convert\b/.test(path)) return 5
  if (/\/actions\/count\b/.test(path)) return 50
  if (/\/coql\b/.test(path)) return coqlCredits(request.body)
  if (request.method === 'GET') return /\/deleted\b/.test(path) ? 2 : /[?&]cvid=/.test(path) ? 3 : 1
  return Math.max(1, Math.ceil(itemCount(request) / 10))
}

function coqlCredits(body: unknown): number {
  const query = isObject(body) ? String(body['select_query']) : ''
  const match = /\blimit\s+(?:(\d+)\s*,\s*)?(\d+)/i.exec(query)
  const limit = match ? Number(match[2]) : 200
  return limit <= 200 ? 1 : limit <= 1_000 ? 2 : 3
}

function itemCount(request: FastifyRequest): number {
  const items = isObject(request.body) ? request.body['data'] : undefined
  return Array.isArray(items) ? items.length : 1
}
