import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDatabase } from '../../testing/databases.ts'
import { openDataFolder } from '../../testing/portal-process.ts'
import { confirmEmail, startPortal } from '../../testing/start-portal.ts'
import { upload } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { openDatabase } from '../db/database.ts'

const SECRETS_KEY = Buffer.alloc(32, 'k').toString('base64')

/** Reads a database: all rows of the tables that a backup contains, as text, and all indexes. */
async function everything(url: string): Promise<Record<string, string[]>> {
  const { pool, close } = openDatabase(url, () => undefined)
  const all: Record<string, string[]> = {}
  const { rows } = await pool.query<{ name: string }>(`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace space on space.oid = relnamespace
     where nspname in ('public', 'jobs') and relkind in ('r', 'p') and not relispartition
       and relname not in ('version', 'bam', 'warning', 'queue_stats', 'kysely_migration', 'kysely_migration_lock') order by 1`)
  for (const { name } of rows) {
    const table = await pool.query<{ row: string }>(
      `select (to_jsonb(t) - 'xid')::text as row from ${name} t order by 1`,
    )
    all[name] = table.rows.map(({ row }) => row)
  }
  const indexes = await pool.query<{ indexdef: string }>(
    "select indexdef from pg_indexes where schemaname in ('public', 'jobs') order by 1",
  )
  all['indexes'] = indexes.rows.map(({ indexdef }) => indexdef)
  await close()
  return all
}

/** An empty database beside the test's own. */
async function createEmpty(): Promise<string> {
  const { url } = await createDatabase()
  const { pool, close } = openDatabase(url, () => undefined)
  await pool.query('drop schema public cascade; create schema public; drop schema jobs cascade')
  await close()
  return url
}

test('a restore brings back every row and the waiting jobs, and the restored portal continues to work', async () => {
  await using folder = await openDataFolder()
  const file = join(folder.path, 'portal.backup')
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', SECRETS_KEY }
  let loid = ''
  let before: Record<string, string[]> = {}
  const portal = await startPortal({ env })
  const { url } = portal.database
  {
    await using _ = portal
    const partner = await portal.newPartner()
    await partner.put('/dashboard/webhook-url', { webhook_url: 'http://127.0.0.1:9999/hook' })
    ;({ loid } = await partner.submitLead({ businessName: 'Tab\tand\\back\nslash "Ünïcode"' }))
    await partner.post(`/crm/note/${loid}`, { content: 'A remark on it' })
    // A file has its content here for as long as the CRM does not have it.
    await confirmEmail(portal, partner)
    await upload(portal, partner, { loid, name: 'bank.txt', content: new TextEncoder().encode('March: 12') })
    // More data than fits into the buffers of a restore's streams.
    await sql`update notes set content = repeat('x', 1000000)`.execute(portal.deps.db)
    await sql`select add_to_counts(${partner.id}, 'lead', 'New Lead', false, 0, null)`.execute(portal.deps.db)
  }
  before = await everything(url)
  expect(before['jobs.job']?.some((row) => row.includes(loid))).toBe(true)
  expect(before['public.document_parts']).toHaveLength(1)

  const made = await folder.command(['backup', file], { DATABASE_URL: url, SECRETS_KEY })
  expect([made.code, made.err]).toEqual([0, ''])
  expect(made.out).toMatch(/^leads +1$/m)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await readdir(folder.path)).filter((name) => name.includes('unfinished'))).toEqual([])
  const again = await folder.command(['backup', file], { DATABASE_URL: url, SECRETS_KEY })
  expect([again.code, again.err]).toEqual([1, `${file} already exists: a backup never replaces another\n`])

  const empty = await createEmpty()
  const none = await folder.command(['backup', join(folder.path, 'none')], { DATABASE_URL: empty, SECRETS_KEY })
  expect([none.code, none.err]).toEqual([1, 'There is nothing to back up: no portal has started on this database\n'])
  expect(await readdir(folder.path)).not.toContainEqual(expect.stringMatching(/^none/))

  const piped = await folder.command(['backup', '-'], { DATABASE_URL: url, SECRETS_KEY })
  expect([piped.code, piped.out, piped.err]).toEqual([0, '', expect.stringMatching(/^leads +1$/m)])
  const restored = await folder.command(['restore', '-'], { DATABASE_URL: empty, SECRETS_KEY }, piped.bytes)
  expect([restored.code, restored.err]).toEqual([0, ''])
  expect(await everything(empty)).toEqual(before)
  expect((await folder.command(['restore', file], { DATABASE_URL: empty, SECRETS_KEY })).err).toMatch(
    /^The database is not empty \(it has public\.\w+\): restore into an empty one\n$/,
  )

  await using later = await startPortal({ withCrm: true, env, on: { database: { ...portal.database, url: empty } } })
  const { db } = later.deps
  // The generated ids of new rows continue after the restored ids.
  await sql`insert into record_counts (partner_id, kind, value, is_converted, records, with_amount, amount)
            select partner_id, 'lead', 'New Lead', false, 0, 0, 0 from leads`.execute(db)
  // The first portal had no CRM, so the job waits for its next try.
  await sql`update jobs.job set start_after = now() where state = 'retry'`.execute(db)
  await waitFor('the restored job to push the lead', async () => {
    const row = await db.selectFrom('leads').select('crm').where('loid', '=', loid).executeTakeFirst()
    return row?.crm === 'synced'
  })
})

test('a restore from a truncated file, a foreign file or a newer portal’s backup leaves the database empty', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal({ env: { SECRETS_KEY } })
  await portal.newPartner()
  const file = join(folder.path, 'portal.backup')
  await folder.command(['backup', file], { DATABASE_URL: portal.database.url, SECRETS_KEY })
  const empty = await createEmpty()
  const restore = async (name: string) => folder.command(['restore', name], { DATABASE_URL: empty, SECRETS_KEY })

  const cut = join(folder.path, 'cut.backup')
  await writeFile(cut, await readFile(file))
  await truncate(cut, (await stat(file)).size - 20)
  expect(await restore(cut)).toMatchObject({ code: 1, err: expect.stringMatching(/^The file cannot be read: .*\n$/) })

  const newer = join(folder.path, 'newer.backup')
  const bytes = gunzipSync(await readFile(file))
  await writeFile(
    newer,
    gzipSync(Buffer.from(bytes.toString('latin1').replace('0001_partners', '9999_partners'), 'latin1')),
  )
  expect((await restore(newer)).err).toMatch(
    /^The backup was made by a newer version of the portal \(it has 9999_partners\)/,
  )

  const foreign = join(folder.path, 'foreign.backup')
  await writeFile(foreign, gzipSync(Buffer.from('hello, this is something else')))
  expect((await restore(foreign)).err).toMatch(
    /^(?:This is not a backup of the portal|The file cannot be read: This is not a backup.*)\n$/,
  )
  expect((await restore(join(folder.path, 'none'))).code).toBe(1)

  expect(await restore(file)).toMatchObject({ code: 0, err: '' })
})

test('the embedded database of a running portal is backed up, and restored into another folder', async () => {
  await using folder = await openDataFolder()
  await using other = await openDataFolder()
  const portal = await folder.start()
  const body = JSON.stringify({
    email: 'ada@example.com',
    password: 'correct-horse-battery',
    businessName: 'Ada Broking',
  })
  const headers = { 'content-type': 'application/json' }
  await fetch(`${portal.url}/api/auth/signup`, { method: 'POST', headers, body })
  const file = join(folder.path, 'portal.backup')
  expect(await folder.command(['backup', file])).toMatchObject({ code: 0, err: '' })
  expect(await other.command(['restore', file])).toMatchObject({ code: 0, err: '' })
  expect((await other.command(['partners'])).out).toMatch(/Ada Broking +ada@example.com/)
  await portal.stop()
})
