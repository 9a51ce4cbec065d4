import Fastify from 'fastify'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabaseProxy } from '../../testing/database-proxy.ts'
import { createDatabase } from '../../testing/databases.ts'
import { openLender } from '../../testing/lender.ts'
import { countLockWaits } from '../../testing/lock-waits.ts'
import { type Answer, newLead, startPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { openDatabase } from '../db/database.ts'
import { healthRoutes, LateAnswer } from './health.ts'

test('/health and /ready answer 200 without a session and without the CRM', async () => {
  await using portal = await startPortal()
  const data = { status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+$/), commit: null }
  expect(await portal.get('/health')).toMatchObject({ status: 200, body: { success: true, data } })
  expect(await portal.get('/ready')).toMatchObject({ status: 200, body: { success: true, data: { status: 'ready' } } })
})

test('the portal answers 503 while the database is away, and works again afterwards', async () => {
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  await portal.withoutDatabase(async () => {
    const ready = await portal.get('/ready')
    expect([ready.status, ready.body]).toEqual([
      503,
      { success: false, error: 'The database does not answer', code: 'UNAVAILABLE' },
    ])
    expect((await portal.get('/health')).status).toBe(200)
    for (const path of ['/profile', '/dashboard/leads', '/crm/search?q=x', '/dashboard/stats']) {
      const answer = await partner.get(path)
      expect([path, answer.status, answer.body.code]).toEqual([path, 503, 'UNAVAILABLE'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(JSON.stringify(answer.body)).not.toMatch(/ECONN|postgres|terminat/i)
    }
    expect((await partner.post('/dashboard/leads', {})).status).toBe(503)
  })
  await waitFor('the database to be back', async () => (await portal.get('/ready')).status === 200)
  for (let i = 0; i < 4; i++) expect((await partner.get('/profile')).status).toBe(200)
})

test('a lost connection makes only its own transaction fail', async () => {
  await using portal = await startPortal()
  const lost = portal.deps.db.transaction().execute(async (tx) => {
    await portal.withoutDatabase(async () => {
      await waitFor('the database to be away', async () => (await portal.get('/ready')).status === 503)
    })
    await sql`select 1`.execute(tx)
  })
  await expect(lost).rejects.toThrow(/terminat|connection/i)
  await waitFor('the database to be back', async () => (await portal.get('/ready')).status === 200)
})

test('while all connections of the jobs wait for a lock, the portal is still ready', async () => {
  await using portal = await startPortal({ withCrm: true, env: { DATABASE_POOL: '2' } })
  const partner = await portal.newPartner()
  const id = await waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)
  await openLender(portal.crmUrl).create('Leads', { Last_Name: 'Rivera', Partner: { id } })
  const sync = await portal.deps.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${partner.id}, 1))`.execute(tx)
    const pressed = partner.post('/crm/sync')
    await waitFor('the sync to wait for the lock', async () => (await countLockWaits(tx)) > 0)
    expect((await portal.get('/ready')).status).toBe(200)
    return { pressed }
  })
  expect((await sync.pressed).status).toBe(200)
})

test('when the database falls silent, no request takes longer than its deadline or waits for the old connections', async () => {
  const own = await createDatabase()
  await using proxy = await openDatabaseProxy(own.url)
  await using portal = await startPortal({
    on: { database: { ...own, url: proxy.url } },
    env: { DATABASE_TIMEOUT_MS: '1000' },
  })
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  expect((await portal.get('/ready')).status).toBe(200)

  proxy.fallSilent()
  const silent = await Promise.all([
    partner.get('/profile'),
    partner.get('/dashboard/leads'),
    partner.get('/dashboard/stats'),
    partner.post('/dashboard/leads', newLead()),
  ])
  expect(silent.map(({ status, body }) => [status, body.code])).toEqual(silent.map(() => [503, 'UNAVAILABLE']))
  expect((await portal.get('/health')).status).toBe(200)
  await waitFor('the portal to be away', async () => (await portal.get('/ready')).status === 503)

  proxy.passNew()
  await waitFor('the portal to be ready', async () => (await portal.get('/ready')).status === 200)
  for (const path of ['/profile', '/dashboard/leads', '/dashboard/stats', '/crm/search?q=x', `/crm/lead/${loid}`]) {
    expect([path, (await partner.get(path)).status]).toEqual([path, 200])
  }
  await partner.submitLead()
  await portal.post('/auth/forgot-password', { email: partner.email })
  await portal.mailTo(partner.email, 'reset')
})

test('all the statements of a request together have one budget, 1.6 times the deadline of one statement', async () => {
  const own = await createDatabase()
  await using proxy = await openDatabaseProxy(own.url)
  await using portal = await startPortal({
    on: { database: { ...own, url: proxy.url } },
    env: { DATABASE_TIMEOUT_MS: '1000' },
  })
  const partner = await portal.newPartner()
  const key = (await partner.post('/dashboard/generate-api-key')).body.data.api_key
  const { loid } = await partner.submitLead()

  async function refusedAfterMs(asked: Promise<Answer>): Promise<number> {
    const askedAt = performance.now()
    const { status, body, headers } = await asked
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
    return performance.now() - askedAt
  }

  // Each statement is in time, but a note needs more than four of them.
  proxy.delay(400)
  expect(await refusedAfterMs(partner.post('/crm/note', { loid, content: 'A note' }))).toBeLessThan(2_400)
  proxy.delay(0)

  // Both the submission and the row that logs its refusal wait for a lock.
  const { pool, close } = openDatabase(own.url, () => undefined)
  const holder = await pool.connect()
  await holder.query('begin; lock table leads, webhook_logs')
  const byKey = portal.post('/partner/leads', newLead(), { token: key })
  expect(await refusedAfterMs(byKey)).toBeLessThan(2_000)
  await holder.query('rollback')
  holder.release()
  await close()

  // No later request gets a connection on which an abandoned statement still runs.
  const lists = await Promise.all(Array.from({ length: 30 }, () => partner.get('/dashboard/leads')))
  expect(lists.map(({ status, body }) => [status, body.data.leads.length])).toEqual(lists.map(() => [200, 1]))
})

test('the portal still starts if the database goes away and comes back during the start', async () => {
  const own = await createDatabase()
  const answers: [number, string][] = []
  const starting = { success: false, error: 'The portal is starting', code: 'UNAVAILABLE' }
  await using portal = await startPortal({
    on: { database: own },
    async prepare({ publicUrl, db }) {
      const ready = await fetch(`${publicUrl}/api/ready`)
      answers.push([ready.status, await ready.text()])
      if (answers.length === 1) await own.away(async () => void (await sql`select 1`.execute(db)))
    },
  })
  expect(answers).toEqual([
    [503, JSON.stringify(starting)],
    [503, JSON.stringify(starting)],
  ])
  expect((await portal.get('/ready')).status).toBe(200)
})

test('one late answer of the database is no reason to send visitors away; two in a row, or a refusal, are', async () => {
  const app = Fastify()
  const answers: (Error | undefined)[] = []
  healthRoutes(app, {
    servesPages: false,
    isStarted: () => true,
    isStopping: () => false,
    async reachDatabase() {
      const error = answers.shift()
      if (error) throw error
    },
  })
  const late = new LateAnswer('late')
  answers.push(late, undefined, late, late, undefined, new Error('connection refused'))
  const statuses: number[] = []
  for (let i = 0; i < 6; i += 1) statuses.push((await app.inject('/api/ready')).statusCode)
  expect(statuses).toEqual([200, 200, 200, 503, 200, 503])
})
