import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Db } from './database.ts'

const FOLDER = join(import.meta.dirname, '../../migrations')

/** Brings the database forward. Processes that start together wait for one another (the migrator takes a lock). */
export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')
  const what = failed ? `Migration ${failed.migrationName} failed` : 'The database cannot be brought up to date'
  const why = error instanceof Error ? error.message : 'no reason given'
  throw new Error(`${what}: ${why}`, { cause: error })
}

async function getMigrations() {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort()
  const migrations = files.map(async (file) => {
    const text = await readFile(join(FOLDER, file), 'utf8')
    return [file.replace(/\.sql$/, ''), { up: async (db: Db) => void (await sql.raw(text).execute(db)) }] as const
  })
  return Object.fromEntries(await Promise.all(migrations))
}
