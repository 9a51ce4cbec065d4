import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import type { Deps } from '../deps.ts'
import { openDatabase } from '../platform/db/database.ts'
import { migrate } from '../platform/db/migrate.ts'
import { openJobQueue } from '../platform/jobs/job-queue.ts'
import { startEmbeddedPostgres } from '../platform/local/embedded-postgres.ts'
import { BACKGROUND_JOBS } from '../process/background-jobs.ts'
import { databaseUrlFor, TEMPLATE } from './databases.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server on which tests make databases of their own. */
    postgresUrl: string
    /** The folder for files that tests leave behind. It is removed at the end. */
    testFolder: string
  }
}

/** Starts one PostgreSQL for all test files, with a migrated database that tests copy. */
// oxlint-disable-next-line import/no-default-export -- what Vitest looks for
export default async function setUp(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'portal-test-'))
  // Vitest tears nothing down when it is stopped.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const silent = { debug: () => undefined, warn: () => undefined }
  // The tests' data need not survive a power failure, and no test runs long enough to need a vacuum. Autovacuum would
  // visit each of the hundred databases once a minute.
  const settings = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '300' }
  const postgres = await startEmbeddedPostgres(folder, { log: silent, settings })
  await makeTemplate(postgres.url)
  project.provide('postgresUrl', postgres.url)
  project.provide('testFolder', folder)
  return () => postgres.stop()
}

async function makeTemplate(postgresUrl: string): Promise<void> {
  const { pool, close } = openDatabase(postgresUrl, () => undefined)
  await pool.query(`create database ${TEMPLATE}`)
  await close()

  const url = databaseUrlFor(postgresUrl, TEMPLATE)
  const log = pino({ level: 'silent' })
  const template = openDatabase(url, () => undefined)
  await migrate(template.db)
  await template.close()
  // The template includes the queues, which take the longest to make. There is no job, so the missing dependencies are
  // never used.
  const queue = openJobQueue(url, log, 60_000)
  await queue.start(BACKGROUND_JOBS, { log } as Deps)
  await queue.stop(1_000)
}
