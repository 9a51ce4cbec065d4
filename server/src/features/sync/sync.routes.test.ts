import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runSync } from '../../crm/pull/run/run-sync.job.ts'
import { insertRun } from '../../crm/pull/run/sync-runs.queries.ts'
import { pushDeal } from '../../crm/push/push-deal.job.ts'
import { pushLead } from '../../crm/push/push-lead.job.ts'
import { newId } from '../../platform/db/ids.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
let lender: Lender
let ada: TestPartner
/** The id of Ada's record in the CRM. */
let adaInCrm: string

beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})

afterAll(() => portal[Symbol.asyncDispose]())

beforeEach(async () => {
  await lender.reset()
  ada = await portal.newPartner()
  adaInCrm = await inCrm(ada)
})

function inCrm(partner: TestPartner): Promise<string> {
  return waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)
}

async function sync(path: string, partner = ada) {
  const answer = await partner.post(path)
  expect(answer.body).toMatchObject({ success: true })
  expect(answer.status).toBe(200)
  return answer.body.data
}

const syncLeads = (partner?: TestPartner) => sync('/dashboard/sync-leads', partner)
const syncDeals = (partner?: TestPartner) => sync('/dashboard/sync-deals', partner)

const nothingLeft = { created: 0, updated: 0, converted: 0, removed: 0, problems: [] }

async function listed(kind: 'leads' | 'deals', partner = ada) {
  return (await partner.get(`/dashboard/${kind}?limit=100`)).body.data[kind]
}

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

const history = async (loid: string) => (await ada.get(`/crm/lead/${loid}/status-history`)).body.data
const stages = async (loid: string) => (await ada.get(`/crm/deal/${loid}/stage-history`)).body.data

test('POST /dashboard/sync-leads adds each of the partner’s CRM leads once, with a LOID and its history, and without events', async () => {
  const id = await lender.create('Leads', {
    Last_Name: 'Rivera',
    First_Name: 'Ana',
    Company: 'Rivera Bakery',
    Lead_Status: 'Not Contacted',
    Loan_Amount: 80_000.25,
    Partner: { id: adaInCrm },
  })
  await lender.behaviour({ clockShiftSeconds: 60 })
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await lender.create('Leads', { Last_Name: 'Nobody’s' })

  expect(await syncLeads()).toEqual({ ...nothingLeft, total_zoho_leads: 1, created: 1, skipped: 0 })
  const [lead] = await listed('leads')
  expect(lead).toMatchObject({
    lead_name: 'Ana Rivera',
    loan_amount: 80_000.25,
    lead_status: 'Contacted',
    crm: 'synced',
  })
  expect((await lender.read('Leads', id))?.['LOID']).toBe(lead.loid)
  expect((await history(lead.loid)).map((entry: { status: string }) => entry.status)).toEqual([
    'Contacted',
    'Not Contacted',
  ])
  expect(await eventTypes()).toEqual([])

  expect(await syncLeads()).toEqual({ ...nothingLeft, total_zoho_leads: 1, skipped: 1 })
})

test('a sync recognises a submitted lead, and a later change of its status causes one event', async () => {
  const { loid } = await ada.submitLead()
  // The test does not wait for the push, because a sync first pushes what the partner submitted.
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 1, created: 0, skipped: 1 })
  const [inZoho] = await lender.list('Leads', 'LOID')
  expect(inZoho?.['LOID']).toBe(loid)
  await lender.update('Leads', String(inZoho?.['id']), { Lead_Status: 'Pre Qualified', Brand: 'Northwind' })

  expect(await syncLeads()).toMatchObject({ ...nothingLeft, total_zoho_leads: 1, updated: 1 })
  expect(await syncLeads()).toMatchObject({ ...nothingLeft, total_zoho_leads: 1, skipped: 1 })
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead).toMatchObject({
    lead_status: 'Pre Qualified',
    brand: 'Northwind',
  })
  const entries = await history(loid)
  expect(entries).toMatchObject([
    { status: 'Pre Qualified' },
    { status: 'New Lead', changed_by: ada.businessName, description: 'Submitted through the partner portal' },
  ])
  expect(JSON.stringify(entries)).not.toContain('@')
  expect(await eventTypes()).toEqual(['lead.created', 'lead.status_changed'])
})

test('the Partner lookup alone decides who owns a lead, and a sync removes leads that were deleted or given to another partner', async () => {
  const bob = await portal.newPartner()
  const bobInCrm = await inCrm(bob)
  const ids = await lender.createMany('Leads', [
    { Last_Name: 'Stays', Company: ada.businessName, Partner: { id: adaInCrm } },
    { Last_Name: 'Given away', Partner: { id: adaInCrm } },
    { Last_Name: 'Deleted', Partner: { id: adaInCrm } },
    { Last_Name: 'Bob’s', Company: ada.businessName, Partner: { id: bobInCrm } },
  ])
  expect(await syncLeads()).toMatchObject({ created: 3 })
  const named = async (name: string) =>
    (await listed('leads')).find((one: { last_name: string }) => one.last_name === name)
  const [given, deleted] = [await named('Given away'), await named('Deleted')]

  await lender.update('Leads', ids[1] ?? '', { Partner: { id: bobInCrm } })
  await lender.remove('Leads', ids[2] ?? '')
  expect(await syncLeads()).toEqual({ ...nothingLeft, total_zoho_leads: 1, skipped: 1, removed: 2 })
  expect((await listed('leads')).map((lead: { last_name: string }) => lead.last_name)).toEqual(['Stays'])
  expect((await ada.get(`/crm/lead/${given.loid}`)).status).toBe(404)
  expect(await eventTypes()).toEqual(['lead.removed', 'lead.removed'])
  // The partner still learns what was removed, unless the applicant's data was erased.
  for (const path of ['', '/timeline']) {
    expect((await ada.get(`/crm/lead/${deleted.loid}${path}`)).body).toEqual({
      success: false,
      error: 'The lender removed this lead.',
      code: 'LEAD_REMOVED',
      removed: { business_name: deleted.business_name, value: deleted.lead_status, removed_at: expect.any(String) },
    })
  }
  expect((await bob.get(`/crm/lead/${deleted.loid}`)).body.code).toBe('NOT_FOUND')
  await portal.deps.pool.query('update leads set erased_at = now() where loid = $1', [deleted.loid])
  expect((await ada.get(`/crm/lead/${deleted.loid}`)).body).toMatchObject({
    code: 'NOT_FOUND',
    error: 'Lead not found',
  })
  expect(await syncLeads()).toMatchObject({ ...nothingLeft, total_zoho_leads: 1, skipped: 1 })

  expect(await syncLeads(bob)).toMatchObject({ total_zoho_leads: 2, created: 1, updated: 1, problems: [] })
  expect((await bob.get(`/crm/lead/${given.loid}`)).body.data.lead).toMatchObject({
    last_name: 'Given away',
    partner: bob.businessName,
  })

  await lender.update('Leads', ids[1] ?? '', { Partner: { id: adaInCrm } })
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 2, updated: 1, removed: 0 })
  expect((await ada.get(`/crm/lead/${given.loid}`)).status).toBe(200)
  expect((await bob.get(`/crm/lead/${given.loid}`)).status).toBe(404)
  expect(await syncLeads(bob)).toMatchObject({ ...nothingLeft, total_zoho_leads: 1, skipped: 1 })
  expect(await eventTypes(bob)).toEqual(['lead.removed'])
})

test.each([
  { conversionBumpsModifiedTime: true, coqlReturnsConverted: true },
  { conversionBumpsModifiedTime: false, coqlReturnsConverted: true },
  { conversionBumpsModifiedTime: false, coqlReturnsConverted: false, searchLagSeconds: 3_600 },
])('with the switches %o, a lead sync converts a lead once, and the deal has the lead’s LOID', async (switches) => {
  await lender.behaviour(switches)
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 1, skipped: 1 })
  const [inZoho] = await lender.list('Leads', 'LOID')
  await lender.convert(String(inZoho?.['id']), { Deal_Name: 'Okafor – trucks', Amount: 140_000 })

  expect(await syncLeads()).toEqual({ ...nothingLeft, total_zoho_leads: 1, converted: 1, skipped: 0 })
  expect(await listed('leads')).toEqual([])
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
  expect((await ada.get(`/crm/deal/${loid}`)).body.data).toMatchObject({
    deal: { deal_name: 'Okafor – trucks', amount: 140_000, stage: 'Information Received' },
    converted_from_lead: true,
  })
  expect(await stages(loid)).toMatchObject([{ stage: 'Information Received' }])
  expect((await history(loid)).at(-1)).toMatchObject({ status: 'New Lead' })
  expect(await syncLeads()).toEqual({ ...nothingLeft, total_zoho_leads: 1, skipped: 1 })
  expect(await syncDeals()).toMatchObject({ total_zoho_deals: 1, created: 0, skipped: 1, matching_leads_removed: 0 })
  expect((await ada.get('/dashboard/stats')).body.data).toMatchObject({
    total_leads: 1,
    active_leads: 0,
    conversion_rate: 1,
  })
  expect(await eventTypes()).toEqual(['lead.created', 'deal.created', 'lead.converted'])
})

test('a deal sync converts the deal’s lead if the CRM says that the lead is converted', async () => {
  const { loid } = await ada.submitLead()
  const lead = await ada.pushedLead(loid)
  const [inZoho] = await lender.list('Leads', 'LOID')
  await lender.convert(String(inZoho?.['id']))
  expect(lead.crm).toBe('synced')
  expect(await syncDeals()).toMatchObject({ total_zoho_deals: 1, created: 1, skipped: 0 })
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 1, created: 0, converted: 0 })
})

test('POST /crm/sync pulls leads and deals in one run, and counts the converted lead and its deal', async () => {
  const [id = ''] = await lender.createMany('Leads', [
    { Last_Name: 'Converted', Partner: { id: adaInCrm } },
    { Last_Name: 'Open', Partner: { id: adaInCrm } },
  ])
  await lender.convert(id)
  expect(await sync('/crm/sync')).toEqual({
    leads: { ...nothingLeft, total_zoho_leads: 2, created: 1, converted: 1, skipped: 0 },
    deals: {
      total_zoho_deals: 1,
      created: 1,
      updated: 0,
      matching_leads_removed: 0,
      skipped: 0,
      removed: 0,
      problems: [],
    },
  })
  const [deal] = await listed('deals')
  // The CRM accepts no LOID for a converted lead, but it accepts one for the deal.
  expect((await lender.list('Deals', 'LOID'))[0]?.['LOID']).toBe(deal.loid)
  expect(await sync('/crm/sync')).toMatchObject({
    leads: { ...nothingLeft, total_zoho_leads: 2, skipped: 2 },
    deals: { total_zoho_deals: 1, created: 0, updated: 0, skipped: 1, removed: 0 },
  })
  expect(await eventTypes()).toEqual([])
})

test('a change of the profile does not put back what staff have corrected in the partner’s record', async () => {
  await lender.update('Partners', adaInCrm, { Name: 'Ada Pty Ltd', Phone: '+61290000000' })
  expect((await ada.put('/profile', { first_name: 'Adelaide' })).status).toBe(200)
  await waitFor('the new name', async () => (await lender.read('Partners', adaInCrm))?.['First_Name'] === 'Adelaide')
  expect(await lender.read('Partners', adaInCrm)).toMatchObject({ Name: 'Ada Pty Ltd', Phone: '+61290000000' })
})

test('a last name that the portal made of the business name does not come back as somebody’s name', async () => {
  const body = { business_name: 'Mini Co', email: 'mini@mini.example' }
  const { loid } = (await ada.post('/webhook/lead', body)).body.data
  await ada.pushedLead(loid)
  const [inZoho] = await lender.list('Leads', 'Last_Name')
  expect(inZoho?.['Last_Name']).toBe('Mini Co')
  await lender.update('Leads', String(inZoho?.['id']), { Lead_Status: 'Contacted' })
  await syncLeads()
  const shown = async () => (await ada.get(`/crm/lead/${loid}`)).body.data.lead
  expect(await shown()).toMatchObject({ lead_status: 'Contacted', last_name: null, lead_name: null })
  await lender.update('Leads', String(inZoho?.['id']), { Last_Name: 'Rivera' })
  await syncLeads()
  expect(await shown()).toMatchObject({ lead_name: 'Rivera' })
  const { steps } = (await ada.post('/dashboard/debug-sync-leads')).body.debug
  expect(JSON.stringify(steps)).toContain('"1 lead"')
})

test('POST /dashboard/sync-deals adds, changes and removes deals as the CRM does', async () => {
  const id = await lender.create('Deals', {
    Deal_Name: 'Rivera – oven',
    Stage: 'Information Received',
    Amount: 50_000,
    Closing_Date: '2027-03-01',
    Partner: { id: adaInCrm },
  })
  expect(await syncDeals()).toEqual({
    total_zoho_deals: 1,
    created: 1,
    updated: 0,
    matching_leads_removed: 0,
    skipped: 0,
    removed: 0,
    problems: [],
  })
  const [deal] = await listed('deals')
  expect(deal).toMatchObject({
    deal_name: 'Rivera – oven',
    amount: 50_000,
    closing_date: '2027-03-01',
    probability: 25,
  })
  expect(await syncDeals()).toMatchObject({ created: 0, updated: 0, skipped: 1 })
  expect(await eventTypes()).toEqual([])

  await lender.behaviour({ clockShiftSeconds: 60 })
  await lender.update('Deals', id, { Amount: 55_000 })
  expect(await syncDeals()).toMatchObject({ updated: 1, skipped: 0 })
  await lender.behaviour({ clockShiftSeconds: 120 })
  await lender.update('Deals', id, { Stage: 'Pending Approval' })
  expect(await syncDeals()).toMatchObject({ updated: 1 })
  expect((await stages(deal.loid)).map((entry: { stage: string }) => entry.stage)).toEqual([
    'Pending Approval',
    'Information Received',
  ])

  await lender.remove('Deals', id)
  expect(await syncDeals()).toMatchObject({ total_zoho_deals: 0, skipped: 0, removed: 1 })
  expect(await listed('deals')).toEqual([])
  expect(await eventTypes()).toEqual(['deal.updated', 'deal.stage_changed', 'deal.removed'])
  expect((await ada.get(`/crm/deal/${deal.loid}`)).body).toMatchObject({
    code: 'DEAL_REMOVED',
    removed: { business_name: 'Rivera – oven', value: 'Pending Approval' },
  })
  expect(await syncDeals()).toMatchObject({ total_zoho_deals: 0, removed: 0 })
})

test('a deal replaces the oldest lead that matches it, and the lead is restored when the deal is removed', async () => {
  const form = { businessName: 'Okafor Freight Pty Ltd', loanTerm: '24 months' }
  const [oldest, second] = [await ada.submitLead(form), await ada.submitLead(form)]
  const other = await ada.submitLead({ ...form, loanAmount: 99_000 })
  const deal = await lender.create('Deals', {
    Deal_Name: 'By hand',
    Stage: 'Approved',
    Business_Name: 'OKAFOR FREIGHT',
    Amount: 150_000,
    Loan_Type: 'Term Loan',
    Loan_Term: '24 months',
    Phone: '0491 570 156',
    Partner: { id: adaInCrm },
  })
  expect(await syncDeals()).toMatchObject({ created: 1, matching_leads_removed: 1 })
  expect(await syncDeals()).toMatchObject({ skipped: 1, matching_leads_removed: 0 })
  expect((await listed('leads')).map((lead: { loid: string }) => lead.loid)).toEqual([other.loid, second.loid])
  const [dealRow] = await listed('deals')
  expect((await ada.get(`/crm/lead/${oldest.loid}`)).body.data.lead).toMatchObject({
    converted_to_deal: { loid: dealRow.loid },
    side: null,
  })
  // The deal's page fills the deal's gaps from the lead, but the deal itself stays as it is in the CRM.
  const { deal: shown } = (await ada.get(`/crm/deal/${dealRow.loid}`)).body.data
  expect(shown).toMatchObject({ contact_name: 'Nkem Okafor', partner_iso: 'AU', loan_purpose: null, side: 'lender' })
  expect(shown.from_referral).toEqual(['contact_name', 'email', 'partner_iso'])
  expect(dealRow).toMatchObject({ contact_name: null, email: null })
  // The replaced lead is still in the CRM, but a sync does not bring it back into the partner's list.
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 3, created: 0, converted: 0, removed: 0 })
  expect(await listed('leads')).toHaveLength(2)

  await lender.remove('Deals', deal)
  expect(await syncDeals()).toMatchObject({ removed: 1, matching_leads_removed: 0 })
  expect(await listed('leads')).toHaveLength(3)
  expect((await eventTypes()).slice(-3)).toEqual(['lead.converted', 'deal.removed', 'lead.restored'])
})

const MATCHING = {
  Deal_Name: 'By hand',
  Stage: 'Approved',
  Business_Name: 'Okafor Freight',
  Amount: 150_000,
  Loan_Type: 'Term Loan',
  Loan_Term: '24 months',
  Phone: '0491 570 156',
}

test('a lead that a matching deal has replaced counts as converted to that deal', async () => {
  const { loid } = await ada.submitLead({ businessName: 'Okafor Freight', loanTerm: '24 months' })
  await ada.pushedLead(loid)
  await ada.post(`/crm/note/${loid}`, { content: 'Written on the lead' })
  const inZoho = await lender.create('Deals', { ...MATCHING, Partner: { id: adaInCrm } })
  expect(await syncDeals()).toMatchObject({ created: 1, matching_leads_removed: 1 })
  const [deal] = await listed('deals')
  expect(deal.loid).not.toBe(loid)

  expect((await ada.get('/dashboard/stats')).body.data).toMatchObject({
    total_leads: 1,
    active_leads: 0,
    conversion_rate: 1,
  })
  expect((await ada.post('/dashboard/debug-sync-leads')).body.debug.counts).toEqual({ portal_leads: 1, zoho_leads: 1 })
  const converted = await portal.deps.db
    .selectFrom('events')
    .select(['loid', 'data'])
    .where('partner_id', '=', ada.id)
    .where('type', '=', 'lead.converted')
    .execute()
  expect(converted).toEqual([
    { loid, data: { business_name: 'Okafor Freight', amount: 150_000, deal_loid: deal.loid } },
  ])
  expect(await eventTypes()).not.toContain('lead.removed')

  for (const either of [loid, deal.loid]) {
    expect((await ada.get(`/crm/deal/${either}`)).body.data).toMatchObject({
      deal: { loid: deal.loid },
      notes: [{ content: 'Written on the lead' }],
      converted_from_lead: true,
    })
    expect((await ada.get(`/crm/lead/${either}`)).body.data.lead).toMatchObject({
      loid,
      converted_to_deal: { loid: deal.loid },
    })
    expect((await history(either)).map((entry: { status: string }) => entry.status)).toEqual(['New Lead'])
    expect((await stages(either)).at(-1).stage).toBe('Approved')
    for (const path of [`/crm/search?q=${either}`, `/dashboard/deals?search=${either.slice(3)}`])
      expect((await ada.get(path)).body.data.deals.map((one: { loid: string }) => one.loid)).toEqual([deal.loid])
    expect((await ada.get(`/webhook/status/${either}`)).body.data).toMatchObject({ loid: either, status: 'Approved' })
    expect((await ada.post(`/dashboard/sync-deal/${either}`)).body.data.operation).toBe('unchanged')
  }

  await ada.post(`/crm/note/${loid}`, { content: 'Written on the deal' })
  await waitFor('the note on the deal', async () => {
    return (await lender.list(`Deals/${inZoho}/Notes`, 'Note_Content')).some((note) =>
      String(note['Note_Content']).startsWith('Written on the deal'),
    )
  })
  const { notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
  expect(notes.map((note: { content: string }) => note.content)).toEqual(['Written on the deal', 'Written on the lead'])
})

test('a deal sync also counts leads that were replaced during an earlier lead sync', async () => {
  const form = { businessName: 'Okafor Freight', loanTerm: '24 months' }
  await lender.create('Deals', { ...MATCHING, Partner: { id: adaInCrm } })
  expect(await syncDeals()).toMatchObject({ created: 1, matching_leads_removed: 0 })
  const { loid } = await ada.submitLead(form)
  await ada.pushedLead(loid)
  // A lead sync also replaces leads, but its result does not count them.
  await syncLeads()
  expect(await listed('leads')).toEqual([])
  expect((await sync('/crm/sync')).deals).toMatchObject({ matching_leads_removed: 1 })
  expect(await syncDeals()).toMatchObject({ matching_leads_removed: 0 })
})

test('when the CRM converts a lead that a deal has replaced, the lead belongs to the new deal, and the first deal has no lead', async () => {
  const { loid } = await ada.submitLead({ businessName: 'Okafor Freight', loanTerm: '24 months' })
  await ada.pushedLead(loid)
  await lender.create('Deals', { ...MATCHING, Partner: { id: adaInCrm } })
  await syncDeals()
  const [byHand] = await listed('deals')
  const [inZoho] = await lender.list('Leads', 'LOID')
  await lender.convert(String(inZoho?.['id']), { Deal_Name: 'Converted' })
  expect(await syncLeads()).toMatchObject({ converted: 1, problems: [] })
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid })
  expect((await ada.get(`/crm/deal/${loid}`)).body.data.deal.deal_name).toBe('Converted')
  expect((await ada.get(`/crm/deal/${byHand.loid}`)).body.data.converted_from_lead).toBe(false)
  expect(await syncLeads()).toMatchObject({ converted: 0, skipped: 1 })
})

test('a lead that a deal has replaced is open again when the deal is given to another partner', async () => {
  const { loid } = await ada.submitLead({ businessName: 'Okafor Freight', loanTerm: '24 months' })
  await ada.pushedLead(loid)
  const inZoho = await lender.create('Deals', { ...MATCHING, Partner: { id: adaInCrm } })
  await syncDeals()
  const bob = await portal.newPartner()
  await lender.update('Deals', inZoho, { Partner: { id: await inCrm(bob) } })
  await syncDeals(bob)
  expect((await listed('leads')).map((lead: { loid: string }) => lead.loid)).toEqual([loid])
  expect((await eventTypes()).slice(-3)).toEqual(['lead.converted', 'deal.removed', 'lead.restored'])
  expect((await bob.get(`/crm/deal/${loid}`)).status).toBe(404)
  const [deal] = await listed('deals', bob)
  expect((await bob.get(`/crm/deal/${deal.loid}`)).body.data).toMatchObject({ notes: [], converted_from_lead: false })
})

test('POST /dashboard/sync-deal/{id} answers whether the deal was created from its lead, was updated or removed, or is unchanged', async () => {
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  expect((await ada.post(`/dashboard/sync-deal/${loid}`)).status).toBe(404)
  const [inZoho] = await lender.list('Leads', 'LOID')
  const deal = await lender.convert(String(inZoho?.['id']), { Deal_Name: 'Okafor', Amount: 1_000 })
  const one = () => sync(`/dashboard/sync-deal/${loid.toLowerCase()}`)
  expect(await one()).toEqual({
    operation: 'created',
    deal_name: 'Okafor',
    stage: 'Information Received',
    amount: 1_000,
  })
  expect(await one()).toMatchObject({ operation: 'unchanged' })
  await lender.addNote('Deals', deal, { title: 'Lender', content: 'Papers are in' })
  await lender.behaviour({ clockShiftSeconds: 60 })
  await lender.update('Deals', deal, { Stage: 'Funded', Amount: 1_200 })
  expect(await one()).toEqual({ operation: 'updated', deal_name: 'Okafor', stage: 'Funded', amount: 1_200 })
  expect((await ada.get(`/crm/deal/${loid}`)).body.data.notes).toMatchObject([
    { title: 'Lender', content: 'Papers are in' },
  ])
  const bob = await portal.newPartner()
  expect((await bob.post(`/dashboard/sync-deal/${loid}`)).status).toBe(404)

  await lender.remove('Deals', deal)
  expect(await one()).toMatchObject({ operation: 'removed', deal_name: 'Okafor', amount: 1_200 })
  expect(await listed('deals')).toEqual([])
  expect((await ada.post('/dashboard/sync-deal/LO-00000000')).status).toBe(404)
})

test.each([true, false])(
  'a sync applies the CRM’s notes, whether or not they change their record’s Modified_Time (%s)',
  async (noteBumpsParent) => {
    await lender.behaviour({ noteBumpsParent })
    const { loid } = await ada.submitLead()
    await ada.pushedLead(loid)
    const [inZoho] = await lender.list('Leads', 'LOID')
    const id = String(inZoho?.['id'])
    await lender.addNote('Leads', id, { title: 'Before', content: 'Written before the first sync' })
    const own = await ada.post(`/crm/note/${loid}`, { content: 'Please call after ten' })
    expect(own.status).toBe(201)
    await syncLeads()
    await lender.addNote('Leads', id, { title: 'After', content: 'Written between two syncs' })
    await syncLeads()
    await syncLeads()
    await waitFor('the partner’s own note in the CRM', async () => {
      const { notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
      return notes.every((note: { crm: string }) => note.crm === 'synced')
    })
    await syncLeads()
    const { notes } = (await ada.get(`/crm/lead/${loid}`)).body.data
    expect(notes.map((note: { content: string }) => note.content).sort()).toEqual([
      'Please call after ten',
      'Written before the first sync',
      'Written between two syncs',
    ])
    expect(JSON.stringify(notes)).not.toContain('lender.')
    expect((await eventTypes()).filter((type) => type === 'note.added')).toHaveLength(2)
  },
)

test('if Zoho forbids the list of all notes, a sync applies the notes of changed records', async () => {
  const id = await lender.create('Leads', { Last_Name: 'N', Partner: { id: adaInCrm } })
  await syncLeads()
  await lender.addNote('Leads', id, { content: 'A remark of the lender' })
  await lender.behaviour({ clockShiftSeconds: 60 })
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await lender.faults({ forbidden: { times: 1, match: 'v8/Notes?' } })
  expect(await syncLeads()).toMatchObject({ updated: 1 })
  const [lead] = await listed('leads')
  expect((await ada.get(`/crm/lead/${lead.loid}`)).body.data.notes).toMatchObject([
    { content: 'A remark of the lender' },
  ])
})

test('a change that is missing from the CRM’s history is described as observed', async () => {
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  const [inZoho] = await lender.list('Leads', 'LOID')
  await lender.update('Leads', String(inZoho?.['id']), { Lead_Status: 'Contacted' })
  await lender.faults({ failEvery: { n: 1, status: 404, match: '__timeline' } })
  await syncLeads()
  expect(await history(loid)).toMatchObject([
    { status: 'Contacted', changed_by: null, description: expect.stringContaining('Observed') },
    { status: 'New Lead' },
  ])
  await lender.faults({})
  await lender.update('Leads', String(inZoho?.['id']), { Lead_Status: 'Pre Qualified' })
  await syncLeads()
  const entries = await history(loid)
  expect(entries.map((entry: { status: string }) => entry.status)).toEqual(['Pre Qualified', 'Contacted', 'New Lead'])
  expect(JSON.stringify(entries)).not.toContain('Observed')
})

test('a record with the LOID of another record is reported as a problem, and the sync applies the other records', async () => {
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  const bob = await portal.newPartner()
  const [inZoho] = await lender.list('Leads', 'LOID')
  await syncLeads()
  // Staff move the LOID of Ada's lead to one of Bob's leads.
  await lender.update('Leads', String(inZoho?.['id']), { LOID: null })
  const wrong = await lender.create('Leads', { Last_Name: 'Wrong', LOID: loid, Partner: { id: await inCrm(bob) } })
  await lender.create('Leads', { Last_Name: 'Right', Partner: { id: await inCrm(bob) } })

  expect(await syncLeads(bob)).toMatchObject({
    total_zoho_leads: 2,
    created: 1,
    skipped: 1,
    problems: [{ zoho_id: wrong, reason: expect.stringContaining(loid) }],
  })
  expect((await ada.get(`/crm/lead/${loid}`)).status).toBe(200)
})

test('simultaneous sync requests share one run, whether they are for leads, deals or both', async () => {
  await lender.createMany(
    'Leads',
    Array.from({ length: 5 }, () => ({ Last_Name: 'Five', Partner: { id: adaInCrm } })),
  )
  await lender.create('Deals', { Deal_Name: 'One', Stage: 'Approved', Partner: { id: adaInCrm } })
  await lender.faults({ slowMs: 50 })
  const [leads, again, deals, all] = await Promise.all([syncLeads(), syncLeads(), syncDeals(), sync('/crm/sync')])
  expect(leads).toMatchObject({ total_zoho_leads: 5, created: 5 })
  expect(again).toEqual(leads)
  expect(deals).toMatchObject({ total_zoho_deals: 1, created: 1 })
  expect(all).toEqual({ leads, deals })
  const runs = await portal.deps.db.selectFrom('sync_runs').select('status').where('partner_id', '=', ada.id).execute()
  expect(runs).toEqual([{ status: 'succeeded' }])
})

test('a sync answers 502 if the CRM refuses a call, and the next sync succeeds', async () => {
  await lender.create('Leads', { Last_Name: 'Later', Partner: { id: adaInCrm } })
  await lender.faults({ scopeMismatch: { times: 1 } })
  const failed = await ada.post('/dashboard/sync-leads')
  expect(failed).toMatchObject({ status: 502, body: { success: false, code: 'CRM_UNAVAILABLE' } })
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 1, created: 1 })
})

test.each([
  ['every third call fails', { failEvery: { n: 3 } }],
  ['the CRM reports too many calls', { tooMany: { times: 4, retryAfterSeconds: 0, match: 'Leads' } }],
  ['answers to writes are lost', { resetAfterCommit: { times: 2, match: 'PUT /crm/v8/Leads' } }],
  ['the access token expires', { tokenExpired: true }],
])('a sync adds every lead once, even if %s during the run', async (_what, faults) => {
  const ids = await lender.createMany(
    'Leads',
    Array.from({ length: 130 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: adaInCrm } })),
  )
  await lender.faults({ slowMs: 20 })
  const answer = syncLeads()
  await waitFor('the run to update leads', async () => {
    const query = portal.deps.db.selectFrom('sync_runs').select('phase').where('partner_id', '=', ada.id)
    return (await query.executeTakeFirst())?.phase === 'Updating leads'
  })
  await lender.faults(faults)
  expect(await answer).toEqual({ ...nothingLeft, total_zoho_leads: 130, created: 130, skipped: 0 })
  await lender.faults({})
  expect(await syncLeads()).toEqual({ ...nothingLeft, total_zoho_leads: 130, skipped: 130 })
  const rows = await portal.deps.db
    .selectFrom('leads')
    .select(['zoho_id', 'loid'])
    .where('zoho_id', 'in', ids)
    .execute()
  const inZoho = new Map((await lender.list('Leads', 'LOID')).map((lead) => [lead['id'], lead['LOID']]))
  expect(new Map(rows.map((row) => [row.zoho_id, row.loid]))).toEqual(inZoho)
})

test('after staff delete the partner’s own record, the partner keeps its lead, and a sync says to ask the lender', async () => {
  await lender.remove('Partners', adaInCrm)
  const { loid } = await submittedInVain()
  expect(await ada.post('/dashboard/sync-leads')).toMatchObject({ status: 409, body: { code: 'ASK_LENDER' } })
  expect(await inCrm(ada)).toBe(adaInCrm)
  expect((await listed('leads')).map((lead: { loid: string }) => lead.loid)).toEqual([loid])
  expect(await eventTypes()).toEqual(['lead.created'])
})

test('a lead is pushed even if a deal has replaced it before the push', async () => {
  const { loid } = await submittedInVain({ businessName: 'Okafor Freight', loanTerm: '24 months' })
  await lender.create('Deals', {
    Deal_Name: 'By hand',
    Stage: 'Approved',
    Business_Name: 'Okafor Freight',
    Amount: 150_000,
    Loan_Type: 'Term Loan',
    Loan_Term: '24 months',
    Phone: '0491 570 156',
    Partner: { id: adaInCrm },
  })
  expect(await syncDeals()).toMatchObject({ created: 1, matching_leads_removed: 1 })
  await pushLead.run(portal.deps, { partnerId: ada.id, loid }, new AbortController().signal)
  expect((await lender.list('Leads', 'LOID')).map((lead) => lead['LOID'])).toEqual([loid])
  expect(await syncLeads()).toMatchObject({ ...nothingLeft, total_zoho_leads: 1 })
  expect(await listed('leads')).toEqual([])
})

test('a lead is restored if staff delete its matching deal before the deal’s push is answered', async () => {
  const terms = { loanType: 'Term Loan', loanTerm: '24 months' }
  const { loid } = await ada.submitLead({ businessName: 'Okafor Freight', loanAmount: 150_000, ...terms })
  await ada.pushedLead(loid)
  // The answer to the deal's push is lost, and the look-up of the deal fails.
  await lender.faults({
    resetAfterCommit: { times: 1, match: 'POST /crm/v8/Deals' },
    scopeMismatch: { every: 2, times: 1, match: '/coql' },
  })
  const phone = '0491 570 156'
  const form = { businessName: 'Okafor Freight', email: 'other@example.com', phone, amount: 150_000, ...terms }
  const deal = (await ada.post('/webhook/deal', form)).body.data
  const dealId = String((await waitFor('the deal', async () => (await lender.list('Deals', 'LOID'))[0]))['id'])
  await lender.update('Leads', String((await lender.list('Leads', 'LOID'))[0]?.['id']), { Description: 'Called' })
  await syncLeads()
  expect(await listed('leads')).toEqual([])

  await lender.remove('Deals', dealId)
  await pushDeal.run(portal.deps, { partnerId: ada.id, loid: deal.loid }, AbortSignal.timeout(10_000))
  await waitFor('the lead', async () => (await listed('leads')).length === 1)
  expect(await listed('deals')).toEqual([])
})

/** Submits a lead and waits until its first push has failed. The job then waits for its next attempt. */
async function submittedInVain(form: object = {}) {
  await lender.faults({ scopeMismatch: { times: 1, match: 'POST /crm/v8/Leads' } })
  const lead = await ada.submitLead(form)
  await waitFor('the failed push', async () => {
    const faults: unknown = await (await fetch(`${portal.crmUrl}/sandbox/faults`)).json()
    return JSON.stringify(faults).includes('"times":0')
  })
  return lead
}

test('a match between records of a first sync causes no event, but a later match does', async () => {
  const lead = { Last_Name: 'Okafor', Company: 'Okafor Freight', Loan_Amount: 150_000, Partner: { id: adaInCrm } }
  const same = { Loan_Type: MATCHING.Loan_Type, Loan_Term: MATCHING.Loan_Term, Phone: MATCHING.Phone }
  await lender.createMany('Leads', [
    { ...lead, ...same },
    { ...lead, ...same },
  ])
  await lender.create('Deals', { ...MATCHING, Partner: { id: adaInCrm } })
  expect((await ada.post('/crm/sync')).body.data).toMatchObject({ deals: { created: 1, matching_leads_removed: 1 } })
  expect(await eventTypes()).toEqual([])
  await lender.create('Deals', { ...MATCHING, Partner: { id: adaInCrm } })
  expect(await syncDeals()).toMatchObject({ created: 1, matching_leads_removed: 1 })
  expect((await eventTypes()).toSorted()).toEqual(['deal.created', 'lead.converted'])
})

test('a lead that was created and converted in the CRM is linked to its deal even if the deal is pulled first', async () => {
  const id = await lender.create('Leads', { Last_Name: 'Born there', Partner: { id: adaInCrm } })
  await lender.addNote('Leads', id, { content: 'Said before it was a deal' })
  await lender.convert(id, { Deal_Name: 'Unknown lead' })
  expect(await syncDeals()).toMatchObject({ total_zoho_deals: 1, created: 1, problems: [] })
  const [deal] = await listed('deals')
  expect(deal.deal_name).toBe('Unknown lead')
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 1, converted: 1, problems: [] })
  expect(await listed('leads')).toEqual([])
  const { loid } = await portal.deps.db
    .selectFrom('leads')
    .select('loid')
    .where('zoho_id', '=', id)
    .executeTakeFirstOrThrow()
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead.converted_to_deal).toEqual({ loid: deal.loid })
  expect((await ada.get(`/crm/deal/${deal.loid}`)).body.data).toMatchObject({
    converted_from_lead: true,
    notes: [{ content: 'Said before it was a deal' }],
  })
  expect(await syncDeals()).toMatchObject({ total_zoho_deals: 1, created: 0, updated: 0, removed: 0 })
  expect(await syncLeads()).toMatchObject({ ...nothingLeft, total_zoho_leads: 1, skipped: 1 })
})

test('a lead that staff convert without a deal stays in the list until it has one (D124)', async () => {
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 1, skipped: 1 })
  const [inZoho] = await lender.list('Leads', 'LOID')
  await lender.convert(String(inZoho?.['id']), null)
  expect(await syncLeads()).toMatchObject({ total_zoho_leads: 1, updated: 1, converted: 0, removed: 0, problems: [] })
  const shown = { loid, side: 'lender', awaits_deal_since: expect.any(String) }
  expect(await listed('leads')).toMatchObject([shown])
  expect((await ada.get(`/crm/search?q=${loid}`)).body.data.leads).toMatchObject([shown])
  expect((await ada.get('/dashboard/attention')).body.data.items).toMatchObject([{ kind: 'awaits-deal', loid }])
  expect((await ada.get(`/crm/lead/${loid}/timeline`)).body.data.standing.meaning).toMatch(/not made a deal of it yet/)
  expect((await ada.get('/dashboard/stats')).body.data).toMatchObject({ total_leads: 1, conversion_rate: 0 })
  expect(await eventTypes()).toEqual(['lead.created'])
  expect(await syncLeads()).toMatchObject({ ...nothingLeft, total_zoho_leads: 1, skipped: 1 })
  // A note waits, because the CRM refuses it on the converted lead.
  await ada.post(`/crm/note/${loid}`, { content: 'When will it go on?' })

  await lender.create('Deals', {
    Deal_Name: 'At last',
    Stage: 'Information Received',
    Closing_Date: '2027-01-31',
    LOID: loid,
    Partner: { id: adaInCrm },
  })
  expect(await syncDeals()).toMatchObject({ created: 1, problems: [] })
  expect(await listed('leads')).toEqual([])
  expect((await ada.get(`/crm/lead/${loid}`)).body.data.lead).toMatchObject({ converted_to_deal: { loid } })
  expect(await eventTypes()).toEqual(['lead.created', 'note.added', 'lead.converted'])
  expect((await ada.get('/dashboard/attention')).body.data.items).toEqual([])
})

test('a partner sees the progress of its run, and no other partner does', async () => {
  await lender.create('Leads', { Last_Name: 'Seen', Partner: { id: adaInCrm } })
  await lender.faults({ slowMs: 200 })
  const answer = ada.post('/dashboard/sync-leads')
  const run = await waitFor('a run under way', async () => {
    const query = portal.deps.db.selectFrom('sync_runs').select('id').where('partner_id', '=', ada.id)
    return query.executeTakeFirst()
  })
  const path = `/dashboard/sync-runs/${run.id}`
  expect((await ada.get(path)).body.data).toMatchObject({
    run_id: run.id,
    kind: 'leads',
    status: 'running',
    result: null,
  })
  const bob = await portal.newPartner()
  expect((await bob.get(path)).status).toBe(404)
  expect((await ada.get('/dashboard/sync-runs/nonsense')).status).toBe(404)
  const { data } = (await answer).body
  expect((await ada.get(path)).body.data).toMatchObject({ status: 'succeeded', phase: null, error: null, result: data })
})

test('a sync that takes a long time answers 202 and continues (D31)', async () => {
  await using hasty = await startPortal({ withCrm: true, env: { SYNC_WAIT_MS: '50' } })
  const cleo = await hasty.newPartner()
  await lender.create('Leads', { Last_Name: 'Slow', Partner: { id: await inCrm(cleo) } })
  await lender.faults({ slowMs: 100 })
  const { status, body } = await cleo.post('/dashboard/sync-leads')
  expect([status, body.data]).toEqual([202, { run_id: expect.any(String), status: 'running' }])
  await lender.faults({})
  const read = async () => (await cleo.get(`/dashboard/sync-runs/${body.data.run_id}`)).body.data
  const run = await waitFor('the end of the run', async () => {
    const one = await read()
    return one.status !== 'running' && one
  })
  expect(run).toMatchObject({ status: 'succeeded', result: { total_zoho_leads: 1, created: 1 } })
  expect(await listed('leads', cleo)).toMatchObject([{ last_name: 'Slow' }])
})

test('the first sync of a new partner waits for the push that makes its record, however slow the CRM is', async () => {
  await lender.faults({ slowMs: 2_700 })
  const dora = await portal.newPartner()
  const synced = dora.post('/dashboard/sync-leads')
  const zohoId = await inCrm(dora)
  await lender.faults({})
  expect(await synced).toMatchObject({ status: 200, body: { data: { total_zoho_leads: 0 } } })
  expect((await dora.get('/profile')).body.data.zoho_id).toBe(zohoId)
})

test('an interrupted run is continued, and a new request joins it (D31)', async () => {
  await lender.createMany(
    'Leads',
    Array.from({ length: 150 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: adaInCrm } })),
  )
  /**
   * Interrupts a run after its first page is written, and runs it again. Returns the result, which covers both
   * attempts.
   */
  async function cutOffRun() {
    const run = { id: newId(), partner_id: ada.id, kind: 'leads' as const, started_at: new Date().toISOString() }
    await portal.deps.db.transaction().execute((tx) => insertRun(tx, run))
    const payload = { partnerId: ada.id, runId: run.id }
    const total = async () => (await ada.get('/dashboard/stats')).body.data.total_leads
    const before = await total()
    const stop = new AbortController()
    // Calls are slow, so the run is still waiting for its next call when its first page has been written.
    await lender.faults({ slowMs: 600 })
    const cutOff = runSync.run(portal.deps, payload, stop.signal)
    await waitFor('the first page', async () => (await total()) !== before)
    stop.abort(new Error('stopping'))
    await expect(cutOff).rejects.toThrow('stopping')
    await lender.faults({})
    const joined = ada.post('/dashboard/sync-leads')
    await runSync.run(portal.deps, payload, new AbortController().signal)
    return (await joined).body.data
  }

  const data = await cutOffRun()
  expect(data).toMatchObject({ total_zoho_leads: 150, problems: [] })
  // The counts include the work of the first attempt.
  expect(data).toMatchObject({ created: 150, skipped: 0 })
  expect(new Set((await lender.list('Leads', 'LOID')).map((lead) => lead['LOID'])).size).toBe(150)
  expect((await ada.get('/dashboard/stats')).body.data.total_leads).toBe(150)

  await lender.removeMany(
    'Leads',
    (await lender.list('Leads', 'LOID')).map(({ id }) => String(id)),
  )
  expect(await cutOffRun()).toMatchObject({ total_zoho_leads: 0, removed: 150 })
})

test('POST /dashboard/debug-sync-leads tries and names each step of a lead sync and changes nothing', async () => {
  await lender.create('Leads', { Last_Name: 'Untouched', Partner: { id: adaInCrm } })
  const { status, body } = await ada.post('/dashboard/debug-sync-leads')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    success: true,
    debug: {
      counts: { portal_leads: 0, zoho_leads: 1 },
      missing_fields: [],
      api_domain: portal.crmUrl,
      mode: 'sandbox',
    },
  })
  expect(body.debug.steps.every((step: { ok: boolean }) => step.ok)).toBe(true)
  expect((await lender.list('Leads', 'LOID'))[0]?.['LOID']).toBeNull()

  await lender.faults({ scopeMismatch: { times: 100, match: '/coql' } })
  const failed = await ada.post('/dashboard/debug-sync-leads')
  expect(failed.body).toMatchObject({ success: false, error: expect.stringContaining('OAUTH_SCOPE_MISMATCH') })
  expect(failed.body.debug.counts.zoho_leads).toBeNull()
})

test('with CRM_NOTES=portal, a sync applies only notes meant for the partner (D32a)', async () => {
  await using strict = await startPortal({ withCrm: true, env: { CRM_NOTES: 'portal' } })
  const staff = openLender(strict.crmUrl)
  const cleo = await strict.newPartner()
  const id = await staff.create('Leads', { Last_Name: 'N', Partner: { id: await inCrm(cleo) } })
  await staff.addNote('Leads', id, { title: 'Internal', content: 'Credit file is thin' })
  await staff.addNote('Leads', id, { title: 'Partner: papers', content: 'Please send the last two statements' })
  await syncLeads(cleo)
  const [lead] = await listed('leads', cleo)
  const { notes } = (await cleo.get(`/crm/lead/${lead.loid}`)).body.data
  expect(notes).toMatchObject([{ content: 'Please send the last two statements' }])
})

test('a caller without a session can sync nothing', async () => {
  const paths = [
    '/dashboard/sync-leads',
    '/dashboard/sync-deals',
    '/crm/sync',
    '/dashboard/sync-deal/LO-00000000',
    '/dashboard/debug-sync-leads',
  ]
  for (const path of paths) expect((await portal.post(path)).status).toBe(401)
  expect((await portal.get('/dashboard/sync-runs/1')).status).toBe(401)
})
