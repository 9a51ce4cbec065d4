import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Deps } from '../../deps.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/database.ts'
import { TooMany } from '../errors.ts'
import type { Visitor } from './visitor.ts'

export interface RateLimit {
  /** The limit's name, which is also the prefix of its keys in the database. */
  name: string
  points: number
  seconds: number
  /** The message for a caller over the limit. */
  text: string
  /** How long a caller over the limit must wait. If absent, the caller waits until the period of `seconds` is over. */
  pauseSeconds?: number
  /**
   * Slows a caller over the limit down instead of stopping the caller: one call every ten seconds gets through (D131).
   * For limits on checks of passwords, so that nobody can lock a person out.
   */
  slows?: true
}

const SLOW_SECONDS = 10

/** The result of counting. */
export interface Counted {
  /**
   * Takes the count back after a successful try, for limits that count only failures. Each try is counted before it
   * runs, so that parallel tries cannot exceed the limit.
   */
  giveBack(): Promise<void>
}

/**
 * Counts one call against the limit for this key, and throws `TooMany` if the limit is exceeded. The answer has the
 * `RateLimit-*` headers of the limit with the fewest calls left.
 */
export type Limit = (rule: RateLimit, key: string) => Promise<Counted>

/**
 * Counts a call of somebody who may be anybody, by where it comes from: once against the limit for an IPv4 address, and
 * for IPv6 against the limit of the /64, twice the limit for the /56 and four times the limit for the /48, because some
 * providers give one customer all of a /48 (D131).
 */
export async function limitVisitor(limit: Limit, rule: RateLimit, { networks }: Pick<Visitor, 'networks'>) {
  const counted: Counted[] = []
  for (const [at, network] of networks.entries()) {
    const name = at === 0 ? rule.name : `${rule.name}-${at + 1}`
    counted.push(await limit({ ...rule, name, points: rule.points * 2 ** at }, network))
  }
  return { giveBack: async () => void (await Promise.all(counted.map((one) => one.giveBack()))) }
}

/** Calls are counted in the database, so that all processes share the limits (D14). */
export function createRateLimits(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  isOn: boolean,
): (reply: FastifyReply) => Limit {
  const storeClient = inOneTime(pool, clock)
  const limiters = new Map<string, RateLimiterPostgres>()

  function limiterOf(rule: RateLimit): RateLimiterPostgres {
    const existing = limiters.get(rule.name)
    if (existing) return existing
    const limiter = new RateLimiterPostgres({
      storeClient,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: rule.name,
      points: rule.points,
      duration: rule.seconds,
      blockDuration: rule.pauseSeconds ?? 0,
    })
    limiters.set(rule.name, limiter)
    return limiter
  }

  return (reply) =>
    async function limit(rule, key): Promise<Counted> {
      if (!isOn) return { giveBack: async () => undefined }
      const limiter = limiterOf(rule)
      const state = await consume(limiter, key)
      const counted = { giveBack: async () => void (await limiter.reward(key)) }
      const isOver = state.consumedPoints > rule.points
      if (rule.slows && state.consumedPoints >= rule.points) {
        const slow: RateLimit = { name: `${rule.name}-slow`, points: 1, seconds: SLOW_SECONDS, text: rule.text }
        // The ten seconds begin with the last call within the limit.
        if (!isOver) await consume(limiterOf(slow), key)
        else {
          await limit(slow, key)
          return counted
        }
      }
      const resetSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1_000))
      const remaining = Math.max(0, state.remainingPoints)
      const saidBefore = reply.getHeader('ratelimit-remaining')
      if (saidBefore === undefined || remaining <= Number(saidBefore)) {
        reply.header('ratelimit-limit', String(rule.points))
        reply.header('ratelimit-remaining', String(remaining))
        reply.header('ratelimit-reset', String(resetSeconds))
      }
      if (isOver) throw new TooMany(rule.text, resetSeconds)
      return counted
    }
}

/**
 * The library reads the clock of its own machine, and sends its times as numbers of milliseconds. They are moved to the
 * clock that all processes share, because a process whose clock is ahead would end everybody's periods.
 */
function inOneTime(pool: pg.Pool, clock: Clock) {
  return {
    async query({ values = [], ...statement }: pg.QueryConfig<unknown[]>) {
      const aheadMs = clock.now().getTime() - Date.now()
      const isTime = (value: unknown) => typeof value === 'number' && value > YEAR_2001_MS
      const answer = await pool.query<{ expire?: number | null }>({
        ...statement,
        values: values.map((value) => (isTime(value) ? Number(value) + aheadMs : value)),
      })
      for (const row of answer.rows) if (row.expire) row.expire -= aheadMs
      return answer
    },
  }
}

/** No count is so high. */
const YEAR_2001_MS = 1_000_000_000_000

/** Removes counts whose period is over; the library would reset them anyway. Returns how many it removed. */
export async function removeUsedUpLimits(db: Db, now: Date, rowsMax: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where key in (select key from rate_limits where expire < ${now.getTime()} limit ${rowsMax})`.execute(
    db,
  )
  return Number(numAffectedRows)
}

/** The library rejects with the limit's state if the limit is exceeded, and with an Error if the database failed. */
async function consume(limiter: RateLimiterPostgres, key: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key)
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return rejection
    throw rejection
  }
}
