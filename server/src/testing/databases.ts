import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../platform/db/database.ts'

export const TEMPLATE = 'portal_template'
/** How long a connection may take to end. */
const END_MS_MAX = 10_000

export interface TestDatabase {
  url: string
  /** Ends every connection and refuses new connections until the work is done. */
  away(work: () => Promise<void>): Promise<void>
}

/** Creates a migrated database for this test. It is removed together with the cluster, which takes no extra time. */
export async function createDatabase(): Promise<TestDatabase> {
  const postgresUrl = inject('postgresUrl')
  const name = `portal_${randomBytes(6).toString('hex')}`
  await runOn(postgresUrl, `create database ${name} template ${TEMPLATE} strategy file_copy`)
  return {
    url: databaseUrlFor(postgresUrl, name),
    async away(work) {
      await runOn(postgresUrl, `alter database ${name} allow_connections false`)
      const connections = `select pid from pg_stat_activity where datname = '${name}'`
      await runOn(postgresUrl, `select pg_terminate_backend(pid, ${END_MS_MAX}) from (${connections}) connections`)
      try {
        await work()
      } finally {
        await runOn(postgresUrl, `alter database ${name} allow_connections true`)
      }
    },
  }
}

export function databaseUrlFor(postgresUrl: string, name: string): string {
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}

/** One pool for all test files of a worker, because a connection takes as long as copying a database. */
let server: Database | undefined

async function runOn(url: string, statement: string): Promise<void> {
  server ??= openDatabase(url, () => undefined)
  await server.pool.query(statement)
}
