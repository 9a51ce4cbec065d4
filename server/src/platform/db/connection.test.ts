import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { openDatabaseProxy } from '../../testing/database-proxy.ts'
import { createDatabase } from '../../testing/databases.ts'
import { findPooler, openPooler } from '../../testing/pooler.ts'
import { newLead, startPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { clientFor, connectionSettings, DIRECT } from './connection.ts'
import { isDatabaseAway, openDatabase } from './database.ts'

test('the driver gets a callback for a statement that is awaited, and an error’s stack leads to who awaits it', async () => {
  const { url } = await createDatabase()
  using driver = vi.spyOn(pg.Client.prototype, 'query')
  const client = new (clientFor(DIRECT))(connectionSettings(url))
  await client.connect()
  expect((await client.query('select $1::int as n', [7])).rows).toEqual([{ n: 7 }])
  const error = await client.query('select nothing').catch((failure: unknown) => failure)
  expect(error).toMatchObject({ code: '42703', stack: expect.stringContaining('connection.test') })
  for (const words of driver.mock.calls) expect(words).toContainEqual(expect.any(Function))
  await client.end()
})

const pooler = findPooler()

test.skipIf(!pooler)(
  'the portal works behind PgBouncer in transaction mode (skipped if pgbouncer is not installed)',
  async () => {
    const own = await createDatabase()
    await using way = await openDatabaseProxy(own.url)
    await using bouncer = await openPooler(pooler?.program ?? '', way.url)
    await using portal = await startPortal({
      withCrm: true,
      on: { database: { ...own, url: bouncer.url } },
      env: {
        DATABASE_URL: bouncer.url,
        DATABASE_DIRECT_URL: own.url,
        DATABASE_PREPARED_STATEMENTS: pooler?.prepares ? 'on' : 'off',
        RATE_LIMITS: 'on',
      },
    })
    const partner = await portal.newPartner()
    const { loid } = await partner.submitLead()
    expect((await partner.pushedLead(loid)).crm).toBe('synced')
    const paths = ['/profile', '/dashboard/leads', '/dashboard/stats', '/crm/search?q=nkem', `/crm/lead/${loid}`]
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => partner.get(paths[i % paths.length] ?? '')))
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [200, undefined]))
    expect((await portal.get('/ready')).status).toBe(200)
  },
)

/** Sets a database's own defaults, as an operator can. */
async function alterDatabase(url: string, ...settings: string[]): Promise<void> {
  const { pool, close } = openDatabase(url, () => undefined)
  const name = new URL(url).pathname.slice(1)
  for (const setting of settings) await pool.query(`alter database ${name} set ${setting}`)
  await close()
}

test('the database’s own settings do not override the settings that the portal relies on', async () => {
  const own = await createDatabase()
  await alterDatabase(
    own.url,
    "timezone to 'Australia/Sydney'",
    "datestyle to 'German'",
    "intervalstyle to 'sql_standard'",
    'standard_conforming_strings to off',
    "bytea_output to 'escape'",
    "default_transaction_isolation to 'serializable'",
    'statement_timeout to 1',
    'lock_timeout to 1',
  )
  await using portal = await startPortal({ withCrm: true, on: { database: own } })
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  expect((await partner.pushedLead(loid)).crm).toBe('synced')
  const { lead } = (await partner.get(`/crm/lead/${loid}`)).body.data
  expect(lead.created_at).toBe(new Date(lead.created_at).toISOString())
  const { rows } = await portal.deps.pool.query(
    "select current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as lock, '\\d' as text",
  )
  expect(rows).toEqual([{ isolation: 'read committed', lock: '0', text: '\\d' }])
})

test('the portal refuses to start while the sessions behind a pooler are not in UTC', async () => {
  const own = await createDatabase()
  await alterDatabase(own.url, "timezone to 'Australia/Sydney'")
  const env = { DATABASE_URL: own.url, DATABASE_DIRECT_URL: own.url }
  const start = startPortal({ on: { database: own }, env })
  await expect(start).rejects.toThrow(/have timezone = Australia\/Sydney.*"alter role postgres set timezone to 'UTC'"/)
  await using portal = await startPortal({ on: { database: own } })
  expect((await portal.get('/ready')).status).toBe(200)
})

test('the portal refuses to start if its tables would go into another schema, and creates no tables', async () => {
  const own = await createDatabase()
  await alterDatabase(own.url, 'search_path to elsewhere, public')
  const { pool, close } = openDatabase(own.url, () => undefined)
  await pool.query('create schema elsewhere')
  await expect(startPortal({ on: { database: own } })).rejects.toThrow(/search_path leads to the schema elsewhere/)
  expect((await pool.query("select from pg_tables where schemaname = 'elsewhere'")).rowCount).toBe(0)
  await close()
})

test('the portal refuses to start if DATABASE_DIRECT_URL leads to another database', async () => {
  const [own, other] = [await createDatabase(), await createDatabase()]
  const env = { DATABASE_URL: own.url, DATABASE_DIRECT_URL: other.url }
  await expect(startPortal({ on: { database: own }, env })).rejects.toThrow(
    /^DATABASE_DIRECT_URL and DATABASE_URL lead to different databases/,
  )
})

test('with several database hosts, the portal uses one that answers, and switches to another when that one falls silent', async () => {
  const own = await createDatabase()
  await using first = await openDatabaseProxy(own.url)
  await using second = await openDatabaseProxy(own.url)
  const url = first.url.replace(/:\d+\//, (port) => `${port.slice(0, -1)},${new URL(second.url).host}/`)
  first.fallSilent()
  await using portal = await startPortal({ on: { database: { ...own, url } }, env: { DATABASE_TIMEOUT_MS: '2500' } })
  const partner = await portal.newPartner()

  first.passNew()
  second.fallSilent()
  await waitFor(
    'a lead to be accepted over the first host',
    async () => (await partner.post('/dashboard/leads', newLead())).status === 201,
  )
  await waitFor('every pool to answer', async () => (await portal.get('/ready')).status === 200)
  expect((await partner.get('/dashboard/leads')).status).toBe(200)
})

test('a database server that has become read-only is treated as unavailable, and its connections are closed', async () => {
  await using portal = await startPortal({ env: { DATABASE_TIMEOUT_MS: '30000' } })
  const partner = await portal.newPartner()
  const name = new URL(portal.database.url).pathname.slice(1)
  const { pool, close } = openDatabase(portal.database.url, () => undefined)
  await pool.query(`alter database ${name} set default_transaction_read_only to on`)
  await portal.withoutDatabase(async () => undefined)

  const refused = await waitFor('the new connections', async () => {
    const answer = await partner.post('/dashboard/leads', newLead())
    return (await partner.get('/profile')).status === 200 && answer
  })
  expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE'])
  expect((await portal.get('/ready')).status).toBe(503)
  await pool.query(`set transaction_read_only to off; alter database ${name} reset default_transaction_read_only`)
  await close()
  await waitFor('a lead to be accepted', async () => (await partner.post('/dashboard/leads', newLead())).status === 201)
  // Only a write shows the portal that a connection leads to a read-only server. The portal would not write over every
  // connection before the test ends, so all connections are replaced here.
  await portal.withoutDatabase(async () => undefined)
  await waitFor('every pool to answer', async () => (await portal.get('/ready')).status === 200)
})

test('a full database disk and an unreachable name server are treated as an unavailable database', async () => {
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  await portal.deps.pool.query(`
    create function disk_is_full() returns trigger language plpgsql as
      $$ begin raise 'could not extend file' using errcode = 'disk_full'; end $$;
    create trigger disk_is_full before insert on leads execute function disk_is_full()`)
  const { status, body } = await partner.post('/dashboard/leads', newLead())
  expect([status, body.code]).toEqual([503, 'UNAVAILABLE'])
  expect(isDatabaseAway(Object.assign(new Error('getaddrinfo EAI_AGAIN db'), { code: 'EAI_AGAIN' }))).toBe(true)
})
