import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
/** What a rule writes in: one transaction, opened by its caller. */
export type Tx = Transaction<Tables>

export interface Database {
  db: Db
  /** The same connections for statements that Kysely does not write. */
  pool: pg.Pool
  close(): Promise<void>
}

const CONNECTIONS_MAX = 16
/** A caller waits for the portal 30 seconds; a database that takes longer than this to take a connection is away. */
const CONNECT_MS_MAX = 5_000

/** Nothing is connected before the first query. */
export function openDatabase(url: string, onError: (error: Error) => void): Database {
  const pool = new pg.Pool({ ...connectionSettings(url), max: CONNECTIONS_MAX })
  // Without listeners, a restart of PostgreSQL would end this process. The pool tells of idle connections only; one in a
  // transaction tells whoever sends the next statement on it.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}

/** On every connection alike: UTC, and instants, days and numbers in the form that the portal keeps them in. */
export function connectionSettings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    // A call reads little. To divide that among processes takes 8 ms, and takes them from other calls.
    options: '-c TimeZone=UTC -c max_parallel_workers_per_gather=0',
    types: { getTypeParser },
  }
}

const NETWORK_CODES = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH']

/** Whether it was the connection that failed, not the statement: the database is stopped, starting or out of reach. */
export function isDatabaseAway(error: Error & { code?: string; severity?: string }): boolean {
  if (error instanceof pg.DatabaseError) return error.severity === 'FATAL'
  // The driver's own errors have no code.
  const isDrivers =
    /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/.test(
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
