import { Socket } from 'node:net'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
/** What a rule writes in: one transaction, opened by its caller. */
export type Tx = Transaction<Tables>

export interface Database {
  db: Db
  /** The same connections, for `sendNamed` and for libraries that send statements of their own. */
  pool: pg.Pool
  /**
   * Rejects unless the database answers. Where every connection of the pool is at work, it is busy and not dead: a connection
   * of its own asks.
   */
  reach(): Promise<void>
  /** Closes idle connections. If one fell silent, the others that were open at the time are suspect. */
  dropIdle(): Promise<void>
  close(): Promise<void>
}

export interface PoolLimits {
  connectionsMax: number
  /** Milliseconds that one statement may take, and that a transaction may do nothing. */
  statementMsMax: number
  /** Called when a connection was destroyed because nothing came over it any more. */
  onSilence?: () => void
}

/** A caller waits for the portal 30 seconds; a database that takes longer than this to take a connection is away. */
const CONNECT_MS_MAX = 5_000
/** Balancers and firewalls forget connections that are quiet for minutes. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
/** Time for PostgreSQL to say that it cancelled a statement. */
const LAST_WORDS_MS = 1_000

/** Nothing is connected before the first query. Without limits a statement may take as long as it needs: for migrations. */
export function openDatabase(url: string, onError: (error: Error) => void, limits?: PoolLimits): Database {
  const pool = new pg.Pool({ ...connectionSettings(url), ...(limits && poolSettings(url, limits)) })
  // Without listeners, a restart of PostgreSQL would end this process. The pool reports errors of idle connections only; in
  // a transaction, the next statement fails with the error.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    pool,
    async reach() {
      if (!limits || pool.idleCount > 0 || pool.totalCount < limits.connectionsMax) {
        await pool.query('select 1')
        return
      }
      const client = new pg.Client({ ...connectionSettings(url), ...poolSettings(url, limits) })
      client.on('error', () => undefined)
      try {
        await client.connect()
        await client.query('select 1')
      } finally {
        await client.end()
      }
    },
    async dropIdle() {
      for (let left = pool.idleCount; left > 0 && pool.idleCount > 0; left--) (await pool.connect()).release(true)
    },
    close: () => db.destroy(),
  }
}

/** On every connection alike: UTC, and instants, days and numbers in the form that the portal keeps them in. */
export function connectionSettings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    ...KEEP_ALIVE,
    // A call reads little. Parallel workers would take 8 ms to start, and take them from other calls.
    options: '-c TimeZone=UTC -c max_parallel_workers_per_gather=0',
    types: { getTypeParser },
  }
}

/**
 * PostgreSQL cancels what takes too long. If it does not answer at all, the connection is destroyed (D91): a late answer
 * would be taken for that of the next statement.
 */
export function poolSettings(url: string, limits: PoolLimits): pg.PoolConfig {
  const { connectionsMax, statementMsMax, onSilence } = limits
  return {
    connectionString: url,
    ...KEEP_ALIVE,
    max: connectionsMax,
    connectionTimeoutMillis: Math.min(CONNECT_MS_MAX, statementMsMax),
    statement_timeout: statementMsMax,
    idle_in_transaction_session_timeout: statementMsMax,
    // Idle connections are closed before they count as silent.
    idleTimeoutMillis: statementMsMax,
    stream: () => mortalSocket(statementMsMax + LAST_WORDS_MS, onSilence),
  }
}

/** Destroys itself after a time without a byte in either direction. */
function mortalSocket(silenceMsMax: number, onSilence?: () => void): Socket {
  const socket = new Socket()
  return socket.setTimeout(silenceMsMax, () => {
    socket.destroy(Object.assign(new Error('The database fell silent'), { code: 'ETIMEDOUT' }))
    onSilence?.()
  })
}

const NETWORK_CODES = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH']

/** PostgreSQL's code for a statement that ran too long. */
const CANCELLED = '57014'

/** True if the database was stopped, starting, out of reach or too slow, so that the statement is not at fault. */
export function isDatabaseAway(error: Error & { code?: string; severity?: string }): boolean {
  if (error instanceof pg.DatabaseError) return error.severity === 'FATAL' || error.code === CANCELLED
  // The driver's own errors have no code.
  const isDrivers =
    /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|timeout e|Query read timeout)/.test(
      error.message,
    )
  return isDrivers || NETWORK_CODES.includes(error.code ?? '')
}

const { builtins } = pg.types

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (format === 'binary') return pg.types.getTypeParser(oid, 'binary')
  if (oid === builtins.TIMESTAMPTZ) return instant
  if (oid === builtins.DATE) return String
  if (oid === builtins.NUMERIC || oid === builtins.INT8) return Number
  return pg.types.getTypeParser(oid, 'text')
}

/**
 * `2026-03-01 10:00:00.5+00` as `2026-03-01T10:00:00.500Z`. Columns hold three decimals at most and the connection's
 * time zone is UTC, so cutting text is enough; it takes a third of the time that making a Date takes.
 */
function instant(text: string): string {
  const fraction = text.slice(20, -3).padEnd(3, '0').slice(0, 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`
}
