import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDatabase } from '../testing/databases.ts'
import { startPortal } from '../testing/start-portal.ts'
import { openDatabase } from './database.ts'

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
