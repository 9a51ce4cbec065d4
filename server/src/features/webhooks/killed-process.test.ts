import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../testing/databases.ts'
import { type KillablePortal, startKillablePortal } from '../../testing/killable-portal.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

/** Longer than a killed process's claim lasts. */
const CLAIM_MS = 30_000

const env = { WEBHOOK_ALLOW_PRIVATE: 'true' }

let database: TestDatabase
let receiver: Receiver
let folder: string
let server: KillablePortal | undefined
beforeEach(async () => {
  database = await createDatabase()
  receiver = await startReceiver()
  folder = await mkdtemp(join(tmpdir(), 'portal-killed-'))
})
afterEach(async () => {
  await server?.kill()
  await receiver[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Sends a partner's request to the server that the test will kill. */
async function askServer(url: string, partner: TestPartner, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${partner.token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(201)
}

async function subscribe(portal: TestPortal): Promise<TestPartner> {
  const partner = await portal.newPartner()
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  return partner
}

async function logsOf(portal: TestPortal, { token }: TestPartner) {
  return (await portal.get('/dashboard/webhook-logs?limit=100', { token })).body.data
}

function allSucceed(portal: TestPortal, partner: TestPartner, count: number) {
  return waitFor('every delivery to succeed', async () => {
    const logs: { status: string; attempts: number }[] = await logsOf(portal, partner)
    return logs.length === count && logs.every((log) => log.status === 'success') && logs
  })
}

test('if a process is killed after an answer and before it records the answer, the delivery is attempted again with the same id and succeeds', async () => {
  let partner: TestPartner
  {
    await using before = await startPortal({ env, on: { database } })
    partner = await subscribe(before)
  }
  server = await startKillablePortal({ databaseUrl: database.url, folder, env })
  const { url, kill } = server
  const { promise: answered, resolve: answer } = Promise.withResolvers<() => void>()
  receiver.respond = (response) => answer(() => response.writeHead(200).end())
  await askServer(url, partner, '/dashboard/webhook-test', {})
  const respond = await answered

  await using after = await startPortal({ env, on: { database } })
  // The process cannot record the answer before this transaction ends, so it is killed between the answer and the
  // record.
  await after.deps.db.transaction().execute(async (tx) => {
    await tx.selectFrom('webhook_logs').select('id').where('partner_id', '=', partner.id).forUpdate().execute()
    respond()
    const blocked = await waitFor('the record of the answer to wait for the transaction', async () => {
      const { rows } = await after.deps.pool.query<{ pid: number }>(
        `select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%outcome as materialized%'`,
      )
      return rows[0]
    })
    await kill()
    // Without this call, PostgreSQL would finish the statement, because it does not notice that its client is gone.
    await after.deps.pool.query('select pg_terminate_backend($1)', [blocked.pid])
  })
  expect(await logsOf(after, partner)).toMatchObject([{ status: 'pending', attempts: 0 }])

  receiver.respond = (response) => response.writeHead(200).end()
  after.advance(CLAIM_MS)
  const [first, second] = await receiver.first(2)
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.text).toBe(first?.text)
  expect(await allSucceed(after, partner, 1)).toMatchObject([{ attempts: 1 }])
  expect(receiver.received).toHaveLength(2)
})

test('if a process is killed during its work, every acknowledged event is still delivered', async () => {
  let partner: TestPartner
  {
    await using before = await startPortal({ env, on: { database } })
    partner = await subscribe(before)
  }
  server = await startKillablePortal({ databaseUrl: database.url, folder, env })
  const { url, kill } = server
  for (let i = 0; i < 20; i++) {
    const form = { firstName: 'Jo', lastName: `Marsh ${i}`, email: `jo${i}@example.com`, phone: '0491 570 156' }
    await askServer(url, partner, '/dashboard/leads', { ...form, businessName: `Saltbush ${i}` })
  }
  await kill()

  await using after = await startPortal({ env, on: { database } })
  await allFannedOut(after)
  after.advance(CLAIM_MS)
  await allSucceed(after, partner, 20)
  const loids = new Set(receiver.received.map((one) => one.body.data.loid))
  const ids = new Set(receiver.received.map((one) => one.headers['webhook-id']))
  expect([loids.size, ids.size]).toEqual([20, 20])
})

async function allFannedOut(portal: TestPortal): Promise<void> {
  const left = portal.deps.db.selectFrom('events').select('id').where('to_deliver', '=', true)
  await waitFor('every event to have its delivery', async () => (await left.execute()).length === 0)
}
