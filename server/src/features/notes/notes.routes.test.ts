import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertDeal } from '../../testing/insert-deal.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
let partner: TestPartner
beforeAll(async () => {
  portal = await startPortal()
  partner = await portal.newPartner()
})
afterAll(() => portal[Symbol.asyncDispose]())

test('POST /crm/note/{leadId} adds a note, and the lead shows its notes, the newest first', async () => {
  const { loid, id } = await partner.submitLead()
  const first = await partner.post(`/crm/note/${loid.toLowerCase()}`, { content: '  Called, no answer.  ' })
  expect(first).toMatchObject({ status: 201, body: { success: true } })
  const note = {
    id: expect.any(String),
    title: null,
    content: 'Called, no answer.',
    created_by: partner.businessName,
    submitter_id: expect.any(String),
    submitted_by: partner.businessName,
    created_at: expect.stringMatching(/Z$/),
    crm: 'pending',
    crm_problem: null,
  }
  expect(first.body.data).toEqual({ note })
  expect((await partner.post(`/crm/note/${id}`, { content: 'Called again.' })).status).toBe(201)
  const { notes } = (await partner.get(`/crm/lead/${loid}`)).body.data
  expect(notes).toEqual([{ ...note, content: 'Called again.' }, note])
})

test('POST /crm/note adds a note to a lead or deal, and a deal’s note without a title gets the title ‘Deal Note’', async () => {
  const { loid } = await partner.submitLead()
  const deal = await insertDeal(portal.deps.db, partner.id)
  const content = 'Documents are on their way.'
  const onDeal = await partner.post('/crm/note', { loid: deal.loid, parent_type: 'Deal', content })
  expect(onDeal.body.data.note).toMatchObject({ title: 'Deal Note', content })
  const titled = await partner.post('/crm/note', { loid: deal.loid, parent_type: 'deal', title: 'Papers', content })
  expect(titled.body.data.note.title).toBe('Papers')
  expect((await partner.get(`/crm/deal/${deal.loid}`)).body.data.notes).toHaveLength(2)
  const onLead = await partner.post('/crm/note', { loid, content })
  expect([onLead.status, onLead.body.data.note.title]).toEqual([201, null])
})

test.each([
  [undefined, 'Please enter a note before submitting'],
  ['', 'Please enter a note before submitting'],
  ['   ', 'Please enter a note before submitting'],
  ['four', 'Note must be at least 5 characters long'],
  ['x'.repeat(1_001), 'Note is too long. Please keep it under 1000 characters.'],
  ['\u200b\u2060\u3164\u00ad\u2800', 'Please enter a note before submitting'],
  ['a\u200b\u200b\u200bb', 'Note must be at least 5 characters long'],
  ['before\ud800after', 'Note contains a character that cannot be stored'],
])('the note %j is refused: %s', async (content, error) => {
  const { loid } = await partner.submitLead()
  for (const [path, body] of [
    [`/crm/note/${loid}`, { content }],
    ['/crm/note', { loid, content }],
  ] as const) {
    const answer = await partner.post(path, body)
    expect([answer.status, answer.body.error, answer.body.fields]).toEqual([400, error, { content: error }])
  }
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.notes).toEqual([])
})

test('a note is refused on another partner’s record, an unknown record and the wrong kind of record', async () => {
  const stranger = await portal.newPartner()
  const { loid } = await partner.submitLead()
  const deal = await insertDeal(portal.deps.db, partner.id)
  const content = 'Not for you.'
  const answers = [
    await stranger.post(`/crm/note/${loid}`, { content }),
    await stranger.post('/crm/note', { loid, content }),
    await partner.post('/crm/note', { loid: 'LO-00000000', content }),
    await partner.post('/crm/note', { loid: deal.loid, content }),
  ]
  for (const answer of answers) expect([answer.status, answer.body.error]).toEqual([404, 'Lead not found'])
  for (const [who, name] of [
    [stranger, deal.loid],
    [partner, loid],
  ] as const) {
    const answer = await who.post('/crm/note', { loid: name, parent_type: 'deal', content })
    expect([answer.status, answer.body.error]).toEqual([404, 'Deal not found'])
  }
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.notes).toEqual([])
})

test('POST /crm/lead/{id}/retry-push makes the lead’s given-up notes pending again', async () => {
  const { loid } = await partner.submitLead()
  await partner.post(`/crm/note/${loid}`, { content: 'Given up on.' })
  await portal.deps.db.updateTable('notes').set({ crm: 'failed' }).where('loid', '=', loid).execute()
  const notes = async () => (await partner.get(`/crm/lead/${loid}`)).body.data.notes
  expect((await notes())[0].crm).toBe('failed')
  await partner.post(`/crm/lead/${loid}/retry-push`)
  expect((await notes())[0].crm).toBe('pending')
})

test('POST /crm/note/{id}/retry-push pushes a given-up note again', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  const [ada, bob] = [await withCrm.newPartner(), await withCrm.newPartner()]
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  const { note } = (await ada.post(`/crm/note/${loid}`, { content: 'Given up on.' })).body.data
  const crm = async () => (await ada.get(`/crm/lead/${loid}`)).body.data.notes[0].crm
  const isSynced = async () => (await crm()) === 'synced'
  await waitFor('the note in the CRM', isSynced)

  const { db } = withCrm.deps
  await db.updateTable('notes').set({ crm: 'failed', zoho_id: null }).where('id', '=', note.id).execute()
  expect((await bob.post(`/crm/note/${note.id}/retry-push`)).status).toBe(404)
  expect(await crm()).toBe('failed')
  expect(await ada.post(`/crm/note/${note.id}/retry-push`)).toMatchObject({
    status: 202,
    body: { data: { id: note.id, crm: 'pending' } },
  })
  await waitFor('the note in the CRM again', isSynced)
  expect((await ada.post(`/crm/note/${note.id}/retry-push`)).body.data.crm).toBe('synced')
})
