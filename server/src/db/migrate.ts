import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Db } from './database.ts'

const FOLDER = join(import.meta.dirname, '../../migrations')
/** The first migration of a version, such as `0041_version_0_3`. */
const BEGINS_VERSION = /^\d+_version_/

/**
 * Migrates the database to this version, but leaves a database of the next version unchanged (D93). Processes that
 * start together wait for one another, because the migrator takes a lock. `upTo` names the last migration to run, to
 * get an older schema.
 */
export async function migrate(db: Db, upTo?: string): Promise<void> {
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
  const { rows } = await sql`select to_regclass('kysely_migration') as there`.execute(db)
  const isEmpty = !rows.some((row) => typeof row === 'object' && row !== null && 'there' in row && row.there !== null)
  const migrated = isEmpty ? [] : await findMigrated(db)
  const missing = Object.keys(own).find((name) => !migrated.includes(name))
  if (missing)
    throw new Error(`The database lacks migration ${missing}: run npm run portal -- migrate, or set MIGRATE=on`)
  withNewer(own, migrated)
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

async function findMigrated(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** The names of this version's migrations, in order. */
export async function findOwnMigrations(): Promise<string[]> {
  return Object.keys(await readMigrations())
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort()
  const migrations = files.map(async (file) => {
    const text = await readFile(join(FOLDER, file), 'utf8')
    return [file.replace(/\.sql$/, ''), { up: async (db: Db) => void (await sql.raw(text).execute(db)) }] as const
  })
  return Object.fromEntries(await Promise.all(migrations))
}
