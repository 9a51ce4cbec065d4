import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { openDatabase } from '../db/database.ts'

export const TEMPLATE = 'portal_template'

/** A fresh, migrated database of the test's own. Dropped by `drop`. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const postgresUrl = inject('postgresUrl')
  const name = `portal_${randomBytes(6).toString('hex')}`
  await runOn(postgresUrl, `create database ${name} template ${TEMPLATE}`)
  return {
    url: databaseUrlFor(postgresUrl, name),
    drop: () => runOn(postgresUrl, `drop database ${name} with (force)`),
  }
}

export function databaseUrlFor(postgresUrl: string, name: string): string {
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}

async function runOn(url: string, statement: string): Promise<void> {
  const { pool, close } = openDatabase(url, () => undefined)
  try {
    await pool.query(statement)
  } finally {
    await close()
  }
}
