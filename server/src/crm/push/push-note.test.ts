import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { NotYet } from '../../platform/jobs/define-job.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { countLockWaits } from '../../testing/lock-waits.ts'
import { confirmEmail, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { upload } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { pushDocument } from './push-document.job.ts'
import { pushLead } from './push-lead.job.ts'
import { pushNote } from './push-note.job.ts'

let portal: TestPortal
let lender: Lender
let partner: TestPartner
let loid: string
let zohoId: string
const lines: string[] = []

beforeAll(async () => {
  portal = await startPortal({ withCrm: true, onLogLine: (line) => lines.push(line) })
  lender = openLender(portal.crmUrl)
})
afterAll(() => portal[Symbol.asyncDispose]())
beforeEach(async () => {
  await lender.reset()
  partner = await portal.newPartner()
  loid = (await partner.submitLead()).loid
  await partner.pushedLead(loid)
  const lead = await portal.deps.db.selectFrom('leads').select('zoho_id').where('loid', '=', loid).executeTakeFirst()
  zohoId = lead?.zoho_id ?? ''
})

/** Inserts a note without queuing its job, because the tests run the job themselves. */
async function waitingNote(content: string): Promise<string> {
  const id = newId()
  const [partner_id, created_at] = [partner.id, new Date().toISOString()]
  const note = { id, partner_id, loid, written_on: 'lead' as const, content, created_at, crm: 'pending' as const }
  await portal.deps.db.insertInto('notes').values(note).execute()
  return id
}

const push = (noteId: string) =>
  pushNote.run(portal.deps, { partnerId: partner.id, noteId }, AbortSignal.timeout(10_000))
const inCrm = () => notesOf('Leads', zohoId)
async function notesOf(module: 'Leads' | 'Deals', id: string) {
  const notes = []
  for await (const page of portal.deps.crm.notePages(module, id)) notes.push(...page)
  return notes
}
/** Writes a note as a member of the lender's staff, on the CRM's own page. */
const staffAddNote = (content: string) =>
  fetch(`${portal.crmUrl}/leads/${zohoId}/notes`, { method: 'POST', body: new URLSearchParams({ content }) })
const shown = async () => (await partner.get(`/crm/lead/${loid}`)).body.data.notes

test('a note is not duplicated if the answer to its push was lost and a pull recognises the note during the second push', async () => {
  const noteId = await waitingNote('Called, no answer')
  // The note reached the CRM, but the answer was lost.
  const sent = await lender.addNote('Leads', zohoId, { content: 'Called, no answer' })

  const { db } = portal.deps
  let pushed: Promise<void> | undefined
  await db.transaction().execute(async (tx) => {
    // The lock stops the push after it has read the note and before it reads the record.
    await sql`lock table deals in access exclusive mode`.execute(tx)
    pushed = push(noteId)
    await waitFor('the push to wait for the lock', async () => (await countLockWaits(tx)) > 0)
    await tx.updateTable('notes').set({ zoho_id: sent, crm: 'synced' }).where('id', '=', noteId).execute()
  })
  await pushed
  expect((await inCrm()).map((note) => note.zoho_id)).toEqual([sent])
  expect(await shown()).toMatchObject([{ id: noteId, crm: 'synced' }])
})

test('if the CRM stores a second copy of a note after a repeated push, the copy is not shown, is not news from the lender, and is removed if the portal’s user made it', async () => {
  expect((await partner.post(`/crm/note/${loid}`, { content: 'Wants two trucks' })).status).toBe(201)
  await waitFor('the note in the CRM', async () => (await shown())[0].crm === 'synced')
  const [{ content, zoho_id: original } = { content: '', zoho_id: '' }] = await inCrm()
  await lender.addNote('Leads', zohoId, { content })
  // Staff may write the same words. Their note lacks the signature.
  await lender.addNote('Leads', zohoId, { content: 'Wants two trucks' })
  expect((await partner.post('/crm/sync')).status).toBe(200)
  await staffAddNote(content)
  expect((await partner.post('/crm/sync')).status).toBe(200)
  const staffNotes = ['Wants two trucks', content]
  await waitFor('one copy to be removed', async () => (await inCrm()).length === 1 + staffNotes.length)
  expect((await inCrm()).map((note) => note.content)).toEqual([content, ...staffNotes])
  expect((await inCrm())[0]?.zoho_id).toBe(original)
  expect((await shown()).map((note: { content: string }) => note.content)).toEqual([
    'Wants two trucks',
    'Wants two trucks',
  ])
  const { rows } = await portal.deps.pool.query("select data from events where loid = $1 and type = 'note.added'", [
    loid,
  ])
  expect(JSON.stringify(rows)).not.toContain('—')
})

test('a note that was sent without an answer is sent again only when the CRM can no longer carry out the first call', async () => {
  const call = `POST /crm/v8/Leads/${zohoId}/Notes`
  const sendings = async () => (await lender.calls()).by_kind['POST /crm/v8/Leads/{id}/Notes'] ?? 0
  const noteId = await waitingNote('Any news?')
  await lender.faults({ late: { times: 1, ms: 3_000, match: call } })
  const patience = new AbortController()
  const sent = pushNote.run(portal.deps, { partnerId: partner.id, noteId }, patience.signal)
  await waitFor('the note to be sent', async () => {
    const faults = await fetch(`${portal.crmUrl}/sandbox/faults`)
    return (await faults.text()).includes('"times":0')
  })
  patience.abort(new DOMException('too late', 'TimeoutError'))
  await expect(sent).rejects.toThrow(CrmUnavailable)

  await push(noteId)
  expect(await sendings()).toBe(1)
  const { rows } = await portal.deps.pool.query(
    `select extract(epoch from start_after - created_on)::float as seconds from jobs.job where data ->> 'noteId' = $1`,
    [noteId],
  )
  expect(rows).toEqual([{ seconds: expect.closeTo(10, 0) }])
  await waitFor('the late note', async () => (await inCrm()).length > 0)
  await push(noteId)
  expect(await shown()).toMatchObject([{ id: noteId, crm: 'synced' }])

  const lostId = await waitingNote('Are you there?')
  await lender.faults({ resetBefore: { times: 1, match: call } })
  await expect(push(lostId)).rejects.toThrow(CrmUnavailable)
  await push(lostId)
  expect(await inCrm()).toHaveLength(1)
  await portal.deps.pool.query(`update notes set crm_sent_at = crm_sent_at - interval '5 minutes' where id = $1`, [
    lostId,
  ])
  await push(lostId)
  expect((await inCrm()).map((note) => note.content)).toEqual(['Any news?', 'Are you there?'])
})

test('a note on a record in the CRM’s recycle bin is pushed after the record is restored', async () => {
  await lender.remove('Leads', zohoId)
  const noteId = await waitingNote('Any news?')
  await expect(push(noteId)).rejects.toThrow('The record is not in the CRM at the moment.')
  // The push must not try to create the note. An earlier push may have created the note, which is then in the bin with
  // its record, and the record may be restored just before the call.
  expect((await lender.calls()).by_kind).not.toHaveProperty(['POST /crm/v8/Leads/{id}/Notes'])
  expect(await shown()).toMatchObject([{ crm: 'pending', crm_problem: null }])

  await lender.restore(zohoId)
  await push(noteId)
  expect(await shown()).toMatchObject([{ crm: 'synced' }])
  expect(await inCrm()).toMatchObject([{ content: 'Any news?' }])
})

test('two jobs that push a note at the same time create one note in the CRM', async () => {
  const noteId = await waitingNote('Any news?')
  // Two jobs can push the same note. Confirming an address queues a second job for everything that is waiting, and
  // another process takes over the jobs of a frozen process.
  await lender.faults({ slowMs: 100 })
  await Promise.all([push(noteId), push(noteId)])
  await lender.faults({})
  expect(await inCrm()).toMatchObject([{ content: 'Any news?' }])
  expect(await shown()).toMatchObject([{ id: noteId, crm: 'synced' }])
})

test('a note that reached the lead before staff converted the lead is not pushed again to the deal', async () => {
  const dealId = await lender.convert(zohoId, { Deal_Name: 'Okafor Freight' })
  expect((await partner.post('/crm/sync')).status).toBe(200)
  // An earlier push had created the note, but the answer was lost.
  const sent = await lender.addNote('Leads', zohoId, { content: 'Called, no answer' })
  await push(await waitingNote('Called, no answer'))
  expect(await inCrm()).toMatchObject([{ zoho_id: sent }])
  expect(await notesOf('Deals', dealId)).toEqual([])
  expect((await partner.get(`/crm/deal/${loid}`)).body.data.notes).toMatchObject([{ crm: 'synced' }])
})

test('a note that a conversion moved to a deal is not pushed again, even if the portal does not have the deal yet', async () => {
  await lender.behaviour({ conversionMovesNotes: true })
  await lender.faults({ notifications: { drop: 10 } })
  // The note reached the CRM, the answer was lost, and the conversion moved the note to the deal.
  const sent = await lender.addNote('Leads', zohoId, { content: 'Called, no answer' })
  const dealId = await lender.convert(zohoId, { Deal_Name: 'Okafor Freight' })

  await push(await waitingNote('Called, no answer'))
  expect(await inCrm()).toEqual([])
  expect(await notesOf('Deals', dealId)).toMatchObject([{ zoho_id: sent }])
  expect(await shown()).toMatchObject([{ crm: 'synced' }])

  // The next note is created on the deal, where the lender's staff look.
  await push(await waitingNote('Any news?'))
  expect(await notesOf('Deals', dealId)).toMatchObject([{ zoho_id: sent }, { content: 'Any news?' }])
})

test('a note and a file on a lead that staff converted without a deal wait for the deal, however long that takes', async () => {
  await confirmEmail(portal, partner)
  await lender.convert(zohoId, null)
  expect((await partner.post('/crm/sync')).status).toBe(200)
  const noteId = await waitingNote('Wants two trucks')
  const sent = await upload(portal, partner, { loid, name: 'bank.txt', content: new TextEncoder().encode('March: 12') })
  const documentId = String(sent.body.data.document.id)
  for (let weeks = 0; weeks < 2; weeks++) {
    await expect(push(noteId)).rejects.toThrow(NotYet)
    await pushNote.giveUp?.(portal.deps, { partnerId: partner.id, noteId })
    await pushDocument.giveUp?.(portal.deps, { partnerId: partner.id, documentId })
  }
  const documents = async () => (await partner.get(`/crm/documents/${loid}`)).body.data.documents
  expect([await shown(), await documents()]).toMatchObject([
    [{ crm: 'pending' }],
    [{ state: 'pending', problem: null }],
  ])
  const { rows } = await portal.deps.pool.query(
    `select distinct name from jobs.job where data ->> 'noteId' = $1 or data ->> 'documentId' = $2 order by name`,
    [noteId, documentId],
  )
  expect(rows).toEqual([{ name: 'push-document' }, { name: 'push-note' }])

  const { zoho_id: partnerInCrm } = (await partner.get('/profile')).body.data
  const deal = { Deal_Name: 'Okafor Freight', Stage: 'Approved', LOID: loid, Partner: { id: partnerInCrm } }
  const dealId = await lender.create('Deals', deal)
  expect((await partner.post('/crm/sync')).status).toBe(200)
  await push(noteId)
  await pushDocument.run(portal.deps, { partnerId: partner.id, documentId }, AbortSignal.timeout(10_000))
  expect(await notesOf('Deals', dealId)).toMatchObject([{ content: expect.stringContaining('Wants two trucks') }])
  expect((await lender.attachments('Deals', dealId)).map(({ name }) => name)).toEqual(['bank.txt'])
})

test('a note written before staff moved the lead to another partner is pushed, and the other partner does not see it', async () => {
  const noteId = await waitingNote('Called, no answer')
  const other = await portal.newPartner()
  const otherInCrm = await waitFor(
    'the partner in the CRM',
    async () => (await other.get('/profile')).body.data.zoho_id,
  )
  const { zoho_id: partnerInCrm } = (await partner.get('/profile')).body.data
  await lender.update('Leads', zohoId, { Partner: { id: otherInCrm } })
  expect((await other.post('/crm/sync')).status).toBe(200)

  await push(noteId)
  expect(await inCrm()).toMatchObject([{ content: 'Called, no answer' }])
  await other.post('/crm/sync')
  expect((await other.get(`/crm/lead/${loid}`)).body.data.notes).toEqual([])

  // The other partner keeps the lead, and the writer gets the deal. The portal shows the note with the deal, although
  // the note is on the lead in the CRM.
  const dealId = await lender.convert(zohoId, { Deal_Name: 'Okafor Freight' })
  await lender.update('Deals', dealId, { Partner: { id: partnerInCrm } })
  expect((await partner.post('/crm/sync')).status).toBe(200)
  expect((await partner.get(`/crm/deal/${loid}`)).body.data.notes).toMatchObject([{ content: 'Called, no answer' }])
})

test('a note on a lead that is not in the CRM yet follows the lead at once, without waiting for its own retry', async () => {
  await lender.faults({ unavailable: { every: 1, match: 'POST /crm/v8/Leads' } })
  const { loid: late } = await partner.submitLead()
  expect((await partner.post(`/crm/note/${late}`, { content: 'Wants two trucks' })).status).toBe(201)
  const retries = async () => {
    const { rows } = await portal.deps.pool.query(
      `select id from jobs.job
        where name = 'push-note' and state = 'retry' and data ->> 'noteId' in (select id::text from notes where loid = $1)`,
      [late],
    )
    return rows
  }
  const [retry] = await waitFor('the first push of the note to fail', async () => {
    const rows = await retries()
    return rows.length > 0 ? rows : undefined
  })
  await lender.faults({})
  await pushLead.run(portal.deps, { partnerId: partner.id, loid: late }, AbortSignal.timeout(10_000))
  await waitFor('the note in the CRM', async () => {
    const { notes } = (await partner.get(`/crm/lead/${late}`)).body.data
    return notes[0].crm === 'synced'
  })
  expect(await retries()).toEqual([retry])
  expect(lines.filter((line) => line.includes('has not reached the CRM yet') && line.includes('stack'))).toEqual([])
})
