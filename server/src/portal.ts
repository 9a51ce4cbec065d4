import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { BACKGROUND_JOBS } from './background-jobs.ts'
import type { Clock } from './clock.ts'
import type { Settings, ZohoSettings } from './config.ts'
import { openDatabase } from './db/database.ts'
import { openHotReads } from './db/hot-reads.ts'
import { migrate } from './db/migrate.ts'
import type { Deps } from './deps.ts'
import { startDispatcher } from './features/webhooks/dispatcher.ts'
import { readStatusMeanings } from './history/status-meanings.ts'
import { openJobQueue, type Worker } from './jobs/job-queue.ts'
import { openMailer } from './mail/mail.ts'
import { openCrm } from './zoho/crm.ts'
import { DEFAULT_FIELD_MAP, parseFieldMap } from './zoho/field-map.ts'

/** What every process of the portal has: the migrated database, the CRM, mail, and the jobs, which do not run yet. */
export interface Parts {
  deps: Deps
  /** The same for what runs in the background, with connections of its own: neither starves the other (D90). */
  jobDeps: Deps
  worker: Worker
  /** Rejects unless the database answers through every pool within the time. */
  reachDatabase(msMax: number): Promise<void>
  close(): Promise<void>
}

export interface Portal {
  deps: Deps
  /** Where it listens. */
  url: string
  /** Resolves when everything that the start does is done, or the portal was closed before that. */
  started: Promise<void>
  /** Requests in flight and running jobs get ten seconds; what they do not finish is handed back (D4). */
  close(): Promise<void>
}

interface PartsSettings {
  config: Settings
  databaseUrl: string
  crm: { mode: 'sandbox' | 'zoho'; settings: ZohoSettings }
  clock: Clock
  log: Logger
}

interface PortalSettings extends PartsSettings {
  /** Whether the clock asks for the jobs that have a schedule; tests ask for them themselves. */
  hasSchedules: boolean
  /** What the portal does before it is ready. Runs again when it failed. */
  prepare?: ((deps: Deps) => Promise<void>) | undefined
}

const STOP_MS_MAX = 10_000
/** An endpoint may take longer to answer; its delivery is then made again. */
const DELIVERIES_STOP_MS_MAX = 3_000
const TRY_AGAIN_MS = 1_000

/** The caller chooses the database and the CRM. */
export async function openParts({ config, databaseUrl, crm, clock, log }: PartsSettings): Promise<Parts> {
  const mapPath = config.crmFieldMapPath
  const fieldMap = mapPath ? parseFieldMap(await readFile(mapPath, 'utf8')) : DEFAULT_FIELD_MAP
  const statusMeanings = await readStatusMeanings(config.statusMeaningsPath)
  const handleLoss = (error: Error & { code?: string }) =>
    log.warn({ reason: error.message, code: error.code }, 'database connection lost')
  await migrateDatabase(databaseUrl, handleLoss)
  const pageMsMax = config.databaseTimeoutMs
  const pages = openDatabase(databaseUrl, handleLoss, {
    connectionsMax: config.databasePool,
    statementMsMax: pageMsMax,
    onSilence: dropIdle,
  })
  const background = openDatabase(databaseUrl, handleLoss, {
    connectionsMax: Math.ceil(config.databasePool / 2),
    statementMsMax: 1.5 * pageMsMax,
    onSilence: dropIdle,
  })
  const reads = openHotReads(databaseUrl, handleLoss, pageMsMax)
  const worker = openJobQueue(databaseUrl, log, pageMsMax)
  const deps: Deps = {
    config,
    publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
    db: pages.db,
    pool: pages.pool,
    reads,
    jobs: worker,
    crm: openCrm({ ...crm, fieldMap, creditsPerDay: config.zohoCreditsPerDay, db: background.db, clock, log }),
    statusMeanings,
    mail: openMailer({
      smtpUrl: config.smtpUrl,
      mailFrom: config.mailFrom,
      outbox: join(config.dataDir, 'outbox'),
      log,
    }),
    clock,
    log,
  }
  return {
    deps,
    jobDeps: { ...deps, db: background.db, pool: background.pool },
    worker,
    async reachDatabase(msMax) {
      const answered = Promise.all([pages.reach(), background.reach(), reads.ping(), worker.reachDatabase()])
      try {
        const isLate = await Promise.race([answered.then(() => false), sleep(msMax, true, { ref: false })])
        if (isLate) throw new Error('The database does not answer in time')
      } catch (error) {
        dropIdle()
        throw error
      }
    },
    async close() {
      await deps.crm.close()
      await reads.close()
      await background.close()
      await pages.close()
    },
  }

  function dropIdle(): void {
    for (const { dropIdle: drop } of [pages, background]) drop().catch(handleLoss)
  }
}

/** Over a connection of its own: an index of a large table takes longer than any statement may later. */
async function migrateDatabase(databaseUrl: string, handleLoss: (error: Error) => void): Promise<void> {
  const { db, close } = openDatabase(databaseUrl, handleLoss)
  try {
    await migrate(db)
  } finally {
    await close()
  }
}

/** One server process: jobs and HTTP on top of the parts. */
export async function openPortal(settings: PortalSettings): Promise<Portal> {
  const { config, hasSchedules, prepare } = settings
  const parts = await openParts(settings)
  const { deps, jobDeps, worker, reachDatabase } = parts
  let isStarted = false
  const [app] = await Promise.all([
    createApp(deps, { isStarted: () => isStarted, reachDatabase }),
    worker.start(BACKGROUND_JOBS, jobDeps),
  ])
  const dispatcher = startDispatcher(jobDeps, settings.databaseUrl)
  const url = await app.listen({ host: config.host, port: config.port })
  // With PORT=0 the port is known only now.
  if (!config.publicUrl) deps.publicUrl = jobDeps.publicUrl = `http://localhost:${new URL(url).port}`

  const closing = new AbortController()
  const started = untilDone(deps, closing.signal, async () => {
    if (hasSchedules) await worker.startClock(BACKGROUND_JOBS)
    await prepare?.(deps)
    isStarted = true
  })

  return {
    deps,
    url,
    started,
    async close() {
      closing.abort()
      const deadline = new Promise((resolve) => setTimeout(resolve, STOP_MS_MAX).unref())
      await Promise.all([Promise.race([app.close(), deadline]), dispatcher.stop(DELIVERIES_STOP_MS_MAX)])
      await worker.stop(STOP_MS_MAX)
      await parts.close()
    },
  }
}

/** A portal that listens has accepted work, so nothing ends it any more: not even a database that goes away just now. */
async function untilDone({ log }: Deps, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      log.error({ err: error }, 'the start is not finished and goes on in a second')
      await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}
