import { CONSENT_VERSION } from '@portal/contract/lead-form.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Lender, openLender } from '../../testing/lender.ts'
import { addColleague, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})
afterAll(() => portal[Symbol.asyncDispose]())
beforeEach(() => lender.reset())

function csv(rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, n) => {
    return `Business ${n},Robin,Lee ${n},robin${n}@example.com,0491 570 ${String(n + 100)}`
  })
  return Buffer.from(['Business Name,First Name,Last Name,Email,Phone', ...lines].join('\n'))
}

async function check(partner: TestPartner, file: Buffer) {
  return (await partner.post('/dashboard/leads/imports?name=clients.csv', file)).body.data
}

async function opened(partner: Pick<TestPartner, 'get'>, id: string) {
  return (await partner.get(`/dashboard/leads/imports/${id}`)).body.data
}

/** Submits a file and returns its id with the LOIDs of its rows. */
async function imported(partner: TestPartner, file: Buffer): Promise<{ id: string; loids: string[] }> {
  const { id, standings } = await check(partner, file)
  const body = { consentVersion: CONSENT_VERSION, withDuplicates: false, rows: standings.ready }
  expect((await partner.post(`/dashboard/leads/imports/${id}/submit`, body)).status).toBe(202)
  await waitFor('the end of the import', async () => (await opened(partner, id)).state === 'done')
  return { id, loids: (await rowsOf(partner, id)).map(({ loid }) => loid) }
}

interface Row {
  number: number
  loid: string
  undo: string | null
  kept_because: string | null
}

async function rowsOf(partner: TestPartner, id: string, show = 'all'): Promise<Row[]> {
  return (await partner.get(`/dashboard/leads/imports/${id}/rows?show=${show}&limit=100`)).body.data.rows
}

function undone(partner: TestPartner, id: string) {
  return waitFor('the end of undoing', async () => {
    const { undo } = await opened(partner, id)
    return undo?.done_at ? undo : undefined
  })
}

function inCrm() {
  return lender.list('Leads', 'LOID,Modified_Time')
}

/** Waits until the CRM has had the leads for longer than the look before a withdrawal demands. */
async function settledInCrm(partner: TestPartner, loids: string[]): Promise<void> {
  for (const loid of loids) await partner.pushedLead(loid)
  await waitFor('a later second', async () => {
    const times = (await inCrm()).map((record) => Date.parse(String(record['Modified_Time'])))
    return times.length === loids.length && Math.max(...times) < Date.now() - 2_000
  })
}

test('undoing withdraws what nobody has touched, in the CRM too, says why the others stay, and lets the same rows come again', async () => {
  const partner = await portal.newPartner()
  const other = await portal.newPartner()
  const { id, loids } = await imported(partner, csv(4))
  await settledInCrm(partner, loids)
  const [untouched, byStaff, noted, second] = loids
  const record = (await inCrm()).find((one) => one['LOID'] === byStaff)
  await lender.update('Leads', String(record?.['id']), { Lead_Status: 'Contacted' })
  await partner.post(`/crm/note/${noted}`, { content: 'Please call them on Monday.' })
  expect((await opened(partner, id)).undo_until).toEqual(expect.any(String))
  expect((await other.post(`/dashboard/leads/imports/${id}/undo`)).status).toBe(404)

  const presses = await Promise.all([1, 2].map(() => partner.post(`/dashboard/leads/imports/${id}/undo`)))
  expect(presses.map(({ status }) => status)).toEqual([202, 202])
  const result = await undone(partner, id)
  expect(result).toMatchObject({ withdrawn: 2, kept: 2 })
  expect((await rowsOf(partner, id)).map(({ loid, undo, kept_because }) => [loid, undo, kept_because])).toEqual([
    [untouched, 'withdrawn', null],
    [byStaff, 'kept', expect.stringContaining('The lender has begun to work on this lead')],
    [noted, 'kept', 'The lead has a note.'],
    [second, 'withdrawn', null],
  ])
  expect(await rowsOf(partner, id, 'kept')).toHaveLength(2)
  expect((await inCrm()).map((one) => one['LOID']).toSorted()).toEqual([byStaff, noted].toSorted())

  const again = await partner.post(`/dashboard/leads/imports/${id}/undo`)
  expect([again.status, again.body.data.undo, again.body.data.undo_until]).toEqual([202, result, null])
  const log = (await partner.get('/security-log?type=account')).body.data.entries
  expect(log.filter(({ event }: { event: string }) => event === 'import-undone')).toHaveLength(1)
  expect((await check(partner, csv(4))).standings).toEqual({ ready: 2, wrong: 0, duplicate: 0, known: 2 })
})

test('an import that is not submitted, or ended more than 24 hours ago, is not undone, and the answer says why', async () => {
  const partner = await portal.newPartner()
  const { id } = await imported(partner, csv(1))
  const checked = await check(partner, csv(2))
  await sql`update imports set done_at = done_at - interval '24 hours' where id = ${id}`.execute(portal.deps.db)
  const answers = [
    await partner.post(`/dashboard/leads/imports/${checked.id}/undo`),
    await partner.post(`/dashboard/leads/imports/${id}/undo`),
  ]
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
    [409, 'This file has not been submitted, so there is nothing to undo.'],
    [409, expect.stringMatching(/^This import ended more than 24 hours ago/)],
  ])
  expect(await rowsOf(partner, id)).toMatchObject([{ undo: null }])
})

test('each row ends withdrawn or kept, although the database drops the connections meanwhile; a colleague reads one line of each', async () => {
  const partner = await portal.newPartner()
  const colleague = await addColleague(portal, partner, 'member')
  const news = async () => {
    const lines: { name: string; summary: string }[] = (await colleague.get('/dashboard/news')).body.data.lines
    return lines.map(({ summary }) => summary)
  }
  const { id, loids } = await imported(partner, csv(30))
  expect(await news()).toEqual(['30 leads submitted'])
  await settledInCrm(partner, loids)
  await partner.post(`/crm/note/${loids[20]}`, { content: 'Please call them on Monday.' })
  await partner.post(`/dashboard/leads/imports/${id}/undo`)
  await waitFor('the first rows', async () => (await opened(partner, id)).undo.withdrawn >= 3)
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and query ~ 'import|lead'`.execute(portal.deps.db)
  expect(await undone(partner, id)).toMatchObject({ withdrawn: 29, kept: 1 })
  expect((await news()).toSorted()).toEqual([
    '29 leads withdrawn',
    expect.stringMatching(/^Lead submitted by .*1 note/),
  ])
  const { rows } = await sql<{ undo: string; archived_reason: string | null; rows: number }>`
    select undo, archived_reason, count(*)::int as rows
      from import_rows join leads using (loid) where import_id = ${id} group by 1, 2 order by 1`.execute(portal.deps.db)
  expect(rows).toEqual([
    { undo: 'kept', archived_reason: null, rows: 1 },
    { undo: 'withdrawn', archived_reason: 'withdrawn', rows: 29 },
  ])
  expect((await inCrm()).map((one) => one['LOID'])).toEqual([loids[20]])
})
