import { randomInt } from 'node:crypto'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import { connectionSettings, type PoolLimits, poolSettings, READ_ONLY, RELIED_ON } from './connection.ts'
import { recordStatement } from './record-statement.ts'
import type { Tables } from './tables.ts'
import { BudgetedPool, withinBudget } from './time-budget.ts'

export type Db = Kysely<Tables>
/** The transaction in which a rule writes. The rule's caller opens the transaction. */
export type Tx = Transaction<Tables>

/** Compiles statements, and sends none. */
export const compiler = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

export interface Database {
  db: Db
  /** The same connections, for `sendNamed` and for libraries that send their own statements. */
  pool: pg.Pool
  /**
   * Rejects unless the database answers and accepts writes. If all connections of the pool are in use, a separate
   * connection is opened, because a busy pool is not a dead database.
   */
  reach(): Promise<void>
  /**
   * Closes idle connections. Called when a connection falls silent or the database does not answer in time, because all
   * open connections are then suspect.
   */
  dropIdle(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a pool, which connects at the first query. Without `limits`, statements have no deadline, because
 * migrations must not have one.
 */
export function openDatabase(url: string, onError: (error: Error) => void, limits?: PoolLimits): Database {
  const settings = limits ? poolSettings(url, limits) : connectionSettings(url)
  const pool = new BudgetedPool(settings)
  // Without listeners, a restart of PostgreSQL would end this process. The pool reports errors of idle connections
  // only. In a transaction, the next statement fails with the error.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    ...(limits?.isTraced && { log: recordStatement }),
  })
  return {
    db,
    pool,
    async reach() {
      if (!limits || pool.idleCount > 0 || pool.totalCount < limits.connectionsMax) {
        return askForWrites(pool)
      }
      const client = new pg.Client(settings)
      client.on('error', () => undefined)
      try {
        await client.connect()
        await askForWrites(client)
      } finally {
        await client.end()
      }
    },
    async dropIdle() {
      // The connection that fell silent may have been opened by a request, whose budget has nothing to do with this.
      await withinBudget(undefined, async () => {
        for (let left = pool.idleCount; left > 0 && pool.idleCount > 0; left--) (await pool.connect()).release(true)
      })
    },
    // Kysely's own `destroy` leaves the pool open if no statement went through Kysely.
    close: () => pool.end(),
  }
}

/**
 * Rejects if the server accepts no writes. Asks for the setting of the current transaction, which is right even behind
 * a pooler.
 */
export async function askForWrites(asked: pg.Pool | pg.Client): Promise<void> {
  const { rows } = await asked.query<{ transaction_read_only: string }>('show transaction_read_only')
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('The database accepts no writes')
}

/**
 * Rejects if `pool` and `direct` connect to different databases. Takes a lock through `direct` and looks for this
 * lock through `pool`.
 */
export async function refuseOtherDatabase({ pool }: Database, direct: Database): Promise<void> {
  const holder = await direct.pool.connect()
  try {
    const key = randomInt(2 ** 31)
    await holder.query('select pg_advisory_lock($1)', [key])
    const { rows } = await pool.query(
      `select 1 from pg_locks
        where locktype = 'advisory' and classid = 0 and objid = $1
          and database = (select oid from pg_database where datname = current_database())`,
      [key],
    )
    if (rows.length > 0) return
    throw new Error(
      'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases: both must name the same one, with and without the pooler',
    )
  } finally {
    holder.release(true)
  }
}

/**
 * Rejects if sessions lack settings that the portal relies on, as they can behind a pooler that ignores parameters
 * (D90). Also rejects if new tables would not go into the schema `public`, because the portal would then not see its
 * tables in `public` and would begin empty.
 */
export async function refuseOtherSettings({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ name: string; setting: string; role: string; schema: string | null }>(
    `select name, current_setting(name) as setting, quote_ident(current_user) as role, current_schema() as schema
       from unnest($1::text[]) as names (name)`,
    [RELIED_ON.map(({ name }) => name)],
  )
  for (const { name, value, serves } of RELIED_ON) {
    const [{ setting, role } = { setting: value, role: '' }] = rows.filter((row) => row.name === name)
    if (!serves.test(setting)) {
      throw new Error(
        `The sessions of the database have ${name} = ${setting}, but must have ${value}: ` +
          `run "alter role ${role} set ${name} to '${value}'" and let the pooler connect again`,
      )
    }
  }
  const [{ schema, role } = { schema: 'public', role: '' }] = rows
  if (schema !== 'public') {
    throw new Error(
      `The database's search_path leads to the schema ${schema}, but the portal's tables are in public: run "alter role ${role} set search_path to public"`,
    )
  }
}

const NETWORK_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]

/** PostgreSQL's code for a cancelled statement, which usually ran too long. */
const CANCELLED = '57014'

/** PostgreSQL's codes for a lack of connections, memory or disk space. */
const LACKS = /^53/

/**
 * True if the statement is not at fault: the database was stopped, starting, unreachable, read-only, too slow or short
 * of resources.
 */
export function isDatabaseAway(error: Error & { code?: string; severity?: string }): boolean {
  if (error instanceof pg.DatabaseError)
    return (
      error.severity === 'FATAL' || error.code === CANCELLED || error.code === READ_ONLY || LACKS.test(error.code ?? '')
    )
  // The driver's own errors have no code.
  const isDrivers =
    /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|timeout e|Query read timeout)/.test(
      error.message,
    )
  return isDrivers || NETWORK_CODES.includes(error.code ?? '')
}
