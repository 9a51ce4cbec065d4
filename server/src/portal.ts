import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import type { Settings, ZohoSettings } from './config.ts'
import { openDatabase } from './db/database.ts'
import { openHotReads } from './db/hot-reads.ts'
import { migrate } from './db/migrate.ts'
import type { Clock, Deps } from './deps.ts'
import { startDispatcher } from './features/webhooks/dispatcher.ts'
import { openJobQueue, type Worker } from './jobs/job-queue.ts'
import { openMailer } from './mail/mail.ts'
import { JOBS } from './worker.ts'
import { openCrm } from './zoho/crm.ts'
import { DEFAULT_FIELD_MAP, parseFieldMap } from './zoho/field-map.ts'

/** What every process of the portal has: the migrated database, the CRM, mail, and the jobs, which do not run yet. */
export interface Parts {
  deps: Deps
  worker: Worker
  close(): Promise<void>
}

export interface Portal {
  deps: Deps
  /** Where it listens. */
  url: string
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
}

const STOP_MS_MAX = 10_000
/** An endpoint may take longer to answer; its delivery is then made again. */
const DELIVERIES_STOP_MS_MAX = 3_000

/** Which database and which CRM, its caller decides. */
export async function openParts({ config, databaseUrl, crm, clock, log }: PartsSettings): Promise<Parts> {
  const mapPath = config.crmFieldMapPath
  const fieldMap = mapPath ? parseFieldMap(await readFile(mapPath, 'utf8')) : DEFAULT_FIELD_MAP
  const handleLoss = (error: Error & { code?: string }) =>
    log.warn({ reason: error.message, code: error.code }, 'database connection lost')
  const database = openDatabase(databaseUrl, handleLoss)
  const { db, pool } = database
  const reads = openHotReads(databaseUrl, handleLoss)
  await migrate(db)

  const worker = openJobQueue(databaseUrl, log)
  const deps: Deps = {
    config,
    publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
    db,
    pool,
    reads,
    jobs: worker,
    crm: openCrm({ ...crm, fieldMap, db, clock, log }),
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
    worker,
    async close() {
      await deps.crm.close()
      await reads.close()
      await database.close()
    },
  }
}

/** One server process: jobs and HTTP on top of the parts. */
export async function openPortal(settings: PortalSettings): Promise<Portal> {
  const { config } = settings
  const parts = await openParts(settings)
  const { deps, worker } = parts
  await worker.start(JOBS, deps)
  const dispatcher = startDispatcher(deps, settings.databaseUrl)
  const app = await createApp(deps)
  const url = await app.listen({ host: config.host, port: config.port })
  // With PORT=0 the port is known only now.
  if (!config.publicUrl) deps.publicUrl = `http://localhost:${new URL(url).port}`
  if (settings.hasSchedules) await worker.startClock(JOBS)

  return {
    deps,
    url,
    async close() {
      const deadline = new Promise((resolve) => setTimeout(resolve, STOP_MS_MAX).unref())
      await Promise.all([Promise.race([app.close(), deadline]), dispatcher.stop(DELIVERIES_STOP_MS_MAX)])
      await worker.stop(STOP_MS_MAX)
      await parts.close()
    },
  }
}
