import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { startCrmSandboxProcess } from '../server/src/platform/local/crm-sandbox-process.ts'
import { type Crm, openCrm } from './crm.ts'
import { openMailServer } from './mail-server.ts'

const MAIN = resolve(import.meta.dirname, '../server/src/main.ts')
const CLI = resolve(import.meta.dirname, '../server/src/cli.ts')
const runFile = promisify(execFile)
const MOVABLE_CLOCK = resolve(import.meta.dirname, '../server/src/testing/movable-clock.ts')
const START_MS_MAX = 120_000
const SMALL_DISK = '32m'

/** A CRM, and a portal that runs as its own process and can be killed. */
export interface World {
  url: string
  crm: Crm
  /** Queries the portal's own database, for facts that no route of the API shows. */
  rows<Row extends pg.QueryResultRow>(sql: string, params?: unknown[]): Promise<Row[]>
  /**
   * Sends kill -9 and starts the portal again. Resolves once it is ready. The jobs and leases of the killed process are
   * free at once, without a time-out.
   */
  killPortal(): Promise<void>
  portalPid(): number
  /** Makes the clock of the portal's process wrong by this time, also after it is started again. */
  moveClock(aheadMs: number): void
  /** How often the portal's process ended although nobody killed it. */
  exits(): number
  /** The data folder, if it is on a small disk of its own. The portal then writes its mails there. */
  smallDisk: string | undefined
  /** Absent if the portal writes its mails into its data folder. */
  mailServer: Awaited<ReturnType<typeof openMailServer>> | undefined
  /** The texts of all mails. */
  mails(): string[]
  /** The process id of the database server, if the soak may stop it. */
  postgresPid: number | undefined
  /** Runs an operator's command (npm run portal). */
  operate(...words: string[]): Promise<void>
  sweep(): Promise<void>
  /** Reads the histories and notes that are left for later, as the portal does each minute. */
  pullDetails(): Promise<void>
  /**
   * Makes all waiting jobs due now except `spared`, including jobs of a killed process that wait for their retry. Notes that
   * were sent without an answer are sent again once the sandbox can no longer carry out the first call.
   */
  hurryJobs(spared?: readonly string[]): Promise<void>
  /** All jobs that wait or run, except `watch-crm`, `prune` and the job queue's own jobs. */
  openJobs(): Promise<OpenJob[]>
  close(): Promise<void>
}

export interface OpenJob {
  id: string
  name: string
  state: string
  retry_count: number
}

/** The channel on which pg-boss listens for queues with new jobs. */
const CHANNEL = `'pgboss_' || left(encode(sha224('jobs'::bytea), 'hex'), 24)`

interface WorldOptions {
  folder: string
  databaseUrl: string
  mails: 'smtp' | 'small-disk' | 'outbox'
  postgresPid?: number | undefined
  /** The longest time for which a fault of the sandbox holds a call. */
  lateMs: number
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const { folder, databaseUrl, mails, postgresPid, lateMs } = options
  const dataFolder = join(folder, 'data')
  mkdirSync(dataFolder, { recursive: true })
  const smallDisk = mails === 'small-disk' && mountSmallDisk(dataFolder) ? dataFolder : undefined
  const mailServer = mails === 'smtp' ? await openMailServer() : undefined
  const silent = { debug: () => undefined, warn: (text: string) => console.error(text) }
  const sandbox = await startCrmSandboxProcess({ port: 0, dir: join(folder, 'crm'), seed: false, log: silent })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  pool.on('error', () => undefined)
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../node_modules/.cache/compile'),
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: dataFolder,
    ...(mailServer && { SMTP_URL: mailServer.url }),
    DATABASE_URL: databaseUrl,
    ZOHO_ACCOUNTS_URL: sandbox.url,
    ZOHO_API_URL: sandbox.url,
    ZOHO_CLIENT_ID: 'sandbox',
    ZOHO_CLIENT_SECRET: 'sandbox',
    ZOHO_REFRESH_TOKEN: 'sandbox',
    SEED_DEMO: 'false',
    RATE_LIMITS: 'off',
    ZOHO_CREDITS_PER_DAY: '100000000',
    LOG_LEVEL: 'warn',
    SYNC_WAIT_MS: '1000',
  }
  const portal = await startPortal(env, join(folder, 'portal.log'))
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: 'jobs',
    max: 1,
    supervise: false,
    schedule: false,
    migrate: false,
  })
  boss.on('error', () => undefined)
  await boss.start()

  async function rows<Row extends pg.QueryResultRow>(sql: string, params: unknown[] = []): Promise<Row[]> {
    return (await pool.query<Row>(sql, params)).rows
  }

  return {
    url,
    crm: openCrm(sandbox.url),
    rows,
    async killPortal() {
      await portal.kill()
      await rows(`update jobs.job set heartbeat_on = now() - interval '1 hour' where state = 'active'`)
      await rows(`update leases set until = now()`)
      await portal.start()
    },
    portalPid: portal.pid,
    moveClock: portal.moveClock,
    exits: portal.exits,
    smallDisk,
    mailServer,
    mails() {
      const outbox = join(dataFolder, 'outbox')
      if (mailServer) return [...mailServer.mails]
      return existsSync(outbox) ? readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8')) : []
    },
    postgresPid,
    async operate(...words) {
      await runFile(process.execPath, [CLI, ...words], { env })
    },
    async sweep() {
      await boss.send('sweep', {})
    },
    async pullDetails() {
      await boss.send('pull-details', {})
    },
    hurryJobs: (spared = []) => hurryJobs(rows, lateMs, spared),
    openJobs: () =>
      rows<OpenJob>(
        `select id, name, state, retry_count from jobs.job
         where state in ('created', 'retry', 'active') and name not like '\\_\\_pgboss%' and name not in ('watch-crm', 'prune')`,
      ),
    async close() {
      await boss.stop({ graceful: false })
      await pool.end()
      await portal.stop()
      mailServer?.close()
      if (smallDisk !== undefined) execFileSync('umount', [smallDisk])
      await sandbox.stop()
    },
  }
}

/** The portal's process, which can be killed and started again. */
async function startPortal(env: NodeJS.ProcessEnv & { PUBLIC_URL: string }, log: string) {
  let aheadMs = 0
  let exits = 0
  let child: ChildProcess

  async function start(): Promise<void> {
    const started = spawn(process.execPath, ['--import', MOVABLE_CLOCK, MAIN], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    started.on('error', () => undefined)
    started.once('exit', () => (exits += 1))
    if (aheadMs !== 0) started.send(aheadMs)
    // If the soak is stopped, its portal must not keep running.
    const killLast = () => started.kill('SIGKILL')
    process.once('exit', killLast)
    started.once('exit', () => process.off('exit', killLast))
    const file = createWriteStream(log, { flags: 'a' })
    started.stdout?.pipe(file)
    started.stderr?.pipe(file)
    const deadline = Date.now() + START_MS_MAX
    while (!(await isReady(env.PUBLIC_URL))) {
      if (started.exitCode !== null) throw new Error(`the portal ended with ${started.exitCode} before it was ready`)
      if (Date.now() > deadline) throw new Error('the portal did not start')
      await sleep(50)
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
    exits -= 1
  }

  await start()
  return {
    start,
    kill: () => end('SIGKILL'),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGTERM')
    },
    pid: () => child.pid ?? 0,
    /** How often the process ended although nobody ended it. */
    exits: () => exits,
    moveClock(ms: number) {
      aheadMs = ms
      if (child.connected) child.send(ms)
    },
  }
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/api/ready`).then(
    (answer) => answer.ok,
    () => false,
  )
}

async function hurryJobs(rows: World['rows'], lateMs: number, spared: readonly string[]): Promise<void> {
  await rows(
    `update notes set crm_sent_at = null where crm = 'pending' and crm_sent_at < now() - $1 * interval '1 ms'`,
    [lateMs + 3_000],
  )
  await rows(`update documents set sent_at = null where state = 'pending' and sent_at < now() - $1 * interval '1 ms'`, [
    lateMs + 3_000,
  ])
  await rows('delete from refused_pushes')
  await rows(
    `with hurried as (
       update jobs.job set start_after = now()
        where state in ('created', 'retry') and start_after > now() and id <> all($1) returning name)
     select pg_notify(${CHANNEL}, name) from (select distinct name from hurried) as queues`,
    [spared],
  )
}

function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
