import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Db } from './database.ts'
import { fillAllSearch, isSearchUnfilled } from './search-columns.ts'

const FOLDER = join(import.meta.dirname, '../../../migrations')
/** The first migration of a version, such as `0041_version_0_3`. */
const BEGINS_VERSION = /^\d+_version_/
/** The first line of a migration whose statements run outside a transaction begins with this. */
const CONCURRENTLY = '-- concurrently: '
const BUILDER_ASKS_MS = 200

/**
 * Migrates the database to this version, but leaves a database of the next version unchanged (D93). Processes that
 * start together wait for one another, because the migrator takes a lock. If `upTo` is given, the migration with this
 * name is the last to run, which gives an older schema. Otherwise the rows of versions before 0.3.0 get what a search
 * reads. Returns the names of the migrations that ran meanwhile.
 */
export async function migrate(db: Db, upTo?: string): Promise<string[]> {
  const known = await findMigrated(db)
  // Most starts have nothing to migrate, but the migrator would read every column of every table to find that out.
  if (upTo !== undefined || !isDeepStrictEqual(known, await findOwnMigrations())) await runAll(db, upTo)
  if (upTo === undefined) await fillAllSearch(db)
  return (await findMigrated(db)).filter((name) => !known.includes(name))
}

async function runAll(db: Db, upTo: string | undefined): Promise<void> {
  for (const { name, before, statements } of await findConcurrent(db, upTo)) {
    await runMigrations(db, before)
    await buildConcurrently(db, name, statements)
  }
  await runMigrations(db, upTo)
}

async function runMigrations(db: Db, upTo: string | undefined): Promise<void> {
  const provider = { getMigrations: async () => withNewer(await readMigrations(), await findMigrated(db)) }
  const migrator = new Migrator({ db, provider })
  const { error, results } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')
  const what = failed ? `Migration ${failed.migrationName} failed` : 'The database cannot be brought up to date'
  const why = error instanceof Error ? error.message : 'no reason given'
  throw new Error(`${what}: ${why}`, { cause: error })
}

/** Rejects unless the database is of this version or the next one. Changes nothing. */
export async function requireMigrated(db: Db): Promise<void> {
  const own = await readMigrations()
  const migrated = await findMigrated(db)
  const missing = Object.keys(own).find((name) => !migrated.includes(name))
  if (missing)
    throw new Error(`The database lacks migration ${missing}: run npm run portal -- migrate, or set MIGRATE=on`)
  withNewer(own, migrated)
  if (await isSearchUnfilled(db))
    throw new Error('A search would not find all leads and deals yet: run npm run portal -- migrate, or set MIGRATE=on')
}

/**
 * Adds empty migrations for the next version's migrations that have already run, so that the migrator does not report
 * them as missing.
 */
function withNewer(own: Record<string, Migration>, migrated: string[]): Record<string, Migration> {
  const last = Object.keys(own).at(-1) ?? ''
  const newer = migrated.filter((name) => name > last)
  const [, beyond] = newer.filter((name) => BEGINS_VERSION.test(name))
  if (beyond) {
    throw new Error(
      `The database is two versions newer than this portal (${last}, then ${beyond}): start a newer portal`,
    )
  }
  return { ...own, ...Object.fromEntries(newer.map((name) => [name, { up: async () => undefined }])) }
}

/** The names of the migrations that have run, in order. The list is empty for an empty database. */
async function findMigrated(db: Db): Promise<string[]> {
  const tables = await sql<{ there: string | null }>`select to_regclass('kysely_migration') as there`.execute(db)
  if (!tables.rows[0]?.there) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** The names of this version's migrations, in order. */
export async function findOwnMigrations(): Promise<string[]> {
  const files = await readdir(FOLDER)
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''))
    .sort()
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const migrations = (await findOwnMigrations()).map(async (name) => {
    const text = await readMigration(name)
    const up = async (db: Db) => {
      // The statements of a concurrent migration have already run.
      if (!text.startsWith(CONCURRENTLY)) await sql.raw(text).execute(db)
    }
    return [name, { up }] as const
  })
  return Object.fromEntries(await Promise.all(migrations))
}

function readMigration(name: string): Promise<string> {
  return readFile(join(FOLDER, `${name}.sql`), 'utf8')
}

interface ConcurrentMigration {
  name: string
  /** The migration before it. */
  before: string | undefined
  statements: string[]
}

/** The concurrent migrations that have not run yet, in order. */
async function findConcurrent(db: Db, upTo: string | undefined): Promise<ConcurrentMigration[]> {
  const own = await findOwnMigrations()
  const migrated = await findMigrated(db)
  const found = own.map(async (name, place) => {
    const isDue = !migrated.includes(name) && (upTo === undefined || name <= upTo)
    const text = isDue ? await readMigration(name) : ''
    if (!text.startsWith(CONCURRENTLY)) return []
    const statements = text.replace(/^--.*$/gm, '').split(';')
    return [{ name, before: own[place - 1], statements: statements.map((one) => one.trim()).filter(Boolean) }]
  })
  return (await Promise.all(found)).flat()
}

/**
 * Runs each statement on its own, so that no table is locked while an index on it is built. A process that was killed
 * leaves an index that PostgreSQL calls invalid, which is dropped and built again. Of processes that start together, one
 * builds. The others ask again and again, because a statement that waits would keep PostgreSQL from finishing the index.
 */
async function buildConcurrently(db: Db, migration: string, statements: string[]): Promise<void> {
  // An empty database is filled by a restore in a transaction, where nothing can be built concurrently.
  if (db.isTransaction) {
    for (const statement of statements) await sql.raw(statement.replace(/ concurrently /, ' ')).execute(db)
    return
  }
  await db.connection().execute(async (session) => {
    const isBuilder = async () => {
      const lock = sql<{ taken: boolean }>`select pg_try_advisory_lock(hashtext(${migration})) as taken`
      return (await lock.execute(session)).rows[0]?.taken
    }
    while (!(await isBuilder())) await sleep(BUILDER_ASKS_MS)
    try {
      for (const statement of statements) await runUnlessBuilt(session, statement)
    } finally {
      await sql`select pg_advisory_unlock(hashtext(${migration}))`.execute(session)
    }
  })
}

async function runUnlessBuilt(session: Db, statement: string): Promise<void> {
  const [, name] = /^create (?:unique )?index concurrently (\w+) /.exec(statement) ?? []
  if (name !== undefined) {
    const { rows } = await sql<{ is_valid: boolean }>`
      select indisvalid as is_valid from pg_index where indexrelid = to_regclass(${name})`.execute(session)
    if (rows[0]?.is_valid) return
    if (rows[0]) await sql`drop index concurrently ${sql.id(name)}`.execute(session)
  }
  await sql.raw(statement).execute(session)
}
