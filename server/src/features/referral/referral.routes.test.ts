import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { computeUsualTimes } from '../../records/histories/compute-usual-times.job.ts'
import { insertDeal } from '../../testing/insert-deal.ts'
import { insertHistories } from '../../testing/insert-histories.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { addColleague, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const DAY_MS = 86_400_000

let portal: TestPortal
let lender: Lender
let ada: TestPartner

beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})
afterAll(() => portal[Symbol.asyncDispose]())
beforeEach(async () => {
  await lender.reset()
  ada = await portal.newPartner({ firstName: 'Ada', lastName: 'Broker' })
})

async function timelineOf(path: string, partner = ada) {
  const { status, body } = await partner.get(`${path}/timeline`)
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}

/** Waits until the lead is in the CRM, and returns its id there. */
async function inCrm(loid: string): Promise<string> {
  await ada.pushedLead(loid)
  const leads = await lender.list('Leads', 'LOID')
  return String(leads.find((lead) => lead['LOID'] === loid)?.['id'])
}

async function pull(): Promise<void> {
  expect((await ada.post('/crm/sync')).body).toMatchObject({ success: true })
}

const told = (timeline: { entries: { type: string; value: string | null; text: string | null }[] }) =>
  timeline.entries.map(({ type, value, text }) => [type, value, text])

test('GET /crm/lead/{id}/timeline returns what happened to the lead, the latest first, and the lead’s present step', async () => {
  const { loid } = await ada.submitLead()
  const id = await inCrm(loid)
  await lender.behaviour({ clockShiftSeconds: 60 })
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await lender.addNote('Leads', id, { title: 'Call', content: 'Please send the last three bank statements.' })
  await pull()
  await ada.post(`/crm/note/${loid}`, { content: 'The statements are on their way.' })

  const timeline = await timelineOf(`/crm/lead/${loid}`)
  expect(timeline.loid).toBe(loid)
  expect(timeline.standing).toMatchObject({
    step: 'In review',
    outcome: 'open',
    kind: 'lead-status',
    value: 'Contacted',
    meaning: expect.stringContaining('spoken with the applicant'),
    usual: null,
  })
  expect(timeline.standing.since).toBe(timeline.entries.find((one: { type: string }) => one.type === 'status').at)
  expect(told(timeline).toSorted()).toEqual(
    [
      ['note', null, 'The statements are on their way.'],
      ['note', null, 'Please send the last three bank statements.'],
      ['status', 'Contacted', null],
      ['submitted', 'New Lead', null],
    ].toSorted(),
  )
  const by = (text: string) =>
    timeline.entries.find((one: { text: string | null; value: string | null }) => (one.text ?? one.value) === text)
  expect(by('The statements are on their way.')).toMatchObject({ by: 'Ada Broker', is_lender: false })
  expect(by('Please send the last three bank statements.')).toMatchObject({ is_lender: true })
  expect(by('Contacted')).toMatchObject({ is_lender: true, days: null })
  expect(timeline.entries.at(-1)).toMatchObject({ type: 'submitted', by: 'Ada Broker', is_lender: false })
  expect(timeline.earlier).toBeNull()
})

test('while the lender does not have a lead, its timeline says so, and no meaning of its status', async () => {
  await lender.faults({ outage: 'status' })
  const { loid } = await ada.submitLead()
  expect((await timelineOf(`/crm/lead/${loid}`)).standing.meaning).toMatch(/^The lender does not have it yet/)
  await lender.faults({})
  await ada.pushedLead(loid)
  expect((await timelineOf(`/crm/lead/${loid}`)).standing.meaning).toMatch(/^The lender has the referral/)
})

test('once the partner has answered, the timeline of a lead no longer asks for an answer', async () => {
  const { loid } = await ada.submitLead()
  const id = await inCrm(loid)
  await lender.update('Leads', id, { Lead_Status: 'Unable to Contact' })
  await pull()
  const standing = async () => (await timelineOf(`/crm/lead/${loid}`)).standing
  expect(await standing()).toMatchObject({ side: 'partner', meaning: expect.stringContaining('A word from you') })
  // The CRM tells in whole seconds when the status began, so a note within the same second may be older.
  portal.advance(2_000)
  await ada.post(`/crm/note/${loid}`, { content: 'Try the other number.' })
  portal.advance(-2_000)
  const meaning = 'Your business has done its part. The lender acts next.'
  expect(await standing()).toMatchObject({ value: 'Unable to Contact', side: 'lender', meaning })
})

test('a converted lead and its deal have the same timeline, by LOID and by id', async () => {
  const { loid, id: leadId } = await ada.submitLead()
  const id = await inCrm(loid)
  await lender.behaviour({ clockShiftSeconds: 60 })
  await lender.update('Leads', id, { Lead_Status: 'Pre Qualified' })
  await pull()
  await lender.behaviour({ clockShiftSeconds: 120 })
  const dealId = await lender.convert(id, { Deal_Name: 'Trucks', Stage: 'Pending Approval' })
  await lender.addNote('Deals', dealId, { content: 'With credit now.' })
  await pull()
  await waitFor('the deal', async () => (await ada.get(`/crm/deal/${loid}`)).status === 200)

  const timeline = await timelineOf(`/crm/deal/${loid}`)
  expect(timeline.standing).toMatchObject({ step: 'With the lender', kind: 'deal-stage', value: 'Pending Approval' })
  const reached = timeline.standing.steps.map((step: { reached_at: string | null }) => step.reached_at !== null)
  expect(reached).toEqual([true, false, true, true, false])
  expect(told(timeline).map(([type]) => type)).toEqual(['note', 'stage', 'converted', 'status', 'submitted'])
  for (const path of [`/crm/lead/${loid}`, `/crm/lead/${leadId}`]) expect(await timelineOf(path)).toEqual(timeline)

  await lender.update('Deals', dealId, { Stage: 'Funded' })
  await pull()
  const funded = await timelineOf(`/crm/lead/${loid}`)
  expect(funded.standing).toMatchObject({ step: 'Funded', outcome: 'funded', usual: null })
})

test('the timeline of a lead that the lender entered begins with an entry by the lender', async () => {
  const partner = await waitFor('the partner in the CRM', async () => (await ada.get('/profile')).body.data.zoho_id)
  await lender.create('Leads', { Last_Name: 'Rivera', Lead_Status: 'Lost Lead', Partner: { id: partner } })
  await pull()
  const { leads } = (await ada.get('/dashboard/leads')).body.data
  const { standing, entries } = await timelineOf(`/crm/lead/${leads[0].loid}`)
  expect(standing).toMatchObject({ step: 'Submitted', outcome: 'lost', value: 'Lost Lead' })
  expect(entries.at(-1)).toMatchObject({ type: 'submitted', by: null, is_lender: true, value: 'Lost Lead' })
})

test('a timeline of a thousand entries comes in pages of fifty, each entry once', async () => {
  const { loid } = await ada.submitLead()
  await portal.deps.pool.query(
    `insert into notes (id, partner_id, loid, written_on, content, created_at, crm)
     select gen_random_uuid(), $1, $2, 'lead', 'Note ' || i, now() + (i / 3) * interval '1 s', 'synced'
       from generate_series(1, 999) i`,
    [ada.id, loid],
  )
  const seen = new Set<string>()
  let pages = 0
  let query = ''
  do {
    const { entries, earlier } = (await ada.get(`/crm/lead/${loid}/timeline${query}`)).body.data
    for (const entry of entries) seen.add(entry.id)
    expect(earlier?.count ?? 0).toBe(1_000 - seen.size)
    query = earlier ? `?before=${encodeURIComponent(earlier.before)}` : ''
    pages += 1
  } while (query !== '')
  expect([pages, seen.size]).toEqual([20, 1_000])
})

test('a timeline shows how long leads usually stay in the present status', async () => {
  const { loid } = await ada.submitLead()
  await insertHistories(portal.deps, ada.id, { records: 10, days: 2.4, value: 'New Lead' })
  portal.advance(DAY_MS)
  await computeUsualTimes.run(portal.deps, {}, new AbortController().signal)
  portal.advance(-DAY_MS)
  const { standing } = await timelineOf(`/crm/lead/${loid}`)
  expect(standing.usual).toEqual({ days: 2.4, entries: 10, of: 'partner' })
})

test('a partner’s viewers can read the partner’s timelines, and other partners cannot', async () => {
  const bob = await portal.newPartner()
  const { loid, id } = await ada.submitLead()
  const deal = await insertDeal(portal.deps.db, ada.id)
  for (const path of [`/crm/lead/${loid}`, `/crm/lead/${id}`, `/crm/deal/${deal.loid}`, `/crm/deal/${deal.id}`]) {
    expect((await bob.get(`${path}/timeline`)).status).toBe(404)
  }
  for (const name of ['LO-00000000', newId(), 'nonsense', '%20']) {
    expect((await ada.get(`/crm/lead/${name}/timeline`)).body.error).toBe('Lead not found')
    expect((await ada.get(`/crm/deal/${name}/timeline`)).body.error).toBe('Deal not found')
  }
  const viewer = await addColleague(portal, ada, 'viewer')
  expect((await viewer.get(`/crm/lead/${loid}/timeline`)).status).toBe(200)
  expect((await viewer.get(`/crm/deal/${deal.loid}/timeline`)).body.data.standing.step).toBe('With the lender')
})
