import { mkdir } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import type { Logger } from 'pino'
import type { Deps } from '../deps.ts'
import { createSecurityStore } from '../features/security-log/store-security.ts'
import type { Clock } from '../platform/clock.ts'
import type { Settings } from '../platform/config.ts'
import { openDatabase } from '../platform/db/database.ts'
import { openDatabaseClock } from '../platform/db/database-clock.ts'
import { migrate, requireMigrated } from '../platform/db/migrate.ts'
import { openSecrets, readSecretsKeys } from '../platform/db/secrets.ts'
import { type NoteSecurity, noteSecurity } from '../platform/http/security-events.ts'
import { joinCrmServer, joinDatabaseServer } from '../platform/local/local-servers.ts'
import type { Parts } from '../process/portal.ts'

/** The parts that a command works with. Each is opened when first needed, so listing partners starts no CRM. */
export interface Workplace {
  /** Prints one or more lines for the operator. */
  say(text: string): void
  /** Prints lines beside an output that another program reads. */
  sayBeside(text: string): void
  /** Standard input and output as bytes. */
  input: Readable
  output: Writable
  /** Writes an event into the partner's security log, and one line about it to standard error. */
  security: NoteSecurity
  database(): Promise<Pick<Deps, 'db' | 'pool' | 'secrets' | 'clock'>>
  /** Migrates the database, and makes the schema and queues for background jobs. Returns the migrations that ran. */
  migrate(): Promise<string[]>
  /** The address at which the database is reached without a pooler. The database can be empty. */
  directUrl(): Promise<string>
  /** Makes the schema of the job queue, without any queue. */
  makeJobSchema(): Promise<void>
  parts(): Promise<Parts>
  /** Opens the same parts as `parts`, and runs background jobs as another process of the portal does. */
  workingParts(): Promise<Parts>
  /** Closes the opened parts in reverse order. Can be called twice. */
  close(): Promise<void>
}

const STOP_MS_MAX = 10_000

/**
 * Uses the database and CRM that the settings name, or those of a portal that runs with the same settings. Starts what
 * is missing, and stops it when the command ends.
 */
export function openWorkplace(
  config: Settings,
  log: Logger,
  speech: Pick<Workplace, 'say' | 'sayBeside' | 'input' | 'output'>,
): Workplace {
  const stops: (() => Promise<void>)[] = []
  let clock: Clock = { now: () => new Date() }

  async function databaseUrl(): Promise<string> {
    // The folder gets the same mode as at the portal's own start.
    if (!config.databaseUrl) await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
    const server = await joinDatabaseServer(config, log)
    stops.push(server.stop)
    return server.url
  }

  const directUrl = async () => config.databaseDirectUrl ?? (await databaseUrl())

  async function parts(): Promise<Parts> {
    const url = await databaseUrl()
    const crm = await joinCrmServer(config, log)
    stops.push(crm.stop)
    // Loaded only when needed, so that a list of partners appears at once.
    const { openParts } = await import('../process/portal.ts')
    const opened = await openParts({ config, databaseUrl: url, crm, log })
    clock = opened.deps.clock
    stops.push(opened.close)
    return opened
  }

  // Security events are logged at the level `info`, although a command otherwise logs only problems.
  const noted = {
    log: log.child({}, { level: 'info' }),
    store: createSecurityStore({ clock: { now: () => clock.now() } }),
  }

  return {
    ...speech,
    security: (db, event, facts) => noteSecurity(noted, db, event, { ...facts }),
    async database() {
      const { db, pool, close } = openDatabase(await directUrl(), (error) =>
        log.warn({ err: error }, 'connection lost'),
      )
      stops.push(close)
      await (config.migratesAtStart ? migrate : requireMigrated)(db)
      const databaseClock = await openDatabaseClock(pool, log)
      stops.push(async () => databaseClock.stop())
      clock = databaseClock
      return { db, pool, secrets: openSecrets(await readSecretsKeys(config)), clock }
    },
    directUrl,
    async makeJobSchema() {
      const { openJobQueue } = await import('../platform/jobs/job-queue.ts')
      const queue = openJobQueue(await directUrl(), log, config.databaseTimeoutMs, false)
      await queue.makeQueues([])
      await queue.stop(STOP_MS_MAX)
    },
    async migrate() {
      const { migrateApart } = await import('../process/portal.ts')
      return migrateApart(await directUrl(), config, log)
    },
    parts,
    async workingParts() {
      const opened = await parts()
      const { BACKGROUND_JOBS } = await import('../process/background-jobs.ts')
      stops.push(() => opened.worker.stop(STOP_MS_MAX))
      await opened.worker.start(BACKGROUND_JOBS, opened.jobDeps)
      return opened
    },
    async close() {
      for (const stop of stops.splice(0).reverse()) await stop()
    },
  }
}
