import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { onTestFinished, test } from 'vitest'
import { newId } from '../server/src/platform/db/ids.ts'
import { SECRETS_KEY, startPortal as startWorker } from '../server/src/testing/start-portal.ts'
import { openAsk } from './account.ts'
import { startLoad } from './load.ts'
import { isReady, migrate, type Running, startPortal, until } from './processes.ts'
import { copyWithMigration, ROOT } from './versions.ts'

const PARTNERS = 4
const REQUESTS_MIN = 300
/** How often the balancer asks each process whether it is ready. */
const CHECK_MS = 100
/** Alone it takes ten seconds; beside all other tests on a slow machine it has taken ninety. */
const TEST_MS_MAX = 180_000

test('no request fails while web processes go to a newer version one after the other, and back again', {
  timeout: TEST_MS_MAX,
}, async ({ expect }) => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-versions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using worker = await startWorker()
  const newer = copyWithMigration(folder)
  const accounts = await Promise.all(
    Array.from({ length: PARTNERS }, async (_, number) => {
      const { email, token } = await worker.newPartner()
      return { number, email, token }
    }),
  )
  const settings = {
    NODE_ENV: 'development',
    DATABASE_URL: worker.database.url,
    DATA_DIR: join(folder, 'data'),
    SECRETS_KEY,
    ROLE: 'web',
    MIGRATE: 'off',
    DRAIN_SECONDS: '1',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    // No CRM answers here, and no sandbox starts.
    ZOHO_ACCOUNTS_URL: 'http://127.0.0.1:1',
    ZOHO_API_URL: 'http://127.0.0.1:1',
    ZOHO_CLIENT_ID: 'none',
    ZOHO_CLIENT_SECRET: 'none',
    ZOHO_REFRESH_TOKEN: 'none',
  }
  mkdirSync(settings.DATA_DIR)
  const ports = [await freePort(), await freePort()] as const
  const start = (port: number, code: string) => startPortal(code, join(folder, `${port}.log`), port, settings)
  const webs: Running[] = await Promise.all(ports.map((port) => start(port, ROOT)))
  onTestFinished(async () => void (await Promise.all(webs.map((web) => web.kill('SIGKILL')))))

  const balancer = openBalancer(ports)
  onTestFinished(balancer.close)
  const { ask, close } = openAsk(balancer.next)
  onTestFinished(close)
  const load = startLoad(ask, accounts)
  onTestFinished(load.stop)
  const restart = async (i: 0 | 1, code: string) => {
    await webs[i]?.kill('SIGTERM')
    webs[i] = await start(ports[i], code)
    await until('the balancer to see it', async () => balancer.isUp(ports[i]))
  }

  migrate(newer, settings)
  await restart(0, newer)
  await restart(1, newer)
  for (const { email } of accounts) await recordAsNewerVersion(worker.deps.db, email)
  await restart(0, ROOT)
  await until('enough requests', async () => load.requests() >= REQUESTS_MIN)
  await load.stop()
  const { failedReads, failedWrites } = load.begin('')
  expect([failedReads, failedWrites]).toEqual([[], []])
  const { rows } = await worker.deps.pool.query<{ loid: string }>('select loid from leads')
  expect(rows.map(({ loid }) => loid).toSorted()).toEqual(load.acknowledged.map(({ loid }) => loid).toSorted())
})

/** Records what only the newer version knows, as it would have done while it ran (D135). */
async function recordAsNewerVersion(db: Awaited<ReturnType<typeof startWorker>>['deps']['db'], email: string) {
  await sql`insert into events (id, partner_id, type, loid, data, created_at)
            select ${newId()}, partner_id, 'lead.signed', 'LO-7K3M9QAZ', '{}', now() from people where email = ${email}`.execute(
    db,
  )
  await sql`insert into security_log (id, partner_id, at, event, kind)
            select ${newId()}, partner_id, now(), 'lead-exported', 'account' from people where email = ${email}`.execute(
    db,
  )
}

/** A balancer within the test: it chooses among the processes that were ready when it last asked. */
function openBalancer(ports: readonly number[]) {
  const ready = new Set(ports)
  let turn = 0
  let isOver = false
  async function check(port: number): Promise<void> {
    while (!isOver) {
      if (await isReady(port)) ready.add(port)
      else ready.delete(port)
      await sleep(CHECK_MS)
    }
  }
  for (const port of ports) void check(port)
  return {
    next: () => [...ready][turn++ % ready.size] ?? 0,
    isUp: (port: number) => ready.has(port),
    close: () => void (isOver = true),
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
