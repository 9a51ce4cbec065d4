import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openCrm } from '../crm/zoho/crm.ts'
import { DEFAULT_FIELD_MAP, parseFieldMap } from '../crm/zoho/field-map.ts'
import type { Deps } from '../deps.ts'
import { readAnnouncement } from '../features/accounts/announcement.ts'
import { findHearingsOfSessions } from '../features/accounts/sessions.queries.ts'
import { type Live, openLive } from '../features/live/live.ts'
import { startDispatcher } from '../features/webhooks/dispatcher.ts'
import { readAgreementFile } from '../platform/agreement-file.ts'
import type { Clock } from '../platform/clock.ts'
import type { Settings, ZohoSettings } from '../platform/config.ts'
import { type Database, openDatabase, refuseOtherDatabase, refuseOtherSettings } from '../platform/db/database.ts'
import { openDatabaseClock } from '../platform/db/database-clock.ts'
import { openHotReads } from '../platform/db/hot-reads.ts'
import { listen } from '../platform/db/listen.ts'
import { migrate, requireMigrated } from '../platform/db/migrate.ts'
import { reencryptSecrets } from '../platform/db/reencrypt-secrets.ts'
import { openReplica, type Replica } from '../platform/db/replica.ts'
import { openSecrets, readSecretsKeys } from '../platform/db/secrets.ts'
import { LateAnswer } from '../platform/http/health.ts'
import { openJobQueue, type Worker } from '../platform/jobs/job-queue.ts'
import { openMailer } from '../platform/mail/mail.ts'
import type { MetricsServer } from '../platform/metrics/metrics-server.ts'
import { type ProcessLimits, readFreeBytes, readProcessLimits } from '../platform/metrics/process-limits.ts'
import type { OpenTelemetry } from '../platform/open-telemetry.ts'
import type { Spans } from '../platform/trace.ts'
import { readStatusMeanings } from '../records/histories/status-meanings.ts'
import { createApp } from './app.ts'
import { BACKGROUND_JOBS } from './background-jobs.ts'

/**
 * The parts that every process of the portal has: the migrated database, the CRM, mail, and the job queue, which does
 * not run jobs yet.
 */
export interface Parts {
  deps: Deps
  /**
   * The same dependencies for jobs, with separate connections, so that pages and jobs do not starve each other (D90).
   */
  jobDeps: Deps
  worker: Worker
  /** Rejects unless the primary database answers through every pool within `msMax`. */
  reachDatabase(msMax: number): Promise<void>
  close(): Promise<void>
}

export interface Portal {
  deps: Deps
  /** The address at which the portal listens. */
  url: string
  /** Resolves when the start is complete, or when the portal is closed before that. */
  started: Promise<void>
  /**
   * Stops the portal. `/ready` answers 503 at once, and the port closes after the drain (D92). Requests in flight then
   * get ten seconds to end, and after that running jobs get ten seconds. Unfinished jobs return to the queue (D4).
   */
  close(): Promise<void>
}

interface PartsSettings {
  config: Settings
  databaseUrl: string
  crm: { mode: 'sandbox' | 'zoho'; settings: ZohoSettings }
  /** If absent, the clock of the database, which all processes share. */
  clock?: Clock
  spans?: Spans | undefined
  log: Logger
}

interface PortalSettings extends PartsSettings {
  /** Whether the clock enqueues scheduled jobs. Most tests run such jobs themselves. */
  hasSchedules: boolean
  /** The work that the portal does before it is ready. If the work fails, it is repeated. */
  prepare?: ((deps: Deps) => Promise<void>) | undefined
}

const STOP_MS_MAX = 10_000
/** If an endpoint takes longer than this to answer during a stop, its delivery is attempted again later. */
const DELIVERIES_STOP_MS_MAX = 3_000
const TRY_AGAIN_MS = 1_000
const AFTER_START_MS = 1_000

/** Opens the parts on the database and the CRM that the caller has chosen. */
export async function openParts({ config, databaseUrl, crm, spans, log, ...settings }: PartsSettings): Promise<Parts> {
  const mapPath = config.crmFieldMapPath
  const fieldMap = mapPath ? parseFieldMap(await readFile(mapPath, 'utf8')) : DEFAULT_FIELD_MAP
  const statusMeanings = await readStatusMeanings(config.statusMeaningsPath)
  const announcement = await readAnnouncement(config.announcementPath)
  const agreement = await readAgreementFile(config.agreementPath)
  const secrets = openSecrets(await readSecretsKeys(config))
  const handleLoss = (error: Error & { code?: string }) =>
    log.warn({ reason: error.message, code: error.code }, 'database connection lost')
  const directUrl = config.databaseDirectUrl ?? databaseUrl
  const limits = { ...pageLimits(config, spans), onSilence: dropIdle }
  const { way } = limits
  const pageMsMax = config.databaseTimeoutMs
  const pages = openDatabase(databaseUrl, handleLoss, limits)
  await prepareSchema(directUrl, handleLoss, async (direct) => {
    // Checked before the first change, because otherwise jobs would wait in one database while workers look in the
    // other.
    if (config.databaseDirectUrl) await refuseOtherDatabase(pages, direct)
    if (config.migratesAtStart) await migrate(direct.db)
    else await requireMigrated(direct.db)
  })
  await refuseOtherSettings(pages)
  const databaseClock = await openDatabaseClock(pages.pool, log)
  const { clock = databaseClock } = settings
  const background = openDatabase(databaseUrl, handleLoss, {
    connectionsMax: Math.ceil(config.databasePool / 2),
    statementMsMax: 1.5 * pageMsMax,
    onSilence: dropIdle,
    isTraced: spans !== undefined,
    way,
  })
  const reads = openHotReads(databaseUrl, handleLoss, pageMsMax, way)
  const worker = openJobQueue(directUrl, log, pageMsMax, config.role !== 'web')
  const deps: Deps = {
    config,
    publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
    db: pages.db,
    pool: pages.pool,
    reads,
    jobs: worker,
    secrets,
    crm: openCrm({ ...crm, fieldMap, creditsPerDay: config.zohoCreditsPerDay, db: background.db, secrets, clock, log }),
    statusMeanings,
    announcement,
    agreement,
    mail: openMailer({
      smtpUrl: config.smtpUrl,
      requiresTls: config.isProduction,
      mailFrom: config.mailFrom,
      brand: config.brand,
      privacyUrl: config.privacyUrl,
      outbox: join(config.dataDir, 'outbox'),
      log,
    }),
    clock,
    spans,
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
        if (isLate) throw new LateAnswer('The database does not answer in time')
      } catch (error) {
        dropIdle()
        throw error
      }
    },
    async close() {
      databaseClock.stop()
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

function pageLimits(config: Settings, spans: Deps['spans']) {
  return {
    connectionsMax: config.databasePool,
    statementMsMax: config.databaseTimeoutMs,
    isTraced: spans !== undefined,
    way: { isPooled: config.databaseDirectUrl !== undefined, prepares: config.databasePrepares },
  }
}

/**
 * Prepares the schema over a separate connection, because making an index on a large table takes longer than the
 * deadline of other statements.
 */
async function prepareSchema(
  url: string,
  handleLoss: (error: Error) => void,
  prepare: (direct: Database) => Promise<void>,
) {
  const direct = openDatabase(url, handleLoss)
  try {
    await refuseOtherSettings(direct)
    await prepare(direct)
  } finally {
    await direct.close()
  }
}

/**
 * Migrates the database and makes the schema and the queues of the job queue, for portals with MIGRATE=off (D93). Returns
 * the migrations that ran.
 */
export async function migrateApart(databaseUrl: string, config: Settings, log: Logger): Promise<string[]> {
  let ran: string[] = []
  await prepareSchema(
    databaseUrl,
    (error) => log.warn({ err: error }, 'connection lost'),
    async ({ db }) => {
      ran = await migrate(db)
    },
  )
  const queue = openJobQueue(databaseUrl, log, config.databaseTimeoutMs, false)
  await queue.makeQueues(BACKGROUND_JOBS)
  await queue.stop(STOP_MS_MAX)
  return ran
}

/** Starts one server process on top of the parts: HTTP, jobs or both, depending on its role. */
export async function openPortal(settings: PortalSettings): Promise<Portal> {
  const { config, hasSchedules, prepare } = settings
  const isWorking = config.role !== 'web'
  const spans = await openSpans(config, settings.log)
  const parts = await openParts({ ...settings, spans })
  const { deps, jobDeps, worker, reachDatabase } = parts
  let isStarted = false
  const closing = new AbortController()
  const isStopping = () => closing.signal.aborted
  const limits = await readProcessLimits(config)
  await tellLimits(deps, limits)
  const live = openLive(deps, {
    streamsMax: Math.floor(limits.connectionsMax / 2),
    findHearings: (sessions) => findHearingsOfSessions(deps.pool, sessions, deps.clock.now()),
  })
  const readUrl = config.role === 'worker' ? undefined : config.databaseReadUrl
  const replica = readUrl
    ? openReplica(readUrl, { primary: deps, limits: pageLimits(config, spans), log: deps.log })
    : undefined
  const metrics = await openMetrics(parts, { live, replica, limits })
  // Nothing before the end of the start needs this, so it runs beside the rest.
  const encrypted = untilDone(deps, closing.signal, () => encryptSecrets(jobDeps, closing.signal))
  const [app] = await Promise.all([
    createApp(
      deps,
      { isStarted: () => isStarted, isStopping, reachDatabase },
      { live, replica, connectionsMax: limits.connectionsMax, onAnswered: metrics?.count },
    ),
    isWorking ? worker.start(BACKGROUND_JOBS, jobDeps) : worker.makeQueues(BACKGROUND_JOBS),
  ])
  const dispatcher = isWorking ? startDispatcher(jobDeps) : undefined
  const hearers = [isWorking ? worker.hearer : undefined, dispatcher, live, replica].filter(
    (hearer) => hearer !== undefined,
  )
  const listening = listen(config.databaseDirectUrl ?? settings.databaseUrl, hearers, {
    onError: (error) =>
      deps.log.warn({ err: error }, 'notifications from the database do not arrive until the connection is restored'),
    silenceMsMax: 2 * config.databaseTimeoutMs,
  })
  await listening.connected
  const url = await app.listen({ host: config.host, port: config.port })
  // With PORT=0 the port is known only now.
  if (!config.publicUrl) deps.publicUrl = jobDeps.publicUrl = `http://localhost:${new URL(url).port}`

  const started = untilDone(deps, closing.signal, async () => {
    await prepare?.(deps)
    await encrypted
    closing.signal.throwIfAborted()
    isStarted = true
    void workAfterStart(deps, closing.signal, async () => {
      if (hasSchedules && isWorking) await worker.startClock(BACKGROUND_JOBS)
    })
  })

  return {
    deps,
    url,
    started,
    async close() {
      closing.abort()
      await sleep(config.drainMs)
      const deadline = new Promise((resolve) => setTimeout(resolve, STOP_MS_MAX).unref())
      live.close()
      await Promise.all([
        Promise.race([app.close(), deadline]),
        listening.close(),
        dispatcher?.stop(DELIVERIES_STOP_MS_MAX),
      ])
      await worker.stop(STOP_MS_MAX)
      await metrics?.close()
      await replica?.close()
      await parts.close()
      await spans?.close()
    },
  }
}

/** Waits a second, so that the first requests are not delayed, and then does what no request needs. */
async function workAfterStart(deps: Deps, signal: AbortSignal, startClock: () => Promise<void>): Promise<void> {
  await sleep(AFTER_START_MS, undefined, { signal, ref: false }).catch(() => undefined)
  await untilDone(deps, signal, startClock)
  // If the packages are just being replaced, the first mail tries again.
  if (!signal.aborted) await deps.mail.load().catch(() => undefined)
}

/** Logs the limits of this process in one line, as a warning if they allow fewer connections than the settings. */
async function tellLimits({ config, log }: Deps, limits: ProcessLimits): Promise<void> {
  const { descriptors, memoryBytes, connectionsMax } = limits
  const [memoryMb, diskFreeMb] = [memoryBytes, await readFreeBytes(config.dataDir)].map(
    (bytes) => bytes && Math.floor(bytes / 1_000_000),
  )
  const isLess = connectionsMax < config.connectionsMax
  const text = isLess
    ? 'the limits of this process allow fewer connections than CONNECTIONS_MAX'
    : 'limits of this process'
  log[isLess ? 'warn' : 'info']({ connectionsMax, descriptors, memoryMb, diskFreeMb }, text)
}

/** Encrypts secrets that are not encrypted yet or are encrypted with an older key. */
async function encryptSecrets({ db, secrets, log }: Deps, signal: AbortSignal): Promise<void> {
  const { encrypted, locked } = await reencryptSecrets(db, secrets, signal)
  if (encrypted > 0) log.info({ encrypted }, 'secrets were encrypted with the first key of SECRETS_KEY')
  if (locked > 0) log.error({ locked }, 'no key of SECRETS_KEY opens these secrets: add the key that encrypted them')
}

/** Begins to record spans. The packages are loaded only if traces are wanted. */
async function openSpans({ otlpEndpoint }: Settings, log: Logger): Promise<OpenTelemetry | undefined> {
  if (otlpEndpoint === undefined) return undefined
  const { openTelemetry } = await import('../platform/open-telemetry.ts')
  return openTelemetry(otlpEndpoint, log)
}

/** Starts the metrics server. The package is loaded only if metrics are wanted. */
async function openMetrics(
  { deps, jobDeps }: Parts,
  measured: { live: Live; replica: Replica | undefined; limits: ProcessLimits },
): Promise<MetricsServer | undefined> {
  const { metricsPort: port, metricsHost: host } = deps.config
  if (port === undefined) return undefined
  const { startMetricsServer } = await import('../platform/metrics/metrics-server.ts')
  const pools = { pages: deps.pool, jobs: jobDeps.pool, ...(measured.replica && { replica: measured.replica.pool }) }
  return startMetricsServer(jobDeps, { ...measured, host, port, pools })
}

/**
 * Repeats the work until it succeeds. A portal that listens may already have accepted requests, so it must not end,
 * even if the database is lost.
 */
async function untilDone({ log }: Deps, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted) return
      log.error({ err: error }, 'the start did not finish and will be tried again in a second')
      await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}
