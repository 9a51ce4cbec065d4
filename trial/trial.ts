// npm run trial: the portal as several processes, on PostgreSQL with a standby, PgBouncer and HAProxy, while processes are
// restarted and killed under load. Counts what failed and what was lost. Needs Debian's packages; says which are missing.
import { chmodSync, existsSync, globSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startCrmSandboxProcess } from '../server/src/local/crm-sandbox-process.ts'
import { findPooler } from '../server/src/testing/pooler.ts'
import { openCrm } from '../soak/crm.ts'
import { type Load, startLoad } from './load.ts'
import { startPostgresPair } from './postgres-pair.ts'
import { type Running, startBalancer, startPooler, startPortal, until } from './processes.ts'

const HAPROXY = '/usr/sbin/haproxy'
const PORTS = { balancer: 4600, web: [4601, 4602], worker: 4603, postgres: [4610, 4611], pooler: [4620, 4621] } as const
const DRAIN_SECONDS = 4
/** Longer than HAProxy takes to send calls to a process again. */
const NOTICE_MS = 2_500
const STEADY_MS = 5_000

const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
const pooler = findPooler()
if (!bin || !pooler || !existsSync(HAPROXY)) {
  console.log('The trial needs PostgreSQL, PgBouncer and HAProxy: apt-get install postgresql pgbouncer haproxy')
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'portal-trial-'))
// PostgreSQL and PgBouncer run as other users where we are root.
chmodSync(folder, 0o755)
console.log(`Logs are in ${folder}`)
const faults: string[] = []
const silent = { debug: () => undefined, warn: (text: string) => console.error(text) }
const crm = await startCrmSandboxProcess({ port: 0, dir: join(folder, 'crm'), seed: false, log: silent })
const postgres = startPostgresPair(folder, bin, [...PORTS.postgres])
process.once('exit', () => postgres.stop())
for (const [i, port] of PORTS.pooler.entries()) startPooler(folder, pooler.program, port, postgres.hosts[i] ?? '')

const env = {
  NODE_ENV: 'development',
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compile'),
  DATABASE_URL: `postgres://portal@${PORTS.pooler.map((port) => `127.0.0.1:${port}`).join()}/portal`,
  DATABASE_DIRECT_URL: `postgres://portal@${postgres.hosts.join()}/portal`,
  DATABASE_PREPARED_STATEMENTS: pooler.prepares ? 'on' : 'off',
  ZOHO_ACCOUNTS_URL: crm.url,
  ZOHO_API_URL: crm.url,
  ZOHO_CLIENT_ID: 'sandbox',
  ZOHO_CLIENT_SECRET: 'sandbox',
  ZOHO_REFRESH_TOKEN: 'sandbox',
  ZOHO_CREDITS_PER_DAY: '100000000',
  PUBLIC_URL: `http://127.0.0.1:${PORTS.balancer}`,
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'warn',
  DRAIN_SECONDS: String(DRAIN_SECONDS),
}
const openWeb = (i: 0 | 1) => startPortal(folder, `web-${i + 1}`, PORTS.web[i], { ...env, ROLE: 'web' })
const openWorker = () => startPortal(folder, 'worker', PORTS.worker, { ...env, ROLE: 'worker', DRAIN_SECONDS: '0' })
const webs: [Running, Running] = [await openWeb(0), await openWeb(1)]
let worker = await openWorker()
startBalancer(folder, HAPROXY, PORTS.balancer, PORTS.web)
await sleep(NOTICE_MS)

const load = await startLoad(PORTS.balancer)
await phase('steady', 0, () => sleep(STEADY_MS))
await phase('rolling restart of two web processes and the worker', 0, async () => {
  for (const i of [0, 1] as const) {
    await webs[i].kill('SIGTERM')
    webs[i] = await openWeb(i)
    await sleep(NOTICE_MS)
  }
  await worker.kill('SIGTERM')
  worker = await openWorker()
})
await phase('kill -9 of a web process', undefined, async () => {
  await webs[0].kill('SIGKILL')
  webs[0] = await openWeb(0)
  await sleep(NOTICE_MS)
})
await phase('kill -9 of the worker', 0, async () => {
  await worker.kill('SIGKILL')
  worker = await openWorker()
})
await phase('kill -9 of the primary, promotion after 2 s', undefined, async () => {
  postgres.killPrimary()
  await sleep(2_000)
  postgres.promote()
  const promotedAt = Date.now()
  await until('a write on the new primary', async () => load.lastWriteAt() > promotedAt)
  const seconds = (load.lastWriteAt() - promotedAt) / 1_000
  console.log(`  the first write was acknowledged ${seconds.toFixed(1)} s after the promotion`)
  if (seconds > 10) faults.push('the service was back later than 10 s after the promotion')
  await sleep(STEADY_MS)
})
await phase('steady again, no process restarted', 0, () => sleep(STEADY_MS))
await load.stop()
await compare(load)
for (const process of [worker, ...webs]) await process.kill('SIGTERM')
await crm.stop()
console.log(faults.length === 0 ? 'All goals were met.' : `Missed: ${faults.join('; ')}`)
process.exit(faults.length === 0 ? 0 : 1)

/** `failedMax` is the goal where there is one. */
async function phase(name: string, failedMax: number | undefined, work: () => Promise<void>): Promise<void> {
  load.take()
  const startedAt = Date.now()
  await work()
  const { requests, failed, worstMs } = load.take()
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0)
  console.log(
    `${name}: ${failed.length} of ${requests} requests failed in ${seconds} s, the slowest took ${(worstMs / 1_000).toFixed(1)} s`,
  )
  for (const [what, count] of countEach(failed)) console.log(`  ${count} × ${what}`)
  if (failedMax !== undefined && failed.length > failedMax) faults.push(`${name}: ${failed.length} requests failed`)
}

/** What was acknowledged against what the new primary and the CRM have. */
async function compare({ loids }: Load): Promise<void> {
  const pool = new pg.Pool({ connectionString: `postgres://portal@${postgres.hosts[1]}/portal` })
  const startedAt = Date.now()
  await until('all leads to be in the CRM', async () => {
    const { rows } = await pool.query<{ waiting: string }>(
      "select count(*) as waiting from leads where crm <> 'synced'",
    )
    return rows[0]?.waiting === '0'
  }).catch((error: Error) => faults.push(error.message))
  console.log(`all pushes were done ${((Date.now() - startedAt) / 1_000).toFixed(0)} s after the load ended`)
  const { rows } = await pool.query<{ loid: string }>('select loid from leads')
  await pool.end()
  const kept = new Set(rows.map(({ loid }) => loid))
  const lost = loids.filter((loid) => !kept.has(loid))
  const inCrm = countEach((await openCrm(crm.url).list('Leads', ['LOID'])).map((lead) => String(lead['LOID'])))
  const doubled = [...inCrm.values()].filter((count) => count > 1).length
  const missing = loids.filter((loid) => !inCrm.has(loid)).length
  console.log(
    `${loids.length} leads acknowledged: ${lost.length} lost, ${missing} not in the CRM, ${doubled} there twice`,
  )
  if (lost.length + missing + doubled > 0) faults.push('leads were lost, missing or doubled')
}

function countEach(texts: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
