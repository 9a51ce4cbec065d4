import { chmodSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCrmSandboxProcess } from '../server/src/platform/local/crm-sandbox-process.ts'
import { findPooler } from '../server/src/testing/pooler.ts'
import { type Crm, openCrm } from '../soak/crm.ts'
import { type PostgresPair, startPostgresPair } from './postgres-pair.ts'
import {
  migrate,
  type Pooler,
  type Running,
  startBalancer,
  startCaddy,
  startNginx,
  startPlainBalancer,
  startPooler,
  startPortal,
} from './processes.ts'
import { type MailServer, startMailServer, startWebhookReceiver, type WebhookReceiver } from './receivers.ts'

export const PORTS = {
  /** `plain` is HAProxy without retries. The other three are configured as in deploy/. */
  balancers: { plain: 4600, haproxy: 4605, nginx: 4606, caddy: 4607 },
  web: [4601, 4602],
  worker: 4603,
  metrics: [4631, 4632],
  postgres: [4610, 4611],
  pooler: [4620, 4621],
  webhooks: 4640,
  mails: 4641,
} as const
const DRAIN_SECONDS = 4
/** Longer than HAProxy takes to notice that a process is ready again. */
const NOTICE_MS = 2_500

export interface Programs {
  postgresBin: string
  pooler: Pooler
  haproxy: string
  nginx: string
  caddy: string
}

/** Returns undefined if a program is missing. */
export function findPrograms(): Programs | undefined {
  const postgresBin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
  const pooler = findPooler()
  const balancers = { haproxy: '/usr/sbin/haproxy', nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' }
  if (!postgresBin || !pooler || !Object.values(balancers).every((program) => existsSync(program))) return undefined
  return { postgresBin, pooler, ...balancers }
}

/** Everything that runs in the trial. */
export interface Stage {
  crm: Crm
  postgres: PostgresPair
  webhooks: WebhookReceiver
  mails: MailServer
  /** Stops the web process, with SIGTERM unless another signal is given, and starts it again. */
  restartWeb(i: 0 | 1, how?: Restart): Promise<void>
  restartWorker(how?: Restart): Promise<void>
  /** Migrates the database with the code in this folder. */
  migrate(code: string): void
  stop(): Promise<void>
}

interface Restart {
  signal?: NodeJS.Signals
  /** The folder of the code that runs from now on. */
  code?: string
  /** A log file that replaces the usual one. */
  log?: string
}

export async function openStage(folder: string, programs: Programs, firstCode: string): Promise<Stage> {
  // If we are root, PostgreSQL and PgBouncer run as other users, who must be able to enter this folder.
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'data'))
  const silent = { debug: () => undefined, warn: (text: string) => console.error(text) }
  const crm = await startCrmSandboxProcess({ port: 0, dir: join(folder, 'crm'), seed: false, log: silent })
  const postgres = startPostgresPair(folder, programs.postgresBin, [...PORTS.postgres])
  process.once('exit', () => postgres.stop())
  const { pooler } = programs
  for (const [i, port] of PORTS.pooler.entries()) startPooler(folder, pooler, port, postgres.hosts[i] ?? '')
  const webhooks = await startWebhookReceiver(PORTS.webhooks)
  const mails = await startMailServer(PORTS.mails)
  const settings = {
    NODE_ENV: 'development',
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compile'),
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: `postgres://portal@${PORTS.pooler.map((port) => `127.0.0.1:${port}`).join()}/portal`,
    DATABASE_DIRECT_URL: `postgres://portal@${postgres.hosts.join()}/portal`,
    DATABASE_PREPARED_STATEMENTS: pooler.prepares ? 'on' : 'off',
    ZOHO_ACCOUNTS_URL: crm.url,
    ZOHO_API_URL: crm.url,
    ZOHO_CLIENT_ID: 'sandbox',
    ZOHO_CLIENT_SECRET: 'sandbox',
    ZOHO_REFRESH_TOKEN: 'sandbox',
    ZOHO_CREDITS_PER_DAY: '100000000',
    SMTP_URL: mails.url,
    PUBLIC_URL: `http://127.0.0.1:${PORTS.balancers.plain}`,
    RATE_LIMITS: 'off',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'warn',
  }
  let code = firstCode
  const logOf = (name: string) => join(folder, `${name}.log`)
  const openWeb = (i: 0 | 1, log = logOf(`web-${i + 1}`), more: Record<string, string> = {}) =>
    startPortal(code, log, PORTS.web[i], {
      ...settings,
      ...more,
      ROLE: 'web',
      DRAIN_SECONDS: String(DRAIN_SECONDS),
      METRICS_PORT: String(PORTS.metrics[i]),
    })
  const openWorker = () => startPortal(code, logOf('worker'), PORTS.worker, { ...settings, ROLE: 'worker' })
  const webs: [Running, Running] = [await openWeb(0), await openWeb(1)]
  let worker = await openWorker()
  const balancers = [
    startPlainBalancer(folder, programs.haproxy, PORTS.balancers.plain, PORTS.web),
    startBalancer(folder, programs.haproxy, PORTS.balancers.haproxy, PORTS.web),
    startNginx(folder, programs.nginx, PORTS.balancers.nginx, PORTS.web),
    startCaddy(folder, programs.caddy, PORTS.balancers.caddy, PORTS.web),
  ]
  await sleep(NOTICE_MS)
  for (const { child } of balancers) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended: see ${folder}`)
  }

  return {
    crm: openCrm(crm.url),
    postgres,
    webhooks,
    mails,
    async restartWeb(i, how = {}) {
      code = how.code ?? code
      await webs[i].kill(how.signal ?? 'SIGTERM')
      // At level `info` each request writes a line to the log.
      webs[i] = await openWeb(i, how.log, how.log ? { LOG_LEVEL: 'info' } : {})
      await sleep(NOTICE_MS)
    },
    async restartWorker(how = {}) {
      code = how.code ?? code
      await worker.kill(how.signal ?? 'SIGTERM')
      worker = await openWorker()
    },
    migrate: (newCode) => migrate(newCode, settings),
    async stop() {
      for (const one of [worker, ...webs, ...balancers]) await one.kill('SIGTERM')
      await crm.stop()
    },
  }
}
