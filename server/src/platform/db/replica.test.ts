import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { openDatabaseProxy } from '../../testing/database-proxy.ts'
import { createDatabase } from '../../testing/databases.ts'
import { messagesOf } from '../../testing/messages-of.ts'
import { startPostgresPair } from '../../testing/postgres-pair.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const MetricsPort = z.object({ msg: z.literal('metrics are served'), port: z.number() })

let pair: Awaited<ReturnType<typeof startPostgresPair>>
let way: Awaited<ReturnType<typeof openDatabaseProxy>>
let standby: pg.Client
let portal: TestPortal
/** A second process of the portal, and the proxy over which it receives notifications. */
let other: TestPortal
let hearing: Awaited<ReturnType<typeof openDatabaseProxy>>
let metricsPort = 0

beforeAll(async () => {
  pair = await startPostgresPair()
  way = await openDatabaseProxy(pair.standbyUrl)
  hearing = await openDatabaseProxy(pair.primaryUrl)
  standby = new pg.Client(pair.standbyUrl)
  await standby.connect()
  const database = {
    url: pair.primaryUrl,
    away: () => Promise.reject(new Error('these tests cannot take the database away')),
  }
  const env = { DATABASE_URL: pair.primaryUrl, DATABASE_READ_URL: way.url }
  portal = await startPortal({
    on: { database },
    env: { ...env, METRICS_PORT: '0' },
    onLogLine(line) {
      metricsPort ||= MetricsPort.safeParse(JSON.parse(line)).data?.port ?? 0
    },
  })
  other = await startPortal({ on: { database }, env: { ...env, ROLE: 'web', DATABASE_DIRECT_URL: hearing.url } })
})
afterAll(async () => {
  await standby.end()
  await other[Symbol.asyncDispose]()
  await portal[Symbol.asyncDispose]()
  await way[Symbol.asyncDispose]()
  await hearing[Symbol.asyncDispose]()
  await pair[Symbol.asyncDispose]()
})

const PATHS = [
  '/dashboard/leads',
  '/dashboard/leads?status=Pre%20Call',
  '/dashboard/deals',
  '/crm/search?q=okafor',
  '/dashboard/stats',
  '/dashboard/recent-activity',
  '/dashboard/pipeline',
  '/dashboard/trends',
]

/** How many of the first process's reads were answered by the replica. */
async function readsOfReplica(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return Number(/^portal_replica_reads_total\{answered_by="replica"\} (\d+)$/m.exec(text)?.[1])
}

async function answeredByReplica(ask: () => Promise<unknown>): Promise<number> {
  const before = await readsOfReplica()
  await ask()
  return (await readsOfReplica()) - before
}

/**
 * Waits until the replica answers reads and has every change to the partner's data that the portal was notified of. On
 * a busy machine the portal can stop using the replica for a moment.
 */
function caughtUp(partner: TestPartner, path = '/dashboard/stats'): Promise<unknown> {
  return waitFor(`the replica’s ${path}`, async () => (await answeredByReplica(() => partner.get(path))) === 1)
}

async function shownBy(process: TestPortal, { token }: TestPartner) {
  const [list, found, stats] = await Promise.all(
    ['/dashboard/leads', '/crm/search?q=okafor', '/dashboard/stats'].map((path) => process.get(path, { token })),
  )
  const { leads } = list?.body.data ?? {}
  return {
    leads: leads.length,
    status: leads[0]?.lead_status,
    found: found?.body.data.total_leads,
    total: stats?.body.data.total_leads,
  }
}

test('the lists, the search and the dashboard use the replica, unless it lacks a change to the partner’s data', async () => {
  const [partner, quiet] = [await portal.newPartner(), await portal.newPartner()]
  const { loid } = await partner.submitLead()
  await caughtUp(partner)
  await caughtUp(quiet)
  for (const path of PATHS) await caughtUp(partner, path)
  expect(await shownBy(portal, partner)).toEqual({ leads: 1, status: 'New Lead', found: 1, total: 1 })

  await standby.query('select pg_wal_replay_pause()')
  try {
    // Every process shows a write once the write is answered, even if the notification is late or lost.
    hearing.fallSilent()
    await partner.submitLead()
    await caughtUp(quiet)
    expect(await shownBy(other, partner)).toEqual({ leads: 2, status: 'New Lead', found: 2, total: 2 })
    expect(await shownBy(portal, partner)).toEqual({ leads: 2, status: 'New Lead', found: 2, total: 2 })

    // Once any process has told an open page about a change from the CRM, every process shows the change.
    const stream = await fetch(`${portal.url}/api/live`, { headers: { authorization: `Bearer ${partner.token}` } })
    const messages = messagesOf(stream)
    const told = (async () => {
      for await (const { data } of messages) if (data.includes('lead.changed') && data.includes(loid)) return
    })()
    await portal.deps.pool.query(
      "update leads set lead_status = 'Pre Call', modified_time = now() where loid <> $1 and partner_id = $2",
      [loid, partner.id],
    )
    await portal.deps.pool.query('update leads set modified_time = now() where loid = $1', [loid])
    await told
    expect((await shownBy(other, partner)).status).toBe('Pre Call')

    expect(await answeredByReplica(() => shownBy(portal, partner))).toBe(0)
    // Not every change has a notification, so a replica that falls behind is used for at most five seconds.
    await waitFor('the primary to answer', async () => (await answeredByReplica(() => shownBy(portal, quiet))) === 0)
  } finally {
    await standby.query('select pg_wal_replay_resume()')
  }
  await caughtUp(partner)
  expect(await shownBy(portal, partner)).toEqual({ leads: 2, status: 'Pre Call', found: 2, total: 2 })
})

test('a read that the replica cancels to replay a change is repeated on the primary', async () => {
  const partner = await portal.newPartner()
  await partner.submitLead()
  const { pool } = portal.deps
  await standby.query('alter system set max_standby_streaming_delay to 0')
  await standby.query('select pg_reload_conf()')
  // Makes a table slow to read on both servers.
  await pool.query(`alter table record_counts rename to counts_kept`)
  await pool.query('create view record_counts as select * from counts_kept where pg_sleep(0.3) is not null')
  try {
    await caughtUp(partner)
    const byReplica = await answeredByReplica(async () => {
      const asked = partner.get('/dashboard/stats')
      await waitFor('the read to begin', async () => {
        const { rows } = await standby.query("select 1 from pg_stat_activity where wait_event = 'PgSleep'")
        return rows.length > 0
      })
      await pool.query('begin; lock table counts_kept; commit')
      const { status, body } = await asked
      expect([status, body.data?.total_leads]).toEqual([200, 1])
    })
    expect(byReplica).toBe(0)
  } finally {
    await pool.query('drop view record_counts; alter table counts_kept rename to record_counts')
  }
})

test('while the replica is silent, the primary answers, and afterwards the replica answers again', async () => {
  const partner = await portal.newPartner()
  await caughtUp(partner)
  way.fallSilent()
  const answers = await Promise.all(PATHS.map((path) => partner.get(path)))
  expect(answers.map(({ status }) => status)).toEqual(PATHS.map(() => 200))
  expect((await portal.get('/ready')).status).toBe(200)
  expect(await answeredByReplica(() => Promise.all(PATHS.map((path) => partner.get(path))))).toBe(0)
  way.passNew()
  await caughtUp(partner)
})

test('a promoted replica gets no more reads', async () => {
  const partner = await portal.newPartner()
  await caughtUp(partner)
  await standby.query('select pg_promote()')
  await partner.submitLead()
  expect(await shownBy(portal, partner)).toEqual({ leads: 1, status: 'New Lead', found: 1, total: 1 })
  expect(await answeredByReplica(() => shownBy(portal, partner))).toBe(0)
})

test('a server that is not a replica of the database gets no reads, and the log says why', async () => {
  const [own, foreign] = [await createDatabase(), await createDatabase()]
  // A separate portal, which has the same tables and writes beats of its own (see replica.ts).
  await using _ = await startPortal({
    on: { database: foreign },
    env: { DATABASE_URL: foreign.url, DATABASE_READ_URL: foreign.url },
  })
  const told = new Map<string, string>()
  const startWith = (readUrl: string) =>
    startPortal({
      on: { database: own },
      env: { DATABASE_URL: own.url, DATABASE_READ_URL: readUrl },
      onLogLine: (line) => void (/replica (?:answers|has caught up)/.test(line) && told.set(readUrl, line)),
    })
  const nowhere = 'postgres://127.0.0.1:1/portal'
  await using portal = await startWith(foreign.url)
  await using __ = await startWith(nowhere)
  await waitFor('a log line about each server', async () => told.size === 2)
  expect(told.get(foreign.url)).toMatch(/DATABASE_READ_URL shows nothing.*the primary answers all reads/)
  expect(told.get(nowhere)).toMatch(/ECONNREFUSED.*the primary answers all reads/)
  const partner = await portal.newPartner()
  await partner.submitLead()
  expect((await shownBy(portal, partner)).leads).toBe(1)
})
