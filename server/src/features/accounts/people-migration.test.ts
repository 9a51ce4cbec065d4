import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, test } from 'vitest'
import { openDatabase } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { createDatabase } from '../../testing/databases.ts'
import { startPortal } from '../../testing/start-portal.ts'
import { hashPassword } from './passwords.ts'
import { hashToken } from './tokens.ts'

const FOLDER = join(import.meta.dirname, '../../../migrations')
const BEFORE_PEOPLE = '0015_notes_of_the_crm'
const PASSWORD = 'correct-horse-battery'

test('open accounts that are older than the table `people` keep their password, session, reset link and CRM record, and closed accounts give no access', async () => {
  const database = await createDatabase()
  const { db, close } = openDatabase(database.url, () => undefined)
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
  const migrations = files.map((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    return [file.replace(/\.sql$/, ''), { up: async () => void (await sql.raw(text).execute(db)) }] as const
  })
  const provider = { getMigrations: () => Promise.resolve(Object.fromEntries(migrations)) }
  expect((await new Migrator({ db, provider }).migrateTo(BEFORE_PEOPLE)).error).toBeUndefined()

  const [now, later] = [new Date(), new Date(Date.now() + 3_600_000)]
  const ids = { open: newId(now), closed: newId(now) }
  const passwordHash = await hashPassword(PASSWORD)
  for (const [name, id] of Object.entries(ids)) {
    await sql`insert into partners (id, email, business_name, first_name, phone, password_hash, email_verified, is_active, zoho_id, crm,
                                    created_at, modified_time, closed_at)
              values (${id}, 'ada@example.com', 'Ada Broking', 'Ada', '+61491570006', ${passwordHash}, true, ${name === 'open'},
                      ${name === 'open' ? '77' : null}, 'synced', ${now}, ${now}, ${name === 'open' ? null : now})`.execute(
      db,
    )
    await sql`insert into sessions (token_hash, partner_id, signed_in_at, expires_at, family_id)
              values (${hashToken(`session-${name}`)}, ${id}, ${now}, ${later}, ${newId(now)})`.execute(db)
    await sql`insert into account_tokens (token_hash, partner_id, purpose, expires_at)
              values (${hashToken(`reset-${name}`)}, ${id}, 'reset-password', ${later})`.execute(db)
    await sql`insert into known_sources (partner_id, source_hash, seen_at)
              values (${id}, ${hashToken('address')}, ${now})`.execute(db)
  }
  await close()

  await using portal = await startPortal({ on: { database } })
  const owner = { token: 'session-open' }
  expect((await portal.get('/profile', owner)).body.data).toEqual({
    id: ids.open,
    person_id: expect.any(String),
    role: 'owner',
    tax: null,
    zoho_id: '77',
    business_name: 'Ada Broking',
    first_name: 'Ada',
    last_name: null,
    email: 'ada@example.com',
    phone: '+61491570006',
    is_active: true,
    email_verified: true,
  })
  const signedIn = await portal.post('/auth/login', { email: 'ada@example.com', password: PASSWORD })
  expect(signedIn.body).toMatchObject({ partner: { id: ids.open }, person: { role: 'owner' } })
  const reset = (token: string) => portal.post('/auth/reset-password', { token, newPassword: 'another-fine-horse' })
  expect((await reset('reset-open')).status).toBe(200)

  expect((await portal.get('/profile', { token: 'session-closed' })).status).toBe(401)
  expect((await reset('reset-closed')).status).toBe(400)
})
