import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { hashPassword } from '../../features/accounts/passwords.ts'
import { hashToken } from '../../features/accounts/tokens.ts'
import { createDatabase } from '../../testing/databases.ts'
import { startPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { type Database, openDatabase } from './database.ts'
import { newId } from './ids.ts'
import { findOwnMigrations, migrate } from './migrate.ts'

/** The last migration of the version before 0.3.0. */
const FORMER_VERSION = '0038_erased_loan_purpose'

/** A database with the schema of the former version. */
async function createFormerDatabase() {
  const database = await createDatabase()
  const former = openDatabase(database.url, () => undefined)
  await former.pool.query('drop schema public cascade; create schema public')
  await migrate(former.db, FORMER_VERSION)
  return { database, former }
}

/** A database that a newer portal has migrated, with migrations that this portal does not have. */
async function createNewerDatabase(...migrations: string[]) {
  const database = await createDatabase()
  const { db, close } = openDatabase(database.url, () => undefined)
  await sql`alter table leads add column referrer text`.execute(db)
  for (const name of migrations) {
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(db)
  }
  await close()
  return database
}

test.each(['on', 'off'])('a portal runs on the schema of the next version, with MIGRATE=%s', async (MIGRATE) => {
  const database = await createNewerDatabase('9001_version_9_1', '9002_referrer')
  await using portal = await startPortal({ on: { database }, env: { MIGRATE } })
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  expect((await partner.get(`/crm/lead/${loid}`)).status).toBe(200)
})

test('a portal refuses a schema that is two versions newer, and a schema with an unknown older migration', async () => {
  const database = await createNewerDatabase('9001_version_9_1', '9002_version_9_2')
  for (const MIGRATE of ['on', 'off']) {
    await expect(startPortal({ on: { database }, env: { MIGRATE } })).rejects.toThrow(
      'two versions newer than this portal',
    )
  }
  const foreign = await createNewerDatabase('0000_of_another_program')
  await expect(startPortal({ on: { database: foreign } })).rejects.toThrow('0000_of_another_program is missing')
})

test('with MIGRATE=off a database that lacks a migration is refused, and the error names the command', async () => {
  const database = await createDatabase()
  const { db, close } = openDatabase(database.url, () => undefined)
  await sql`delete from kysely_migration where name = '0010_leases'`.execute(db)
  await close()
  const start = startPortal({ on: { database }, env: { MIGRATE: 'off' } })
  await expect(start).rejects.toThrow('lacks migration 0010_leases: run npm run portal -- migrate')
})

test('a database that the former version filled is upgraded: people sign in, and find their leads and deals', async () => {
  const { database, former } = await createFormerDatabase()
  const filled = await fillAsFormerVersion(former)
  await former.close()

  await using portal = await startPortal({ on: { database }, env: { ROLE: 'web' } })
  const { token } = (await portal.post('/auth/login', { email: filled.email, password: filled.password })).body
  for (const owner of [{ token }, { token: filled.session }]) {
    const [stats, news] = await Promise.all([
      portal.get('/dashboard/stats', owner),
      portal.get('/dashboard/news', owner),
    ])
    expect([stats.status, stats.body.data.total_leads, news.status]).toEqual([200, 2, 200])
    const { body } = await portal.get('/dashboard/attention', owner)
    expect(body.data.items).toMatchObject(expect.arrayContaining([expect.objectContaining({ loid: 'LO-FA1EDFA1' })]))
    const { lead, notes } = (await portal.get('/crm/lead/LO-AAAA2222', owner)).body.data
    expect([lead.business_name, notes[0].content]).toEqual(['Ngāti Toa Haulage', 'Called back'])
    expect((await portal.get('/crm/lead/LO-AAAA2222/status-history', owner)).body.data).toHaveLength(1)
  }
  const found = async (q: string) => {
    const { leads, deals } = (await portal.get(`/crm/search?q=${encodeURIComponent(q)}`, { token })).body.data
    return [...leads, ...deals].map((row: { loid: string }) => row.loid)
  }
  expect(await found('0491 570 006')).toEqual(['LO-DEA12222'])
  expect(await found('NGATI TOA')).toEqual(['LO-AAAA2222'])
  expect(await found('obrien pty ltd')).toEqual(['LO-DEA12222'])
  expect(await found('lead2222')).toEqual(['LO-DEA12222'])
})

/** A partner with a person, a session, two leads with a note, a deal that replaced a third lead, and their events. */
async function fillAsFormerVersion({ db }: Database) {
  const at = new Date(Date.now() - 40 * 86_400_000).toISOString()
  const [partner, person] = [newId(), newId()]
  const [email, password, session] = ['ada@example.com', 'correct-horse-battery', 'a-session']
  await sql`insert into partners (id, business_name, crm, created_at, modified_time)
            values (${partner}, 'Ada Broking', 'synced', ${at}, ${at})`.execute(db)
  await sql`insert into people (id, partner_id, email, password_hash, role, email_verified, created_at, modified_time)
            values (${person}, ${partner}, ${email}, ${await hashPassword(password)}, 'owner', true, ${at}, ${at})`.execute(
    db,
  )
  await sql`insert into sessions (token_hash, person_id, family_id, signed_in_at, confirmed_at, expires_at)
            values (${hashToken(session)}, ${person}, ${newId()}, now(), now(), now() + interval '1 day')`.execute(db)
  await sql`insert into leads (id, partner_id, loid, business_name, email, phone, lead_status, crm, crm_problem, crm_failed_at, created_at, modified_time)
            values (${newId()}, ${partner}, 'LO-AAAA2222', 'Ngāti Toa Haulage', 'toa@example.com', null, 'New Lead', 'synced', null, null, ${at}, ${at}),
                   (${newId()}, ${partner}, 'LO-FA1EDFA1', 'Refused', null, null, 'New Lead', 'failed', 'INVALID_DATA', ${at}, ${at}, ${at})`.execute(
    db,
  )
  await sql`insert into deals (id, partner_id, loid, lead_loid, business_name, phone, stage, crm, created_at, modified_time)
            values (${newId()}, ${partner}, 'LO-DEA12222', 'LO-LEAD2222', 'O’Brien Pty. Limited', '+61491570006', 'Funded', 'synced', ${at}, ${at})`.execute(
    db,
  )
  await sql`insert into history_entries (id, partner_id, kind, loid, value, changed_time, origin)
            values (${newId()}, ${partner}, 'lead-status', 'LO-AAAA2222', 'New Lead', ${at}, 'submitted')`.execute(db)
  await sql`insert into notes (id, partner_id, loid, written_on, content, created_at, crm)
            values (${newId()}, ${partner}, 'LO-AAAA2222', 'lead', 'Called back', ${at}, 'synced')`.execute(db)
  await sql`insert into events (id, partner_id, loid, type, data, created_at)
            values (${newId()}, ${partner}, 'LO-AAAA2222', 'lead.status_changed',
                    '{"business_name": "Ngāti Toa Haulage", "amount": null, "status": "New Lead", "previous": "New"}', ${at})`.execute(
    db,
  )
  return { partner, email, password, session }
}

test('a migration that is killed while it fills in what is searched goes on, and no portal starts before its end', async () => {
  const { database, former } = await createFormerDatabase()
  const { partner } = await fillAsFormerVersion(former)
  await sql`insert into leads (id, partner_id, loid, business_name, lead_status, crm, created_at, modified_time)
            select gen_random_uuid(), ${partner}, 'LO-' || lpad(i::text, 8, '0'), 'Harbour', 'New Lead', 'synced', now(), now()
              from generate_series(1, 1200) i`.execute(former.db)
  const unfilled = async () => {
    const { rows } = await sql`select from leads where search_fold is null`.execute(former.db)
    return rows.length
  }
  await migrate(former.db, (await findOwnMigrations()).at(-1))
  const held = await former.pool.connect()
  await held.query(`begin; update leads set crm = crm where loid = 'LO-AAAA2222'`)
  const filling = openDatabase(database.url, () => undefined)
  const migration = migrate(filling.db)
  migration.catch(() => undefined)
  await waitFor('all other rows to be filled in', async () => (await unfilled()) === 1)
  await filling.pool.end()
  await expect(migration).rejects.toBeInstanceOf(Error)
  await held.query('rollback')
  held.release()
  const start = startPortal({ on: { database }, env: { MIGRATE: 'off' } })
  await expect(start).rejects.toThrow('A search would not find all leads and deals yet: run npm run portal -- migrate')
  await Promise.all([migrate(former.db), migrate(former.db)])
  expect(await unfilled()).toBe(0)
  await former.close()
})

test('a migration that is killed while it builds an index builds the index again and then goes on', async () => {
  const { database, former } = await createFormerDatabase()
  await fillAsFormerVersion(former)
  await migrate(former.db, '0044_search_fold')
  const indexes = async () => {
    const { rows } = await sql<{ name: string; is_valid: boolean }>`
      select relname as name, indisvalid as is_valid from pg_index join pg_class on pg_class.oid = indexrelid
       where relname in ('leads_unfolded', 'leads_looked_up', 'deals_looked_up', 'leads_found') order by 1`.execute(
      former.db,
    )
    return rows.map((row) => `${row.name}${row.is_valid ? '' : ' (invalid)'}`)
  }
  // PostgreSQL builds an index, and then waits for transactions that may have seen the table without it.
  const held = await former.pool.connect()
  await held.query('begin; update leads set crm = crm')
  const building = openDatabase(database.url, () => undefined)
  const migration = migrate(building.db)
  migration.catch(() => undefined)
  const kill = sql<{ killed: boolean }>`
    select pg_terminate_backend(pid, 10000) as killed from pg_stat_activity
     where datname = current_database() and state = 'active' and query like 'create index concurrently%' and wait_event_type = 'Lock'`
  await waitFor('an index to be half built', async () => (await kill.execute(former.db)).rows[0]?.killed)
  await expect(migration).rejects.toBeInstanceOf(Error)
  expect(await indexes()).toEqual(['leads_found', 'leads_unfolded (invalid)'])
  await held.query('rollback')
  held.release()

  // Two processes start again together.
  await Promise.all([migrate(building.db), migrate(former.db)])
  expect(await indexes()).toEqual(['deals_looked_up', 'leads_looked_up', 'leads_unfolded'])
  await Promise.all([building.close(), former.close()])
  await using portal = await startPortal({ on: { database }, env: { MIGRATE: 'off' } })
  expect((await portal.newPartner()).token).toEqual(expect.any(String))
})
