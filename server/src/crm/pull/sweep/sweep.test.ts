import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHOICE_LENGTH_MAX } from '@portal/contract/limits.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { newId } from '../../../platform/db/ids.ts'
import { findFieldGroups } from '../../../records/kinds/field-groups.queries.ts'
import { findProblemsOfAllPartners } from '../../../records/partners/partners-in-crm.queries.ts'
import { insertDeal } from '../../../testing/insert-deal.ts'
import { type Lender, openLender } from '../../../testing/lender.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../../testing/start-portal.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { applyPage, type Unit } from '../../apply/apply-page.ts'
import { matchLeads } from '../../apply/match-leads.ts'
import { DEFAULT_FIELD_MAP } from '../../zoho/field-map.ts'
import { fieldsToMake } from '../../zoho/make-fields.ts'
import { LINE_LENGTH_MAX } from '../../zoho/wire-values.ts'
import { acceptRemovals } from '../accept-removals.ts'
import { pullDueDetails } from '../details/pull-details.job.ts'
import { followFields } from '../fields/follow-fields.job.ts'
import { followFieldMap } from '../fields/follow-map.ts'
import { nameRecords } from '../gather-page.ts'
import { pullForAll } from '../pull-for-all.ts'
import { pullRecords } from '../pull-records.ts'
import { openProgress, openRun, talliesOf } from '../run/run.ts'
import { runSweep, sweep as sweepJob } from './sweep.job.ts'

let portal: TestPortal
let lender: Lender
let ada: TestPartner
let bob: TestPartner
/** The ids of Ada's and Bob's records in the CRM. */
let adaInCrm: string
let bobInCrm: string

beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})

afterAll(() => portal[Symbol.asyncDispose]())

beforeEach(async () => {
  await lender.reset()
  await later(0)
  await portal.deps.db.deleteFrom('sweep_cursors').execute()
  ada = await portal.newPartner()
  bob = await portal.newPartner()
  adaInCrm = await inCrm(ada)
  bobInCrm = await inCrm(bob)
})

function inCrm(partner: TestPartner): Promise<string> {
  return waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)
}

function sweep(signal = new AbortController().signal): Promise<void> {
  return runSweep(portal.deps, signal)
}

/** Moves the CRM's clock and the portal's clock together. */
let shiftSeconds = 0
async function later(seconds: number) {
  shiftSeconds += seconds
  portal.advance(seconds * 1_000)
  await lender.behaviour({ clockShiftSeconds: shiftSeconds })
}
async function listed(kind: 'leads' | 'deals', partner = ada) {
  return (await partner.get(`/dashboard/${kind}?limit=100`)).body.data[kind]
}

const managerOf = async ({ token }: TestPartner) => (await portal.post('/auth/verify', { token })).body.data.manager

const lastNames = async (partner = ada) =>
  (await listed('leads', partner)).map((lead: { last_name: string }) => lead.last_name).sort()

async function eventTypes(partner = ada): Promise<string[]> {
  const rows = await portal.deps.db
    .selectFrom('events')
    .select('type')
    .where('partner_id', '=', partner.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.type)
}

const cursors = () => portal.deps.db.selectFrom('sweep_cursors').selectAll().orderBy('list').execute()

/** Applies records as a pull does after reading them. */
async function apply(units: Unit[]) {
  const readAt = portal.deps.clock.now().toISOString()
  const page = { units, told: new Map(), readAt, isNews: () => true, notesDue: 'none' } as const
  const { problems } = await applyPage(portal.deps, page)
  expect(problems).toEqual([])
}

/** The number of calls to the CRM that this work makes. */
async function callsOf(work: () => Promise<unknown>): Promise<number> {
  const { total } = await lender.calls()
  await work()
  return (await lender.calls()).total - total
}

/** Submits a lead and waits until the CRM has it. Returns its LOID and its id in the CRM. */
async function submitted(partner = ada, form: object = {}) {
  const { loid } = await partner.submitLead(form)
  await partner.pushedLead(loid)
  const inZoho = (await lender.list('Leads', 'LOID')).find((lead) => lead['LOID'] === loid)
  return { loid, id: String(inZoho?.['id']) }
}

test('a sweep applies the lender’s changes for each partner, with an event for each change', async () => {
  const adas = await submitted(ada)
  const bobs = await submitted(bob)
  const bobsDeal = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: bobInCrm } })
  await sweep()
  expect(await eventTypes(bob)).toEqual(['lead.created', 'deal.created'])

  await later(60)
  await lender.update('Leads', adas.id, { Lead_Status: 'Contacted' })
  await lender.create('Leads', { Last_Name: 'Born there', Partner: { id: adaInCrm } })
  await lender.create('Leads', { Last_Name: 'Nobody’s' })
  await lender.convert(bobs.id, { Deal_Name: 'Trucks' })
  await lender.update('Deals', bobsDeal, { Stage: 'Funded' })
  await lender.addNote('Leads', adas.id, { content: 'Please send the papers' })
  await sweep()

  expect((await ada.get(`/crm/lead/${adas.loid}`)).body.data).toMatchObject({
    lead: { lead_status: 'Contacted' },
    notes: [{ content: 'Please send the papers' }],
  })
  expect((await ada.get(`/crm/lead/${adas.loid}/status-history`)).body.data).toMatchObject([
    { status: 'Contacted' },
    { status: 'New Lead' },
  ])
  expect(await lastNames()).toEqual(['Born there', 'Okafor'])
  const { activities } = (await ada.get('/dashboard/recent-activity')).body.data
  expect(activities.map(({ title }: { title: string }) => title)).toEqual(
    expect.arrayContaining(['Lead submitted', 'Lead added by the lender']),
  )
  const inZoho = (await lender.list('Leads', 'LOID,Last_Name')).find((lead) => lead['Last_Name'] === 'Born there')
  expect((await listed('leads')).map((lead: { loid: string }) => lead.loid)).toContain(inZoho?.['LOID'])
  expect((await bob.get(`/crm/lead/${bobs.loid}`)).body.data.lead.converted_to_deal).toEqual({ loid: bobs.loid })
  const stages = (await listed('deals', bob)).map((deal: { stage: string }) => deal.stage)
  expect(stages.sort()).toEqual(['Funded', 'Information Received'])
  expect((await eventTypes(ada)).sort()).toEqual(['lead.created', 'lead.created', 'lead.status_changed', 'note.added'])
  expect((await eventTypes(bob)).sort()).toEqual([
    'deal.created',
    'deal.created',
    'deal.stage_changed',
    'lead.converted',
    'lead.created',
  ])

  const before = [await eventTypes(ada), await eventTypes(bob), await listed('leads'), await listed('deals', bob)]
  await sweep()
  await later(60)
  await sweep()
  expect([await eventTypes(ada), await eventTypes(bob), await listed('leads'), await listed('deals', bob)]).toEqual(
    before,
  )
  // A sync finds nothing left to do.
  expect((await bob.post('/crm/sync')).body.data).toMatchObject({
    leads: { created: 0, updated: 0, converted: 0, removed: 0 },
    deals: { created: 0, updated: 0, removed: 0 },
  })
})

test('a sweep without changes makes seven calls, however many partners there are', async () => {
  await submitted(ada)
  await submitted(bob)
  await sweep()
  await later(120)
  await sweep()
  expect(await callsOf(sweep)).toBe(7)

  const many = await Promise.all(Array.from({ length: 12 }, () => portal.newPartner()))
  const ids = await Promise.all(many.map(inCrm))
  expect(await callsOf(sweep)).toBe(7)

  await lender.createMany(
    'Leads',
    ids.map((id) => ({ Last_Name: 'New', Partner: { id } })),
  )
  await lender.createMany(
    'Leads',
    Array.from({ length: 300 }, () => ({ Last_Name: 'Nobody’s' })),
  )
  await later(60)
  // Besides the seven lists, the sweep needs a second page of leads, because records without a partner fill the first
  // page. The sweep reads the new leads, writes their LOIDs, reads the leads again, and reads the notes of each new
  // lead. The portal's own writes are listed only by the next sweep.
  expect(await callsOf(sweep)).toBe(7 + 1 + 3 + 12)
  for (const partner of many) expect(await lastNames(partner)).toEqual(['New'])
})

test('records that all changed in the same second long ago are not listed again, however many there are', async () => {
  await lender.createMany(
    'Leads',
    Array.from({ length: 260 }, () => ({ Last_Name: 'Nobody’s' })),
  )
  await later(60)
  await sweep()
  expect(await callsOf(sweep)).toBe(8)
  await later(600)
  expect(await callsOf(sweep)).toBe(8)
  expect(await callsOf(sweep)).toBe(7)
})

test('records that changed in the same second are applied once each, even if they are on two pages', async () => {
  await sweep()
  const ids = await lender.createMany(
    'Leads',
    Array.from({ length: 260 }, (_, index) => ({
      Last_Name: `L${index}`,
      Partner: { id: index % 2 ? adaInCrm : bobInCrm },
    })),
  )
  await later(60)
  await sweep()
  const rows = await portal.deps.db
    .selectFrom('leads')
    .select(['zoho_id', 'loid'])
    .where('zoho_id', 'in', ids)
    .execute()
  expect(rows).toHaveLength(260)
  const inZoho = new Map((await lender.list('Leads', 'LOID')).map((lead) => [String(lead['id']), lead['LOID']]))
  for (const row of rows.filter(({ zoho_id }) => inZoho.has(zoho_id ?? ''))) {
    expect(inZoho.get(row.zoho_id ?? '')).toBe(row.loid)
  }
  expect(await eventTypes(ada)).toHaveLength(130)
  await sweep()
  expect(await eventTypes(ada)).toHaveLength(130)
})

test.each([
  { conversionBumpsModifiedTime: true, coqlReturnsConverted: true },
  { conversionBumpsModifiedTime: false, coqlReturnsConverted: true },
  { conversionBumpsModifiedTime: true, coqlReturnsConverted: false, coqlLookupHasName: false },
  { conversionBumpsModifiedTime: false, coqlReturnsConverted: false, ifModifiedSinceInclusive: true },
  { conversionMovesNotes: true, coqlNeedsBracketsBeyondTwo: false, timesOffset: '-05:00' },
])('a sweep converts a lead that staff have converted in the CRM: %o', async (switches) => {
  await lender.behaviour(switches)
  const { loid, id } = await submitted()
  await sweep()
  await later(60)
  await lender.addNote('Leads', id, { content: 'Before the conversion' })
  const deal = await lender.convert(id, { Deal_Name: 'Okafor – trucks' })
  await sweep()
  expect(await listed('leads')).toEqual([])
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
  expect((await eventTypes()).toSorted()).toEqual(['deal.created', 'lead.converted', 'lead.created', 'note.added'])

  await later(60)
  await lender.update('Deals', deal, { Stage: 'Approved' })
  await lender.addNote('Deals', deal, { content: 'After it' })
  await sweep()
  const { data } = (await ada.get(`/crm/deal/${loid}`)).body
  expect(data.deal.stage).toBe('Approved')
  expect(data.notes.map((note: { content: string }) => note.content).sort()).toEqual([
    'After it',
    'Before the conversion',
  ])
  expect((await eventTypes()).slice(4).sort()).toEqual(['deal.stage_changed', 'note.added'])
})

test('a field that CRM_FIELD_MAP names otherwise is read again from all records, and nobody is told (D126)', async () => {
  await lender.makeField('Leads', { field_label: 'Our Brand', data_type: 'text', length: 120 })
  const { id, loid } = await submitted()
  await later(60)
  await lender.update('Leads', id, { Brand: 'Old name', Our_Brand: 'New name' })
  await later(60)
  await sweep()
  const before = await eventTypes()
  const brand = async () => (await ada.get(`/crm/lead/${loid}`)).body.data.lead.brand
  await followFieldMap(portal.deps, new AbortController().signal)
  expect(await brand()).toBe('Old name')
  const CRM_FIELD_MAP = join(await mkdtemp(join(tmpdir(), 'map-')), 'map.json')
  await writeFile(CRM_FIELD_MAP, '{"leads":{"fields":{"brand":"Our_Brand"}}}')
  await using other = await startPortal({ crmUrl: portal.crmUrl, on: portal, env: { CRM_FIELD_MAP } })
  other.advance(shiftSeconds * 1_000)
  await followFieldMap(other.deps, new AbortController().signal)
  expect(await brand()).toBe('New name')
  await followFieldMap(portal.deps, new AbortController().signal)
  expect([await brand(), await eventTypes()]).toEqual(['Old name', before])
})

test('a status, stage, last name and contact that CRM_FIELD_MAP names otherwise reach all records, with their histories and without news (D126)', async () => {
  const text = { data_type: 'text', length: 80 }
  for (const label of ['Our Status', 'Our Surname']) await lender.makeField('Leads', { field_label: label, ...text })
  await lender.makeField('Deals', { field_label: 'Our Stage', ...text })
  const lead = await submitted(ada, { last_name: 'Typed' })
  const other = await submitted(ada)
  const deal = await lender.create('Deals', { Deal_Name: 'Van', Stage: 'Approved', Partner: { id: adaInCrm } })
  await later(60)
  await lender.update('Leads', lead.id, { Our_Status: 'Quoted', Our_Surname: 'Ours' })
  await lender.update('Leads', lead.id, { Our_Status: 'Settled' })
  await lender.update('Leads', other.id, { Our_Status: 'New Lead', Our_Surname: 'Other' })
  for (const stage of ['Signed', 'Drawn']) await lender.update('Deals', deal, { Our_Stage: stage })
  await sweep()
  await later(60)
  await sweep()
  await followFieldMap(portal.deps, new AbortController().signal)
  const before = await eventTypes()

  const CRM_FIELD_MAP = join(await mkdtemp(join(tmpdir(), 'map-')), 'map.json')
  const leads = { fields: { lead_status: 'Our_Status', last_name: 'Our_Surname' } }
  await writeFile(CRM_FIELD_MAP, JSON.stringify({ leads, deals: { fields: { stage: 'Our_Stage' } } }))
  await using mapped = await startPortal({ crmUrl: portal.crmUrl, on: portal, env: { CRM_FIELD_MAP } })
  mapped.advance(shiftSeconds * 1_000)
  await expect(followFieldMap(mapped.deps, AbortSignal.abort())).rejects.toThrow('aborted')
  await followFieldMap(mapped.deps, new AbortController().signal)
  expect(await callsOf(() => followFieldMap(mapped.deps, new AbortController().signal))).toBe(0)
  expect((await listed('leads')).map((found: { lead_status: string }) => found.lead_status).sort()).toEqual([
    'New Lead',
    'Settled',
  ])
  expect(await lastNames()).toEqual(['Other', 'Ours'])
  expect(await listed('deals')).toMatchObject([{ stage: 'Drawn' }])
  await pullDueDetails.run(mapped.deps, {}, new AbortController().signal)
  const [{ loid }] = await listed('deals')
  expect((await ada.get(`/crm/lead/${lead.loid}/status-history`)).body.data).toMatchObject([
    { status: 'Settled' },
    { status: 'Quoted' },
    { status: 'New Lead' },
  ])
  const stages = async () =>
    (await ada.get(`/crm/deal/${loid}/stage-history`)).body.data.map((entry: { stage: string }) => entry.stage)
  expect(await stages()).toEqual(['Drawn', 'Signed'])
  expect(await eventTypes()).toEqual(before)

  await later(60)
  await lender.update('Deals', deal, { Stage: 'Funded', Our_Stage: 'Closed' })
  await runSweep(mapped.deps, new AbortController().signal)
  expect(await stages()).toEqual(['Closed', 'Drawn', 'Signed'])
  expect((await eventTypes()).slice(before.length)).toEqual(['deal.stage_changed'])
})

test('optional fields are read once the organisation has them, with the values that they already had, and kept while it has not', async () => {
  const { id, loid } = await submitted()
  const deal = await lender.create('Deals', { Deal_Name: 'Van', Stage: 'Approved', Partner: { id: adaInCrm } })
  await sweep()
  const follow = () => followFields.run(portal.deps, {}, new AbortController().signal)
  await follow()
  const verdictOf = async () => {
    const { db } = portal.deps
    const columns = ['partner_verdict', 'verdict_reason', 'protected_until'] as const
    return Object.values(
      await db.selectFrom('leads').select(columns).where('loid', '=', loid).executeTakeFirstOrThrow(),
    )
  }
  const groups = async () => [...(await findFieldGroups(portal.deps.db)).keys()]
  expect([await groups(), await verdictOf()]).toEqual([[], [null, null, null]])
  const before = await eventTypes()

  for (const { module, api_name: _, ...field } of fieldsToMake(DEFAULT_FIELD_MAP, [
    'verdict',
    'payments',
    'manager',
  ]).values())
    if (/^(Partner [VM]|Verdict|Protected|.*Commission)/.test(field.field_label)) await lender.makeField(module, field)
  await later(60)
  await lender.update('Leads', id, {
    Partner_Verdict: 'Yours',
    Verdict_Reason: 'New to us',
    Protected_Until: '2027-03-03',
  })
  await lender.update('Partners', adaInCrm, { Partner_Manager_Name: 'Priya Nair' })
  await lender.update('Deals', deal, { Partner_Commission: -120.05, Commission_Status: 'Payable' })
  // The organisation's settings are kept for ten minutes, so these sweeps read the records without the new fields.
  await sweep()
  await later(60)
  await sweep()
  expect(await verdictOf()).toEqual([null, null, null])
  await later(601)
  await follow()
  expect([await groups(), await verdictOf()]).toEqual([
    ['verdict', 'payments', 'manager'],
    ['Yours', 'New to us', '2027-03-03'],
  ])
  expect(await managerOf(ada)).toEqual({ name: 'Priya Nair', phone: null, email: null })
  const row = await portal.deps.db.selectFrom('deals').selectAll().where('zoho_id', '=', deal).executeTakeFirstOrThrow()
  expect([row.partner_commission, row.commission_status, row.commission_note]).toEqual([-120.05, 'Payable', null])
  expect((await eventTypes()).filter((type) => type !== 'deal.updated')).toEqual(before)
  const check = (await portal.deps.crm.check()).find((one) => one.name === 'Optional fields')
  expect(check).toMatchObject({
    isWrong: false,
    says: expect.stringMatching(/^verdict on; payments on; manager on; access off/),
  })

  await lender.removeField('Leads', 'Partner_Verdict')
  await later(601)
  await follow()
  expect([await groups(), (await verdictOf())[0]]).toEqual([['payments', 'manager'], 'Yours'])
  await lender.update('Partners', adaInCrm, { Partner_Manager_Name: 'Sam Wu', Partner_Manager_Phone: '02 5550 1900' })
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await sweep()
  await later(60)
  await sweep()
  expect([(await listed('leads'))[0].lead_status, (await verdictOf())[0]]).toEqual(['Contacted', 'Yours'])
  expect(await managerOf(ada)).toEqual({ name: 'Sam Wu', phone: '02 5550 1900', email: null })
  expect(await managerOf(bob)).toBeNull()
  // A field that is made again is empty.
  await portal.deps.crm.makeMissingFields(['verdict'])
  await follow()
  expect(await verdictOf()).toEqual([null, 'New to us', '2027-03-03'])
  await lender.reset()
  await portal.deps.crm.makeMissingFields([])
  await follow()
  expect(await managerOf(ada)).toBeNull()
})

test.each([{ deletedListsConverted: false }, { deletedListsConverted: true }])(
  'a record deleted in the CRM is removed, and returns when staff restore it: %o',
  async (switches) => {
    await lender.behaviour(switches)
    const gone = await submitted()
    const converted = await submitted()
    const deal = await lender.convert(converted.id)
    const ownDeal = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: bobInCrm } })
    await sweep()
    await lender.remove('Leads', gone.id)
    await lender.remove('Deals', ownDeal)
    await sweep()
    expect(await listed('leads')).toEqual([])
    expect(await listed('deals', bob)).toEqual([])
    expect(await eventTypes(bob)).toEqual(['deal.created', 'deal.removed'])
    const afterwards = await eventTypes(ada)
    expect(afterwards.filter((type) => type === 'lead.removed')).toHaveLength(1)
    // The deal of the converted lead stays, even if Zoho lists converted leads as deleted.
    expect((await listed('deals')).map((one: { loid: string }) => one.loid)).toEqual([converted.loid])
    await sweep()
    expect(await eventTypes(ada)).toEqual(afterwards)

    await lender.remove('Deals', deal)
    await later(60)
    await sweep()
    expect(await listed('deals')).toEqual([])
    await restore(gone.id)
    await sweep()
    expect((await listed('leads')).map((one: { loid: string }) => one.loid)).toEqual([gone.loid])
    expect((await eventTypes(ada)).at(-1)).toBe('lead.restored')
  },
)

test('a lead whose removal was told comes back with an event, even in the partner’s first sync', async () => {
  const { id } = await submitted(ada)
  await sweep()
  await lender.remove('Leads', id)
  await sweep()
  await restore(id)
  expect((await ada.post('/crm/sync')).status).toBe(200)
  expect((await eventTypes(ada)).slice(-2)).toEqual(['lead.removed', 'lead.restored'])
})

test.each([
  ['sweep', 'empty', async () => sweep(), undefined],
  ['sweep', 'kept', async () => sweep(), undefined],
  ['sync', 'empty', async () => (await ada.post('/crm/sync')).body.code, 'ASK_LENDER'],
] as const)(
  'if the CRM no longer has the partner’s own record, a %s removes nothing, says so, and goes on once the record is back (lookups: %s)',
  async (_, lookupsToDeleted, pull, answer) => {
    await lender.behaviour({ lookupsToDeleted })
    const { loid, id } = await submitted(ada)
    await sweep()
    await lender.remove('Partners', adaInCrm)
    await lender.update('Leads', id, { Description: 'touched by a workflow' })
    expect(await pull()).toBe(answer)
    expect((await listed('leads')).map((lead: { loid: string }) => lead.loid)).toEqual([loid])
    expect(await eventTypes(ada)).not.toContain('lead.removed')
    expect((await portal.post('/auth/verify', { token: ada.token })).body.data.hold).toBe('deleted')
    const problems = await findProblemsOfAllPartners(portal.deps.db)
    expect(problems.map(({ crm_problem }) => crm_problem)).toContainEqual(expect.stringContaining('partner link'))

    await lender.restore(adaInCrm)
    await sweep()
    await waitFor('the connection', async () => {
      return (await portal.post('/auth/verify', { token: ada.token })).body.data.hold === null
    })
    expect(await ada.post('/crm/sync')).toMatchObject({ status: 200, body: { data: { leads: { removed: 0 } } } })
    expect((await listed('leads')).map((lead: { loid: string }) => lead.loid)).toEqual([loid])
  },
)

test('records that name no partner any more, because theirs was deleted and restored, are kept until they name one', async () => {
  await lender.behaviour({ lookupsToDeleted: 'lost' })
  const leads = await Promise.all([submitted(ada), submitted(ada)])
  await sweep()
  await lender.remove('Partners', adaInCrm)
  await ada.post('/crm/sync')
  await lender.restore(adaInCrm)
  await sweep()
  const session = async () => (await portal.post('/auth/verify', { token: ada.token })).body.data
  await waitFor('the connection', async () => (await session()).hold === null)
  expect((await ada.post('/dashboard/sync-leads')).body.data).toMatchObject({ removed: 0, held: 2 })
  await sweep()
  expect([await listed('leads'), (await session()).hiddenRecords]).toMatchObject([{ length: 2 }, 2])
  expect(await eventTypes(ada)).not.toContain('lead.removed')

  const [first, second] = leads.map(({ id }) => id)
  await lender.update('Leads', first ?? '', { Partner: { id: adaInCrm } })
  await sweep()
  expect([await listed('leads'), (await session()).hiddenRecords]).toMatchObject([{ length: 2 }, 1])
  expect(await acceptRemovals(portal.deps, 'Leads', new AbortController().signal)).toBe(1)
  expect(await listed('leads')).toMatchObject([{ loid: leads[0]?.loid }])
  await lender.update('Leads', second ?? '', { Partner: { id: adaInCrm } })
  await sweep()
  expect(await listed('leads')).toHaveLength(2)
})

test.each([
  ['sweep', true, async () => sweep()],
  ['sync', false, async () => (await ada.post('/crm/sync')).status],
] as const)(
  'a merge of the partner’s own record is followed by a %s: nothing is removed, and later changes and leads arrive (the merge changes the times of the leads: %s)',
  async (_, mergeBumpsReferring, pull) => {
    await lender.behaviour({ mergeBumpsReferring })
    const { loid, id } = await submitted(ada)
    await sweep()
    const master = await lender.create('Partners', { Name: 'Ada, the record that stays' })
    await lender.merge('Partners', master, [adaInCrm])
    await pull()
    expect((await ada.get('/profile')).body.data.zoho_id).toBe(master)
    await waitFor('the entry in the security log', async () => {
      const { entries } = (await ada.get('/security-log')).body.data
      return entries.some((entry: { event: string }) => entry.event === 'record-linked')
    })
    expect(await eventTypes(ada)).not.toContain('lead.removed')
    await lender.update('Leads', id, { Lead_Status: 'Contacted' })
    await sweep()
    expect(await listed('leads')).toMatchObject([{ loid, lead_status: 'Contacted' }])
    const later = await ada.submitLead()
    await ada.pushedLead(later.loid)
    expect(await ada.post('/crm/sync')).toMatchObject({ status: 200 })
    expect(await listed('leads')).toHaveLength(2)
  },
)

test('a partner’s notes follow a merge of two of its leads', async () => {
  await lender.behaviour({ mergeBumpsReferring: true })
  const [stays, goes] = [await submitted(ada), await submitted(ada)]
  await ada.post(`/crm/note/${goes.loid}`, { content: 'Written before the merge' })
  const notesOf = async (loid: string) => (await ada.get(`/crm/lead/${loid}`)).body.data?.notes
  await waitFor('the note in the CRM', async () => (await notesOf(goes.loid))[0]?.crm === 'synced')
  await sweep()
  await lender.merge('Leads', stays.id, [goes.id])
  await sweep()
  expect(await notesOf(goes.loid)).toBeUndefined()
  expect(await notesOf(stays.loid)).toMatchObject([{ content: 'Written before the merge' }])
})

test('records that the CRM hides without a deletion stay, are counted, and are settled by their return or by the operator', async () => {
  const leads = await Promise.all([submitted(ada), submitted(ada), submitted(ada)])
  await sweep()
  const hide = (isHidden: boolean) => lender.behaviour({ apiUserSeesRecords: !isHidden })
  const seen = async () => {
    const session = (await portal.post('/auth/verify', { token: ada.token })).body.data
    return { shown: (await listed('leads')).length, hidden: session.hiddenRecords }
  }
  await hide(true)
  expect((await ada.post('/dashboard/sync-leads')).body.data).toMatchObject({ removed: 0, held: 3 })
  expect(await seen()).toEqual({ shown: 3, hidden: 3 })
  await sweep()
  expect(await seen()).toEqual({ shown: 3, hidden: 3 })
  await hide(false)
  expect((await ada.post('/dashboard/sync-leads')).body.data).not.toHaveProperty('held')
  expect(await seen()).toEqual({ shown: 3, hidden: 0 })
  await hide(true)
  await ada.post('/dashboard/sync-leads')
  await hide(false)
  await sweep()
  expect(await seen()).toEqual({ shown: 3, hidden: 0 })
  expect(await eventTypes(ada)).toEqual(['lead.created', 'lead.created', 'lead.created'])

  // What the CRM names as deleted goes at once, even if it is all that a partner has.
  await lender.removeMany(
    'Leads',
    leads.map(({ id }) => id),
  )
  await sweep()
  expect(await seen()).toEqual({ shown: 0, hidden: 0 })

  await Promise.all([submitted(bob), submitted(bob)])
  await hide(true)
  await bob.post('/crm/sync')
  expect(await listed('leads', bob)).toHaveLength(2)
  await hide(false)
  expect(await acceptRemovals(portal.deps, 'Leads', new AbortController().signal)).toBe(0)
  await hide(true)
  await bob.post('/crm/sync')
  expect(await acceptRemovals(portal.deps, 'Leads', new AbortController().signal)).toBe(2)
  expect(await listed('leads', bob)).toEqual([])
  expect(await eventTypes(bob)).toEqual(['lead.created', 'lead.created', 'lead.removed', 'lead.removed'])
})

test('a lead that lost its partner while the CRM showed nothing goes once the CRM shows it, also converted', async () => {
  const leads = await Promise.all([submitted(ada), submitted(ada), submitted(ada), submitted(ada)])
  await sweep()
  await lender.behaviour({ apiUserSeesRecords: false })
  await ada.post('/dashboard/sync-leads')
  await later(60)
  for (const { id } of leads.slice(0, 2)) await lender.update('Leads', id, { Partner: null })
  await lender.convert(leads[0]?.id ?? '', { Deal_Name: 'Trucks' })
  await sweep()
  expect(await listed('leads')).toHaveLength(4)
  await lender.behaviour({ apiUserSeesRecords: true })
  await sweep()
  expect(await listed('leads')).toHaveLength(2)
  expect((await portal.post('/auth/verify', { token: ada.token })).body.data.hiddenRecords).toBe(0)
  expect((await eventTypes(ada)).slice(4)).toEqual(['lead.removed', 'lead.removed'])
})

test('records of two partners are held if together they are more than twenty and a tenth of what the portal shows', async () => {
  await using small = await startPortal({ withCrm: true })
  const partners = [await small.newPartner(), await small.newPartner()]
  const ofBoth: string[][] = []
  for (const partner of partners) {
    const id = await inCrm(partner)
    const leads = Array.from({ length: 13 }, (_, number) => ({ Last_Name: `L${number}`, Partner: { id } }))
    ofBoth.push(await lender.createMany('Leads', leads))
  }
  await runSweep(small.deps, new AbortController().signal)
  await lender.behaviour({ clockShiftSeconds: 60 })
  for (const id of ofBoth.flatMap((ids) => ids.slice(0, 12))) await lender.update('Leads', id, { Partner: null })
  await runSweep(small.deps, new AbortController().signal)
  for (const partner of partners) expect(await listed('leads', partner)).toHaveLength(13)
})

test('a pull holds what leaves the third partner, and the last of a partner’s records, also on a later page', async () => {
  const [cleo, dora] = [await portal.newPartner(), await portal.newPartner()]
  const leads = [await submitted(ada), await submitted(bob), await submitted(cleo)]
  const all = [await submitted(dora), await submitted(dora)]
  await Promise.all([submitted(ada), submitted(bob), submitted(cleo)])
  await sweep()
  for (const { id } of [...leads, ...all]) await lender.update('Leads', id, { Partner: null })
  const others = Array.from({ length: 99 }, (_, number) => `99${number}`)
  const pull = (gone: readonly { id: string }[]) => {
    const ids = gone.flatMap(({ id }) => [id, ...others])
    return pullRecords(pullForAll(portal.deps, 'leads', AbortSignal.timeout(10_000)), 'Leads', ids)
  }
  const counts = () => Promise.all([ada, bob, cleo, dora].map(async (one) => (await listed('leads', one)).length))
  await pull(leads)
  expect(await counts()).toEqual([1, 1, 2, 2])
  await pull(all)
  expect(await counts()).toEqual([1, 1, 2, 1])
})

test('a deletion after one record was given away is no merge, so the partner does not get the other one’s records', async () => {
  const [given] = await Promise.all([submitted(ada), submitted(ada)])
  await sweep()
  const other = await lender.create('Partners', { Name: 'Somebody else' })
  await lender.create('Leads', { Last_Name: 'Secret', Partner: { id: other } })
  await lender.update('Leads', given.id, { Partner: { id: other } })
  await lender.remove('Partners', adaInCrm)
  await sweep()
  expect((await ada.get('/profile')).body.data.zoho_id).toBe(adaInCrm)
  expect((await portal.post('/auth/verify', { token: ada.token })).body.data.hold).toBe('deleted')
  expect(await listed('leads')).toHaveLength(2)
})

test('a run that began before a merge was followed removes nothing', async () => {
  const { id } = await submitted(ada)
  await sweep()
  const tallies = talliesOf(undefined)
  const begun = {
    signal: AbortSignal.timeout(10_000),
    progress: openProgress(portal.deps, ada.id, newId(), tallies),
    tallies,
  }
  const run = openRun(portal.deps, begun, { id: ada.id, zoho_id: adaInCrm, created_at: new Date().toISOString() })
  const master = await lender.create('Partners', { Name: 'Ada, the record that stays' })
  await lender.merge('Partners', master, [adaInCrm])
  await sweep()
  expect((await ada.get('/profile')).body.data.zoho_id).toBe(master)
  await pullRecords(run, 'Leads', [id])
  expect(await listed('leads')).toHaveLength(1)
  expect(await eventTypes(ada)).not.toContain('lead.removed')
})

/** Restores a record on the sandbox's recycle bin page. */
async function restore(id: string) {
  const response = await fetch(`${portal.crmUrl}/recycle-bin/${id}/restore`, { method: 'POST' })
  if (!response.ok) throw new Error(`restoring answered ${response.status}`)
}

test('a record that the lender gives to another partner moves to that partner, or is removed if the partner is not in the portal', async () => {
  const stranger = await lender.create('Partners', { Name: 'Not in the portal', Email: 'x@stranger.example' })
  const { loid, id } = await submitted(ada)
  const deal = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
  await sweep()
  await later(60)
  await lender.update('Leads', id, { Partner: { id: bobInCrm } })
  await lender.update('Deals', deal, { Partner: { id: stranger } })
  await sweep()
  expect((await ada.get(`/crm/lead/${loid}`)).status).toBe(404)
  expect((await bob.get(`/crm/lead/${loid}`)).body.data.lead).toMatchObject({ partner: bob.businessName })
  expect(await listed('deals')).toEqual([])
  expect(await eventTypes(ada)).toEqual(['lead.created', 'deal.created', 'lead.removed', 'deal.removed'])
  expect(await eventTypes(bob)).toEqual(['lead.created'])

  await later(60)
  await lender.update('Leads', id, { Partner: null })
  await lender.update('Deals', deal, { Partner: { id: bobInCrm } })
  await sweep()
  expect(await listed('leads', bob)).toEqual([])
  expect(await eventTypes(bob)).toEqual(['lead.created', 'lead.removed', 'deal.created'])
  const calls = await callsOf(sweep)
  await later(60)
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  expect(await callsOf(sweep)).toBeLessThanOrEqual(calls)
})

test.each([{ isAdasFirst: true }, { isAdasFirst: false }])(
  'if the answer to a note’s push was lost, the note stays with its writer when staff give its deal to another partner: %o',
  async ({ isAdasFirst }) => {
    await lender.behaviour({ conversionMapsLoidAndPartner: false })
    const { loid, id } = await submitted(ada)
    await lender.faults({ resetAfterCommit: { match: '/Notes' }, notifications: { drop: 10 } })
    const deal = await lender.convert(id, { Deal_Name: 'Trucks' })
    await lender.update('Deals', deal, { Partner: { id: isAdasFirst ? adaInCrm : bobInCrm } })
    // The portal does not have the deal yet, but the push creates the note on the deal.
    expect((await ada.post(`/crm/note/${loid}`, { content: 'Called, no answer' })).status).toBe(201)
    await waitFor('the note in the CRM', async () => (await lender.list('Notes', 'Note_Content')).length === 1)
    await pullRecords(pullForAll(portal.deps, 'deals', AbortSignal.timeout(10_000)), 'Deals', [deal])
    if (isAdasFirst) {
      await sweep()
      await later(60)
      await lender.update('Deals', deal, { Partner: { id: bobInCrm } })
    }
    await sweep()
    const [{ loid: bobs }] = await listed('deals', bob)
    expect(bobs).not.toBe(loid)
    expect((await bob.get(`/crm/deal/${bobs}`)).body.data.notes).toEqual([])
    expect((await ada.get(`/crm/lead/${loid}`)).body.data.notes).toMatchObject([{ crm: 'synced' }])
    expect((await eventTypes(ada)).filter((type) => type === 'note.added')).toHaveLength(1)
    expect(await eventTypes(bob)).not.toContain('note.added')
  },
)

test('a sync run of a record’s former partner leaves the record with its present partner', async () => {
  const { loid, id } = await submitted(ada)
  await later(60)
  await lender.update('Leads', id, { Partner: { id: bobInCrm } })
  // The sweep runs after the run has listed the partner's records without this lead, and before the run reads the lead
  // by id.
  await sweep()
  const { deps } = portal
  const tallies = talliesOf(null)
  const begun = { signal: AbortSignal.timeout(10_000), tallies, progress: openProgress(deps, ada.id, newId(), tallies) }
  const adas = { id: ada.id, zoho_id: adaInCrm, created_at: new Date().toISOString() }
  await pullRecords(openRun(deps, begun, adas), 'Leads', [id])
  expect((await listed('leads', bob)).map((lead: { loid: string }) => lead.loid)).toEqual([loid])
  expect(await eventTypes(ada)).toEqual(['lead.created', 'lead.removed'])
  expect(await eventTypes(bob)).toEqual(['lead.created'])
})

test('a converted lead that is deleted in the CRM and restored causes no event', async () => {
  const { id } = await submitted()
  await lender.convert(id)
  await sweep()
  const before = await eventTypes()
  expect(before).toHaveLength(3)
  await lender.remove('Leads', id)
  await later(60)
  await sweep()
  await later(60)
  await restore(id)
  await sweep()
  expect((await ada.post('/crm/sync')).body.success).toBe(true)
  expect(await eventTypes()).toEqual(before)
})

test('a record’s new partner sees the notes of staff, and nothing that the former partner wrote', async () => {
  const { loid, id } = await submitted(ada)
  const dealId = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
  await sweep()
  const [{ loid: dealLoid }] = await listed('deals')
  // Makes the deal's first stage look as if it had been submitted through the partner API.
  const { db } = portal.deps
  const began = { origin: 'submitted' as const, changed_by: ada.businessName, description: 'Submitted' }
  await db.updateTable('history_entries').set(began).where('loid', '=', dealLoid).execute()
  const submitter = { submitter_id: newId(), submitted_by: 'Mia Harbour' }
  await db.updateTable('leads').set(submitter).where('loid', '=', loid).execute()
  await db.updateTable('deals').set(submitter).where('loid', '=', dealLoid).execute()
  await lender.addNote('Leads', id, { content: 'Wants two trucks' })
  await sweep()
  for (const content of ['Ada pays the fee', 'Ada heard no answer to this']) {
    await ada.post(`/crm/note/${loid}`, { content })
  }
  await waitFor('the notes in the CRM', async () => {
    const { notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
    return notes.every((note: { crm: string }) => note.crm === 'synced')
  })
  const unheard = { zoho_id: null, crm: 'pending' as const }
  await db.updateTable('notes').set(unheard).where('content', '=', 'Ada heard no answer to this').execute()

  await later(60)
  await lender.update('Leads', id, { Partner: { id: bobInCrm } })
  await lender.update('Deals', dealId, { Partner: { id: bobInCrm } })
  await lender.addNote('Leads', id, { content: 'Yours now' })
  await sweep()
  const lead = (await bob.get(`/crm/lead/${loid}`)).body.data
  const nobody = { submitter_id: null, submitted_by: null }
  expect(lead.lead).toMatchObject(nobody)
  expect((await bob.get(`/crm/deal/${dealLoid}`)).body.data.deal).toMatchObject(nobody)
  const events = await db.selectFrom('events').select('data').where('partner_id', '=', bob.id).execute()
  expect(JSON.stringify(events)).not.toContain('Mia Harbour')
  expect(lead.notes.map((note: { content: string }) => note.content)).toEqual(['Yours now', 'Wants two trucks'])
  const statuses = (await bob.get(`/crm/lead/${loid}/status-history`)).body.data
  expect(statuses).toMatchObject([{ status: 'New Lead', changed_by: null, description: null }])
  const stages = (await bob.get(`/crm/deal/${dealLoid}/stage-history`)).body.data
  expect(stages).toMatchObject([{ stage: 'Approved', changed_by: null, description: null }])
})

test.each([{ conversionBumpsModifiedTime: true }, { conversionBumpsModifiedTime: false }])(
  'a converted lead whose deal cannot be applied does not hold up changes to other partners’ deals: %o',
  async (switches) => {
    await lender.behaviour(switches)
    const { loid, id } = await submitted(ada)
    const bobsDeal = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: bobInCrm } })
    await sweep()
    await insertDeal(portal.deps.db, ada.id, { loid, zoho_id: id.replace('5', '9') })
    await later(60)
    await lender.convert(id, { Deal_Name: 'Has the LOID of another deal' })
    await lender.update('Deals', bobsDeal, { Stage: 'Funded' })
    await sweep()
    expect(await listed('deals', bob)).toMatchObject([{ stage: 'Funded' }])
    expect(await listed('deals', ada)).toMatchObject([{ deal_name: expect.not.stringContaining('LOID') }])
  },
)

test('records that are older than the partner’s account cause no event, but later changes and new records do', async () => {
  const account = { email: 'cleo@referrals.example', businessName: 'Cleo Referrals' }
  const cleoInCrm = await lender.create('Partners', { Name: account.businessName, Email: account.email })
  const [old = ''] = await lender.createMany('Leads', [{ Last_Name: 'Old', Partner: { id: cleoInCrm } }])
  await later(5)
  const cleo = await portal.newPartner(account)
  const mail = await portal.mailTo(account.email, '/verify-email?token=')
  await cleo.post('/auth/verify-email', { token: /verify-email\?token=([\w-]+)/.exec(mail)?.[1] })
  expect(await inCrm(cleo)).toBe(cleoInCrm)
  await waitFor('the first sync of the connected partner', async () => (await lastNames(cleo)).includes('Old'))
  await later(600)
  await sweep()
  expect(await eventTypes(cleo)).toEqual([])

  await lender.update('Leads', old, { Lead_Status: 'Pre Qualified' })
  await lender.create('Leads', { Last_Name: 'New', Partner: { id: cleoInCrm } })
  await sweep()
  expect((await eventTypes(cleo)).sort()).toEqual(['lead.created', 'lead.status_changed'])
})

test('a deal replaces the lead that matches it', async () => {
  const { loid } = await submitted(ada, { loanTerm: '24 months' })
  await lender.create('Deals', {
    Deal_Name: 'By hand',
    Stage: 'Approved',
    Business_Name: 'Okafor Freight Pty Ltd',
    Amount: 150_000,
    Loan_Type: 'Term Loan',
    Loan_Term: '24 months',
    Email: 'nkem@okafor-freight.example',
    Partner: { id: adaInCrm },
  })
  await sweep()
  expect(await listed('leads')).toEqual([])
  const [deal] = await listed('deals')
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid: deal.loid })
})

test('a deal replaces the lead that people see as the same, although Unicode and the company have several spellings', async () => {
  const { loid } = await ada.submitLead({ loanTerm: '24 months', businessName: 'Ngāti O’Brien P/L' })
  await sql`update leads set email = 'ｎｋéｍ@okafor.example', phone = null where loid = ${loid}`.execute(
    portal.deps.db,
  )
  const deal = await insertDeal(portal.deps.db, ada.id, {
    business_name: "NGATI O'BRIEN PTY. LIMITED",
    amount: 150_000,
    loan_type: 'Term Loan',
    loan_term: '24 months',
    email: 'Nkem@okafor.example',
  })
  await portal.deps.db.transaction().execute((tx) => matchLeads(tx, { leads: [], deals: [deal.loid] }, new Date()))
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid: deal.loid })
})

test('a deal replaces a matching lead that is submitted later, however the email and the phone are written', async () => {
  const deal = {
    Deal_Name: 'By hand',
    Stage: 'Approved',
    Business_Name: 'Okafor Freight Pty Ltd',
    Amount: 150_000,
    Loan_Type: 'Term Loan',
    Loan_Term: '24 months',
    Partner: { id: adaInCrm },
  }
  const first = await lender.create('Deals', { ...deal, Phone: '(0491) 570-156' })
  await sweep()
  await submitted(ada, { loanTerm: '24 months' })
  await sweep()
  expect(await listed('leads')).toEqual([])

  // A deal replaces only one lead.
  const { loid } = await submitted(ada, { loanTerm: '24 months' })
  await later(60)
  await sweep()
  expect((await listed('leads')).map((lead: { loid: string }) => lead.loid)).toEqual([loid])

  await lender.create('Deals', { ...deal, Email: 'NKEM@okafor-freight.example' })
  await sweep()
  expect(await listed('leads')).toEqual([])
  // When the first deal is removed, its lead is restored, because the other deal has already replaced a lead.
  await lender.remove('Deals', first)
  await sweep()
  expect(await listed('leads')).toHaveLength(1)
})

test('when a deal is removed, another matching deal replaces the lead that the removed deal had replaced', async () => {
  await submitted(ada, { loanTerm: '24 months' })
  const deal = {
    Stage: 'Approved',
    Business_Name: 'Okafor Freight',
    Amount: 150_000,
    Loan_Type: 'Term Loan',
    Loan_Term: '24 months',
    Email: 'nkem@okafor-freight.example',
    Partner: { id: adaInCrm },
  }
  const first = await lender.create('Deals', { ...deal, Deal_Name: 'Entered' })
  await later(60)
  await lender.create('Deals', { ...deal, Deal_Name: 'Entered twice' })
  await sweep()
  await lender.remove('Deals', first)
  await sweep()
  expect(await listed('deals')).toHaveLength(1)
  expect(await listed('leads')).toEqual([])
  expect((await eventTypes()).slice(-2)).toEqual(['deal.removed', 'lead.converted'])
})

test.each([true, false])(
  'a sweep applies new notes, whether or not they change their record’s Modified_Time (%s)',
  async (noteBumpsParent) => {
    const { loid, id } = await submitted()
    await sweep()
    await later(60)
    await lender.behaviour({ noteBumpsParent })
    await ada.post(`/crm/note/${loid}`, { content: 'Call after ten' })
    await lender.addNote('Leads', id, { content: 'Papers are missing' })
    await sweep()
    await waitFor('the partner’s own note in the CRM', async () => {
      const { notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
      return notes.every((note: { crm: string }) => note.crm === 'synced')
    })
    await sweep()
    const { notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
    expect(notes.map((note: { content: string }) => note.content).sort()).toEqual([
      'Call after ten',
      'Papers are missing',
    ])
    expect((await eventTypes()).filter((type) => type === 'note.added')).toHaveLength(2)
  },
)

test('if Zoho forbids the list of notes, a process that starts later does not read all notes again', async () => {
  await lender.behaviour({ apiUserIsAdmin: false })
  const { loid } = await submitted()
  await later(60)
  await sweep()
  await pullDueDetails.run(portal.deps, {}, new AbortController().signal)
  await later(600)
  await submitted()
  await sweep()
  await using restarted = await startPortal({ withCrm: true, on: portal })
  restarted.advance(shiftSeconds * 1_000)
  await runSweep(restarted.deps, new AbortController().signal)
  const due = await portal.deps.db.selectFrom('leads').select('loid').where('notes_due', '=', true).execute()
  expect(due).not.toContainEqual({ loid })
})

test('if Zoho forbids some lists, the other lists are still swept', async () => {
  const { loid, id } = await submitted()
  await sweep()
  await later(60)
  await lender.addNote('Leads', id, { content: 'Comes with its record' })
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
  await lender.faults({ forbidden: { times: 2, match: '/deleted' } })
  await expect(sweep()).rejects.toThrow('403')
  await lender.faults({ forbidden: { times: 1, match: 'v8/Notes?' } })
  await sweep()
  const { data } = (await ada.get(`/crm/lead/${loid}`)).body
  expect(data).toMatchObject({ lead: { lead_status: 'Contacted' }, notes: [{ content: 'Comes with its record' }] })
  expect(await listed('deals')).toHaveLength(1)
})

test('the cursor moves on only after the listed changes are written', async () => {
  const { loid, id } = await submitted()
  await sweep()
  await later(60)
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  const before = await cursors()
  await lender.faults({ scopeMismatch: { times: 1, match: 'GET /crm/v8/Leads?ids' } })
  await expect(sweep()).rejects.toThrow('OAUTH_SCOPE_MISMATCH')
  expect(await cursors()).toEqual(before)
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.lead_status).toBe('New Lead')
  // The job does not fail if the CRM is unavailable, because the next job continues.
  await lender.faults({ scopeMismatch: { times: 1, match: 'GET /crm/v8/Leads?ids' } })
  await sweepJob.run(portal.deps, {}, new AbortController().signal)
  await sweep()
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.lead_status).toBe('Contacted')
  expect((await cursors()).map((one) => one.position)).not.toEqual(before.map((one) => one.position))
})

test('the next sweep continues an interrupted sweep', async () => {
  await sweep()
  const ids = await lender.createMany(
    'Leads',
    Array.from({ length: 150 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: adaInCrm } })),
  )
  const stop = new AbortController()
  await lender.faults({ slowMs: 30 })
  const cutOff = sweep(stop.signal)
  await waitFor('the first leads', async () => (await listed('leads')).length > 0)
  stop.abort(new Error('stopping'))
  await expect(cutOff).rejects.toThrow('stopping')
  await lender.faults({})
  expect((await ada.get('/dashboard/stats')).body.data.total_leads).toBeLessThan(150)
  await sweep()
  expect((await ada.get('/dashboard/stats')).body.data.total_leads).toBe(150)
  const rows = await portal.deps.db.selectFrom('leads').select('loid').where('zoho_id', 'in', ids).execute()
  expect(new Set(rows.map((row) => row.loid)).size).toBe(150)
  expect(await eventTypes()).toHaveLength(150)
})

test('two sweeps and a sync at the same time give each record one LOID and one event', async () => {
  await ada.post('/crm/sync')
  await sweep()
  await lender.createMany(
    'Leads',
    Array.from({ length: 30 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: adaInCrm } })),
  )
  await lender.faults({ slowMs: 30 })
  await Promise.all([sweep(), ada.post('/crm/sync'), sweep()])
  await lender.faults({})
  const loids = (await listed('leads')).map((lead: { loid: string }) => lead.loid)
  expect(loids).toHaveLength(30)
  const inZoho = (await lender.list('Leads', 'LOID')).map((lead) => lead['LOID'])
  expect(inZoho.sort()).toEqual(loids.sort())
  expect(await eventTypes()).toHaveLength(30)
})

test('a late read does not change a record’s LOID', async () => {
  await sweep()
  const id = await lender.create('Leads', { Last_Name: 'Born there', Partner: { id: adaInCrm } })
  const { crm } = portal.deps
  const { records } = await crm.getLeads([id])
  await sweep()
  const [{ loid }] = await listed('leads')
  const { signal } = new AbortController()
  const readAgain = (ids: string[]) => crm.getLeads(ids)
  const [named] = await nameRecords({ deps: portal.deps, signal }, 'Leads', records, { rows: [], readAgain })
  expect(named?.loid).toBe(loid)
  expect((await lender.read('Leads', id))?.['LOID']).toBe(loid)
})

test('a late read does not give a record back to its former partner', async () => {
  const { loid, id } = await submitted(ada)
  const dealId = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
  await sweep()
  const { crm } = portal.deps
  const [lead] = (await crm.getLeads([id])).records
  const [deal] = (await crm.getDeals([dealId])).records
  const [{ loid: dealLoid }] = await listed('deals')
  await later(60)
  await lender.update('Leads', id, { Partner: { id: bobInCrm } })
  await lender.update('Deals', dealId, { Partner: { id: bobInCrm } })
  await sweep()
  await apply([
    { partnerId: ada.id, lead: lead ? { ...lead, loid } : null, deal: null },
    { partnerId: ada.id, lead: null, deal: deal ? { ...deal, loid: dealLoid } : null },
  ])
  expect((await bob.get(`/crm/lead/${loid}`)).status).toBe(200)
  expect((await bob.get(`/crm/deal/${dealLoid}`)).status).toBe(200)
  expect(await eventTypes(bob)).toEqual(['lead.created', 'deal.created'])
})

/** A text that cannot be compressed, because no part repeats. `first` is a code point of three or four bytes. */
function varied(units: number, first: number): string {
  const width = String.fromCodePoint(first).length
  const letters = Array.from(
    { length: Math.floor(units / width) },
    (_, i) => first + ((i * i * 7_919 + units * 31) % 6_000),
  )
  return String.fromCodePoint(...letters)
}

test.each([
  ['three bytes', 0x4e00],
  ['four bytes', 0x20000],
])('the longest texts that the portal and the CRM accept can be stored, in characters of %s', async (_, first) => {
  const { loid } = await submitted(ada, {
    businessName: varied(200, first),
    firstName: varied(100, first),
    lastName: varied(99, first),
    email: `${'n'.repeat(60)}@${`${'o'.repeat(60)}.`.repeat(3)}example`,
  })
  const dealId = await lender.create('Deals', { Deal_Name: 'Oven', Stage: 'Approved', Partner: { id: adaInCrm } })
  await sweep()
  const { db, crm } = portal.deps
  const row = await db.selectFrom('leads').select('zoho_id').where('loid', '=', loid).executeTakeFirstOrThrow()
  const [lead] = (await crm.getLeads([row.zoho_id ?? ''])).records
  const [deal] = (await crm.getDeals([dealId])).records
  if (!lead || !deal) throw new Error('the CRM lacks the lead or the deal')
  const [{ loid: dealLoid }] = await listed('deals')
  await later(60)
  const same = {
    // The search finds only the part that fits into the index.
    business_name: varied(LINE_LENGTH_MAX, first),
    email: varied(LINE_LENGTH_MAX - 1, first),
    phone: '9'.repeat(LINE_LENGTH_MAX),
    loan_type: varied(LINE_LENGTH_MAX - 2, first),
    lead_source: varied(CHOICE_LENGTH_MAX, first),
    modified_time: new Date(Date.parse(lead.modified_time) + 60_000).toISOString(),
  }
  const name = { first_name: varied(LINE_LENGTH_MAX - 3, first), last_name: varied(LINE_LENGTH_MAX - 4, first) }
  const others = {
    business_industry: varied(LINE_LENGTH_MAX - 5, first),
    lead_status: varied(CHOICE_LENGTH_MAX - 1, first),
  }
  const stage = varied(CHOICE_LENGTH_MAX - 1, first)
  const names = { deal_name: same.business_name, contact_name: name.last_name }
  await apply([
    { partnerId: ada.id, lead: { ...lead, ...same, ...name, ...others, loid }, deal: null },
    { partnerId: ada.id, lead: null, deal: { ...deal, ...same, ...names, stage, loid: dealLoid } },
  ])
  const found = async (kind: string) =>
    (await ada.get(`/dashboard/${kind}?search=${encodeURIComponent(same.business_name.slice(0, 60))}`)).body.data[kind]
  expect((await found('leads')).map((one: { loid: string }) => one.loid)).toEqual([loid])
  expect((await found('deals')).map((one: { loid: string }) => one.loid)).toEqual([dealLoid])
})

test.each([-600, 600])('a sweep finds changes even if the portal’s clock is wrong by %s seconds', async (seconds) => {
  const { loid, id } = await submitted()
  await sweep()
  await later(60)
  portal.advance(seconds * 1_000)
  onTestFinished(() => portal.advance(-seconds * 1_000))
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await sweep()
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.lead_status).toBe('Contacted')
  // The next sweep reads the last minute again, because Zoho may still show other records of that minute.
  const changed = Date.parse(String((await lender.read('Leads', id))?.['Modified_Time']))
  const cursor = (await cursors()).find((one) => one.list === 'leads')
  expect(Date.parse(cursor?.position ?? '')).toBe(changed - 60_000)
})

test('after a slow sweep, the last listed change is listed again, because other records may have changed in the same second', async () => {
  const { id } = await submitted()
  await sweep()
  await later(60)
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  const { crm } = portal.deps
  const slow: typeof crm.getLeads = async (ids, signal) => {
    await later(600)
    return crm.getLeads(ids, signal)
  }
  await runSweep({ ...portal.deps, crm: { ...crm, getLeads: slow } }, new AbortController().signal)
  const changed = Date.parse(String((await lender.read('Leads', id))?.['Modified_Time']))
  const cursor = (await cursors()).find((one) => one.list === 'leads')
  expect(Date.parse(cursor?.position ?? '')).toBe(changed - 60_000)
})

test('where Zoho lists all attachments, one that nothing told of is found and told, without asking each record', async () => {
  await lender.behaviour({ attachmentsOfOrganisation: 'listed' })
  // The sweep of another test was refused, and sessions end meanwhile.
  await later(86_400)
  ada = await portal.newPartner()
  bob = await portal.newPartner()
  const { loid, id } = await submitted()
  const other = await submitted(bob)
  await lender.attach('Leads', id, { name: 'Partner old.pdf', content: '%PDF-1.7 old' })
  await later(600)
  await sweep()
  await later(60)
  await lender.attach('Leads', id, { name: 'Partner letter.pdf', content: '%PDF-1.7 letter' })
  await lender.attach('Leads', other.id, { name: 'Credit memo.pdf', content: '%PDF-1.7 memo' })
  const before = (await lender.calls()).by_kind
  await sweep()
  await sweep()
  const after = (await lender.calls()).by_kind
  const asked = Object.keys(after).filter((kind) => /ttachments/.test(kind) && after[kind] !== before[kind])
  const told = await portal.deps.db
    .selectFrom('events')
    .select(['loid', 'data'])
    .where('type', '=', 'document.added')
    .execute()
  expect(told).toEqual([{ loid, data: expect.objectContaining({ document_name: 'Partner letter.pdf' }) }])
  expect(asked).toEqual(['GET /crm/v8/Attachments'])
  // What stood there before is shown when somebody opens the record, and is no news.
  const { documents } = (await ada.get(`/crm/documents/${loid}`)).body.data
  expect(documents.map(({ name }: { name: string }) => name)).toEqual(['Partner letter.pdf', 'Partner old.pdf'])
  expect((await eventTypes()).filter((type) => type === 'document.added')).toHaveLength(1)
  expect((await bob.get(`/crm/documents/${other.loid}`)).body.data.documents).toEqual([])
})
