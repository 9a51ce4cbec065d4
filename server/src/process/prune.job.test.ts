import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../platform/db/ids.ts'
import { insertDeal } from '../testing/insert-deal.ts'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../testing/start-portal.ts'
import { waitFor } from '../testing/wait-for.ts'
import { prune } from './prune.job.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How many rows of each kind were removed, without zeros. */
async function pruned({ deps }: TestPortal): Promise<Record<string, number>> {
  const removed = await prune(deps)
  return Object.fromEntries(Object.entries(removed).filter(([, count]) => count > 0))
}

async function signInAgain(portal: TestPortal, { email, password }: TestPartner): Promise<string> {
  return (await portal.post('/auth/login', { email, password })).body.token
}

function archivedAt(daysAgo: number) {
  return {
    archived_at: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    archived_reason: 'left-crm' as const,
  }
}

test('the clean-up removes sessions and remembered answers as soon as they have expired, and expired links a day later', async () => {
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  await portal.mailTo(partner.email) // waits for the welcome mail, which contains a link
  await partner.post('/dashboard/leads', newLead(), { headers: { 'idempotency-key': 'once' } })
  const { resetToken } = (await portal.post('/auth/forgot-password', { email: partner.email })).body.data

  portal.advance(23 * HOUR_MS)
  const token = await signInAgain(portal, partner)
  expect(await pruned(portal)).toEqual({})
  portal.advance(1.5 * HOUR_MS)
  expect(await pruned(portal)).toEqual({ sessions: 1, 'remembered answers': 1 })
  expect((await portal.get('/profile', { token })).status).toBe(200)
  const late = { token: resetToken, newPassword: 'another-fine-horse' }
  expect((await portal.post('/auth/reset-password', late)).body.code).toBe('RESET_TOKEN_EXPIRED')

  portal.advance(2 * HOUR_MS)
  expect(await pruned(portal)).toEqual({ 'account tokens': 1 })
  expect((await portal.post('/auth/reset-password', late)).body.code).toBe('INVALID_RESET_TOKEN')
  portal.advance(31 * DAY_MS)
  expect(await pruned(portal)).toEqual({ sessions: 1, 'account tokens': 1, 'changes of records': 1 })
})

test('the clean-up removes rate limits when their period is over', async () => {
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  await portal.post('/auth/login', { email: 'x@example.com', password: 'x' })
  expect(await pruned(portal)).toEqual({})
  portal.advance(61_000)
  // The limit of the account from its address, and the limit of all unknown sources.
  expect(await pruned(portal)).toEqual({ 'rate limits': 2 })
  portal.advance(HOUR_MS)
  expect(await pruned(portal)).toEqual({ 'rate limits': 2 })
})

test('the clean-up removes records that left the CRM ninety days ago, with their history and notes, and keeps all other records', async () => {
  await using portal = await startPortal()
  const { db } = portal.deps
  const partner = await portal.newPartner()
  const archive = async (days: number) => {
    const { loid } = await partner.submitLead()
    await partner.post(`/crm/note/${loid}`, { content: 'A remark on it' })
    await db.updateTable('leads').set(archivedAt(days)).where('loid', '=', loid).execute()
    return loid
  }
  const gone = await archive(91)
  const young = await archive(89)
  const { loid: listed } = await partner.submitLead()
  const deal = await insertDeal(db, partner.id, archivedAt(91))
  expect(await pruned(portal)).toEqual({ 'archived leads': 1, 'archived deals': 1 })

  const left = await db.selectFrom('leads').select('loid').orderBy('loid').execute()
  expect(left.map((row) => row.loid)).toEqual([young, listed].sort())
  const notes = await db.selectFrom('notes').select('loid').execute()
  expect(notes.map((row) => row.loid)).toEqual([young])
  const history = await db.selectFrom('history_entries').select('loid').where('loid', 'in', [gone, deal.loid]).execute()
  expect(history).toEqual([])
  expect((await partner.get('/dashboard/leads')).body.data.leads).toHaveLength(1)
})

test('the clean-up keeps a lead that became a deal, and its notes, until the deal is removed', async () => {
  await using portal = await startPortal()
  const { db } = portal.deps
  const partner = await portal.newPartner()
  const [became, matches] = [await partner.submitLead(), await partner.submitLead()]
  const other = await insertDeal(db, partner.id)
  await insertDeal(db, partner.id, { loid: became.loid })
  await partner.post(`/crm/note/${became.loid}`, { content: 'Written on the lead' })
  const set = (loid: string, change: object) => db.updateTable('leads').set(change).where('loid', '=', loid).execute()
  await set(became.loid, { ...archivedAt(200), converted_at: new Date().toISOString(), deal_loid: became.loid })
  await set(matches.loid, { ...archivedAt(200), converted_at: new Date().toISOString(), deal_loid: other.loid })
  expect(await pruned(portal)).toEqual({})
  expect((await partner.get(`/crm/lead/${matches.loid}`)).body.data.lead.converted_to_deal).toEqual({
    loid: other.loid,
  })

  await db.updateTable('deals').set(archivedAt(91)).where('loid', '=', became.loid).execute()
  expect(await pruned(portal)).toEqual({ 'archived deals': 1, 'archived leads': 1 })
  expect(await db.selectFrom('notes').select('id').execute()).toEqual([])
})

test('the clean-up removes the rows of a file a week after its last change, and the file if it was not submitted', async () => {
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  await partner.post('/dashboard/leads/imports', Buffer.from('Email,Phone\na@example.com,1\nb@example.com,2\n'))
  portal.advance(6.9 * DAY_MS)
  expect(await pruned(portal)).not.toHaveProperty('rows of imports')
  portal.advance(0.2 * DAY_MS)
  expect(await pruned(portal)).toMatchObject({ 'rows of imports': 2, imports: 1 })
})

test('the clean-up removes events after ninety days', async () => {
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  await partner.submitLead()
  portal.advance(60 * DAY_MS)
  const token = await signInAgain(portal, partner)
  await portal.post('/dashboard/leads', newLead(), { token })
  portal.advance(29.9 * DAY_MS)
  expect(await pruned(portal)).toMatchObject({ sessions: 2 })
  portal.advance(0.2 * DAY_MS)
  expect(await pruned(portal)).toEqual({ events: 1 })
  const again = await signInAgain(portal, partner)
  expect((await portal.get('/dashboard/recent-activity', { token: again })).body.data.activities).toHaveLength(1)
})

test('the clean-up creates missing monthly partitions of attempts up to two months ahead, except for a month with attempts in the default partition, and drops expired months', async () => {
  await using portal = await startPortal()
  const { db, pool, clock } = portal.deps
  const at = clock.now()
  const day = (ahead: number) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead, 15))
  const nameOf = (ahead: number) => `webhook_attempts_${day(ahead).toISOString().slice(0, 7).replace('-', '_')}`
  const insertAttempt = (time: Date) =>
    db
      .insertInto('webhook_attempts')
      .values({ log_id: newId(time), number: 1, started_at: time.toISOString(), duration_ms: 1 })
      .execute()
  const count = async () => (await db.selectFrom('webhook_attempts').select('number').execute()).length
  const months = async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relispartition and relkind = 'r' and relname ~ '_[0-9]{4}_[0-9]{2}$' order by 1`.execute(
      db,
    )
    return rows.map(({ name }) => name)
  }
  await insertAttempt(day(2))
  await Promise.all([prune(portal.deps), prune(portal.deps)])
  expect(await months()).toEqual([nameOf(1)])
  portal.advance(day(1).getTime() - at.getTime())
  await prune(portal.deps)
  expect(await months()).toEqual([nameOf(1), nameOf(3)])
  await insertAttempt(day(3))

  portal.advance(140 * DAY_MS)
  const reader = await pool.connect()
  await reader.query('begin; select from webhook_attempts')
  await expect(prune(portal.deps)).rejects.toThrow('lock timeout')
  await reader.query('commit')
  reader.release()
  expect(await pruned(portal)).toMatchObject({ 'months of webhook attempts': 2 })
  expect(await count()).toBe(2)
  portal.advance(30 * DAY_MS)
  expect(await pruned(portal)).toMatchObject({ 'webhook attempts': 1, 'months of webhook attempts': 1 })
  expect(await count()).toBe(0)
})

test('the clean-up removes old sync runs, except running ones and the last successful run of each kind', async () => {
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  const run = async (kind: 'leads' | 'all', status: 'running' | 'succeeded' | 'failed', daysAgo: number) => {
    const at = new Date(Date.now() - daysAgo * DAY_MS).toISOString()
    const id = newId(new Date(at))
    const row = { id, partner_id: partner.id, kind, status, started_at: at }
    await portal.deps.db.insertInto('sync_runs').values(row).execute()
    return id
  }
  await run('leads', 'succeeded', 200)
  await run('leads', 'failed', 150)
  const kept = [await run('all', 'succeeded', 120), await run('leads', 'succeeded', 110)]
  kept.push(await run('leads', 'running', 100), await run('leads', 'failed', 10))
  expect(await pruned(portal)).toEqual({ 'sync runs': 2 })
  const left = await portal.deps.db.selectFrom('sync_runs').select('id').orderBy('started_at').execute()
  expect(left.map((row) => row.id)).toEqual(kept)
})

test('the clean-up removes more rows than one statement can, and is scheduled at night', async () => {
  await using portal = await startPortal({ hasSchedules: true })
  const partner = await portal.newPartner()
  const { db } = portal.deps
  const personId = (await partner.get('/profile')).body.data.person_id
  await sql`insert into sessions (token_hash, person_id, family_id, signed_in_at, confirmed_at, expires_at)
              select sha256(n::text::bytea), ${personId}, gen_random_uuid(), now(), now(), now() - interval '1 day'
              from generate_series(1, 2500) n`.execute(db)
  expect(await pruned(portal)).toEqual({ sessions: 2_500 })
  const schedule = await waitFor('the schedule', async () => {
    const { rows } = await sql`select cron from jobs.schedule where name = 'prune'`.execute(db)
    return rows[0]
  })
  expect(schedule).toEqual({ cron: '17 16 * * *' })
})
