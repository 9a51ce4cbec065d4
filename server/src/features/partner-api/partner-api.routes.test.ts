import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertDeal } from '../../testing/insert-deal.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
let lender: Lender
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
})
afterAll(() => portal[Symbol.asyncDispose]())

const LEAST = { business_name: 'Okafor Freight', phone: '+61 491 570 156' }
const DEAL = {
  deal_name: 'Okafor, second truck',
  business_name: 'Okafor Freight',
  contact_name: 'Nkem Okafor',
  email: 'nkem@okafor.example',
  phone: '0491 570 156',
  amount: 150_000,
  loan_type: 'Equipment Financing',
  loan_term: '36 months',
  closing_date: '2027-06-30',
  description: 'Call after three',
}

async function withKey(
  names?: Parameters<TestPortal['newPartner']>[0],
): Promise<{ partner: TestPartner; key: string }> {
  const partner = await portal.newPartner(names)
  const answer = await partner.post('/dashboard/generate-api-key')
  return { partner, key: answer.body.data.api_key }
}

/** Waits until the deal is in the CRM, and returns the deal. */
function pushedDeal(partner: TestPartner, loid: string) {
  return waitFor(`${loid} in the CRM`, async () => {
    const { body } = await partner.get(`/crm/deal/${loid}`)
    return body.data.deal.crm === 'synced' && body.data.deal
  })
}

async function dealsInCrm(loid: string) {
  const deals = await lender.list(
    'Deals',
    'LOID,Deal_Name,Stage,Partner,Amount,Closing_Date,Description,Pipeline,Email',
  )
  return deals.filter((deal) => deal['LOID'] === loid)
}

test('POST /partner/leads submits a lead with an API key, and the lead reaches the CRM', async () => {
  const { partner, key } = await withKey()
  const body = { ...LEAST, loan_amount: 50_000, firstName: 'Nkem' }
  const answer = await portal.post('/partner/leads', body, { token: key })
  const { id, loid } = answer.body.data
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({ success: true, data: { id, loid, status: 'New Lead' } })
  const lead = await partner.pushedLead(loid)
  expect(lead).toMatchObject({
    id,
    business_name: 'Okafor Freight',
    first_name: 'Nkem',
    email: null,
    phone: '+61491570156',
    loan_amount: 50_000,
    lead_source: 'Partner Portal',
    partner_iso: 'AU',
  })
})

test.each(['/partner/leads', '/webhook/lead'])(
  'POST %s accepts a lead with only a business name and a phone number',
  async (path) => {
    const { partner, key } = await withKey()
    const answer = await portal.post(path, LEAST, { token: key })
    expect(answer.status).toBe(201)
    expect((await partner.pushedLead(answer.body.data.loid)).business_name).toBe('Okafor Freight')
  },
)

test('POST /webhook/lead accepts all fields of the lead form, with an API key or a session', async () => {
  const { partner, key } = await withKey()
  for (const token of [key, partner.token]) {
    const answer = await portal.post('/webhook/lead', newLead(), { token })
    expect([answer.status, answer.body.data.status]).toEqual([201, 'New Lead'])
  }
  expect((await partner.get('/dashboard/leads')).body.data.leads).toHaveLength(2)
})

test('the error names a faulty field as the caller spelled it', async () => {
  const { key } = await withKey()
  const body = { businessName: 'Okafor', phone: '12', loan_type: 'Gift', buisness_abn: '1' }
  const answer = await portal.post('/partner/leads', body, { token: key })
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION'])
  expect(answer.body.fields).toEqual({
    buisness_abn: 'buisness_abn is not a known field. Did you mean businessAbn?',
    phone: expect.stringContaining('Please enter a valid Australian or New Zealand phone number'),
    loan_type: expect.stringContaining('Loan type must be one of: Term Loan'),
  })
  expect(answer.body.error).toBe(answer.body.fields.buisness_abn)
})

test.each([
  ['/partner/leads', LEAST],
  ['/webhook/lead', LEAST],
  ['/webhook/deal', DEAL],
])('POST %s submits once if it is repeated with the same Idempotency-Key', async (path, body) => {
  const { partner, key } = await withKey()
  const request = { token: key, headers: { 'idempotency-key': 'order 77' } }
  const [first, again] = [await portal.post(path, body, request), await portal.post(path, body, request)]
  expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const other = await portal.post(path, { ...body, business_name: 'Other' }, request)
  expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
  const [leads, deals] = [await partner.get('/dashboard/leads'), await partner.get('/dashboard/deals')]
  expect([...leads.body.data.leads, ...deals.body.data.deals]).toHaveLength(1)
})

test('a system that repeats a request without a key within ten seconds submits once, also if both arrive together', async () => {
  await using own = await startPortal({ env: { ROLE: 'web' } })
  const [partner, other] = [await own.newPartner(), await own.newPartner()]
  const [token, others] = await Promise.all(
    [partner, other].map(async (one) => (await one.post('/dashboard/generate-api-key')).body.data.api_key),
  )
  const both = await Promise.all([1, 2].map(() => own.post('/partner/leads', LEAST, { token })))
  const [first] = both
  expect(both.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([201, first?.body]))
  expect(both.map(({ headers }) => headers.get('idempotency-replayed')).toSorted()).toEqual(['true', null].toSorted())
  const reordered = Object.fromEntries(Object.entries(LEAST).toReversed())
  own.advance(9_000)
  const again = await own.post('/partner/leads', reordered, { token })
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first?.body, 'true'])
  // A second lead differs in something: the address, the body, the partner, the key of the request, or the time.
  const more = [
    await own.post('/webhook/lead', LEAST, { token }),
    await own.post('/partner/leads', { ...LEAST, loan_amount: 1 }, { token }),
    await own.post('/partner/leads', LEAST, { token: others }),
    await own.post('/partner/leads', LEAST, { token, headers: { 'idempotency-key': 'another' } }),
  ]
  own.advance(1_500)
  more.push(await own.post('/partner/leads', LEAST, { token }))
  expect(more.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual(
    Array(5).fill([201, null]),
  )
  expect(new Set([first, ...more].map((answer) => answer?.body.data.loid)).size).toBe(6)
  const deep = await own.post('/partner/leads', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, { token })
  expect(deep.status).toBe(400)
})

test('POST /webhook/deal submits a deal in the stage Waiting On Application, and the CRM gets the deal once', async () => {
  const { partner, key } = await withKey()
  const answer = await portal.post('/webhook/deal', { ...DEAL, stage: 'Funded' }, { token: key })
  const { id, loid } = answer.body.data
  expect([answer.status, answer.body.data]).toEqual([201, { id, loid, status: 'Waiting On Application' }])
  const deal = await pushedDeal(partner, loid)
  expect(deal).toMatchObject({
    id,
    deal_name: 'Okafor, second truck',
    contact_name: 'Nkem Okafor',
    phone: '+61491570156',
    amount: 150_000,
    stage: 'Waiting On Application',
    closing_date: '2027-06-30',
    description: 'Call after three\n\nContact: Nkem Okafor',
    lead_source: 'Partner Portal',
  })
  const [inCrm, ...more] = await dealsInCrm(loid)
  expect(more).toEqual([])
  expect(inCrm).toMatchObject({
    Deal_Name: 'Okafor, second truck',
    Stage: 'Waiting On Application',
    Pipeline: 'Standard (Standard)',
    Amount: 150_000,
    Closing_Date: '2027-06-30',
    Partner: { name: partner.businessName },
  })
  const history = await partner.get(`/crm/deal/${loid}/stage-history`)
  expect(history.body.data).toMatchObject([
    {
      stage: 'Waiting On Application',
      changed_by: partner.businessName,
      description: 'Submitted through the partner API',
    },
  ])
  const activity = await partner.get('/dashboard/recent-activity')
  expect(activity.body.data.activities.filter((one: { loid: string }) => one.loid === loid)).toHaveLength(1)
})

test('a deal begins at the lender’s first stage if the lender has no stage Waiting On Application', async () => {
  await using other = await startPortal()
  const partner = await other.newPartner()
  const choices = JSON.stringify(['Inbox', 'In Progress'])
  const row = { field: 'deal-stage', choices, fetched_at: new Date().toISOString() }
  await other.deps.db.insertInto('crm_choices').values(row).execute()
  const answer = await other.post('/webhook/deal', DEAL, { token: partner.token })
  expect([answer.status, answer.body.data.status]).toEqual([201, 'Inbox'])
})

test('a sync recognises submitted deals, pushed or not, and duplicates no deal', async () => {
  const { partner, key } = await withKey()
  const pushed: string = (await portal.post('/webhook/deal', DEAL, { token: key })).body.data.loid
  await pushedDeal(partner, pushed)
  await lender.faults({ outage: 'socket' })
  const waiting: string = (await portal.post('/webhook/deal', { ...DEAL, amount: 1 }, { token: key })).body.data.loid
  expect((await portal.get(`/webhook/status/${waiting}`, { token: key })).body.data.crm).toBe('pending')
  await lender.faults({})

  const sync = await partner.post('/dashboard/sync-deals')
  expect([sync.status, sync.body.data]).toMatchObject([
    200,
    { total_zoho_deals: 2, created: 0, removed: 0, problems: [] },
  ])
  const again = await partner.post('/dashboard/sync-deals')
  expect(again.body.data).toMatchObject({ total_zoho_deals: 2, created: 0, updated: 0, skipped: 2, removed: 0 })
  for (const loid of [pushed, waiting]) {
    const deal = await pushedDeal(partner, loid)
    expect([deal.contact_name, deal.stage]).toEqual(['Nkem Okafor', 'Waiting On Application'])
    expect(await dealsInCrm(loid)).toHaveLength(1)
  }
  const list = await partner.get('/dashboard/deals')
  expect(list.body.data.deals).toHaveLength(2)
})

test('the stage history lists the lender’s later stage first, and then the submitted stage', async () => {
  const { partner, key } = await withKey()
  const { loid } = (await portal.post('/webhook/deal', DEAL, { token: key })).body.data
  await pushedDeal(partner, loid)
  const [inCrm] = await dealsInCrm(loid)
  await lender.update('Deals', String(inCrm?.['id']), { Stage: 'Approved' })
  await partner.post('/dashboard/sync-deals')
  const history = await partner.get(`/crm/deal/${loid}/stage-history`)
  const stages = history.body.data.map((entry: { stage: string }) => entry.stage)
  expect(stages).toEqual(['Approved', 'Waiting On Application'])
  expect((await portal.get(`/webhook/status/${loid}`, { token: key })).body.data.status).toBe('Approved')
})

test('a sync lets a deal replace the matching lead that was submitted through the API', async () => {
  const { partner, key } = await withKey()
  const lead = { ...DEAL, closing_date: undefined, deal_name: undefined, contact_name: undefined }
  const submitted = await portal.post('/webhook/lead', lead, { token: key })
  expect(submitted.status).toBe(201)
  const deal = await portal.post('/webhook/deal', DEAL, { token: key })
  const sync = await partner.post('/dashboard/sync-deals')
  expect(sync.body.data.matching_leads_removed).toBe(1)
  const status = await portal.get(`/webhook/status/${submitted.body.data.loid}`, { token: key })
  expect(status.body.data).toMatchObject({ id: submitted.body.data.id, status: deal.body.data.status })
})

test('a deal that the CRM refuses is given up at once and shows the reason', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'field-map-'))
  const CRM_FIELD_MAP = join(folder, 'map.json')
  // This map is wrong, because it writes text into a CRM field that must refer to a record.
  await writeFile(CRM_FIELD_MAP, '{"deals":{"fields":{"business_name":"Contact_Name","contact":"Business_Name"}}}')
  await using mistaken = await startPortal({ withCrm: true, env: { CRM_FIELD_MAP } })
  await rm(folder, { recursive: true })
  const partner = await mistaken.newPartner()
  const { loid } = (await mistaken.post('/webhook/deal', DEAL, { token: partner.token })).body.data
  const status = async () => (await partner.get(`/webhook/status/${loid}`)).body.data
  const ended = await waitFor('the end of the push', async () => (await status()).crm !== 'pending' && status())
  expect(ended).toMatchObject({ crm: 'failed', status: 'Waiting On Application' })
  const { deal } = (await partner.get(`/crm/deal/${loid}`)).body.data
  expect(deal.crm_problem).toBe('The CRM does not accept the content of Contact Name.')
  expect((await partner.post(`/crm/deal/${loid}/retry-push`)).body.data.crm).toBe('pending')
})

test('POST /crm/deal/{id}/retry-push pushes a given-up deal once', async () => {
  const { partner } = await withKey()
  const { loid } = await insertDeal(portal.deps.db, partner.id, { crm: 'failed', deal_name: 'Given up' })
  const retry = await partner.post(`/crm/deal/${loid}/retry-push`)
  expect([retry.status, retry.body.data]).toEqual([202, { loid, crm: 'pending' }])
  await pushedDeal(partner, loid)
  expect(await dealsInCrm(loid)).toHaveLength(1)
  const again = await partner.post(`/crm/deal/${loid}/retry-push`)
  expect([again.status, again.body.data]).toEqual([202, { loid, crm: 'synced' }])
})

test('GET /webhook/status/{id} finds leads and deals by id and by LOID', async () => {
  const { partner, key } = await withKey()
  const lead = (await portal.post('/webhook/lead', LEAST, { token: key })).body.data
  const deal = (await portal.post('/webhook/deal', DEAL, { token: key })).body.data
  await Promise.all([partner.pushedLead(lead.loid), pushedDeal(partner, deal.loid)])
  for (const submitted of [lead, deal]) {
    for (const id of [submitted.id, submitted.loid, submitted.loid.toLowerCase().replace('-', '')]) {
      const answer = await portal.get(`/webhook/status/${id}`, { token: key })
      expect([answer.status, answer.body.data]).toMatchObject([200, { ...submitted, crm: 'synced' }])
      expect(Date.parse(answer.body.data.created_at)).toBeLessThanOrEqual(Date.parse(answer.body.data.updated_at))
    }
  }
  expect((await partner.get(`/webhook/status/${lead.id}`)).status).toBe(200)
  const stranger = await withKey()
  expect((await portal.get(`/webhook/status/${lead.id}`, { token: stranger.key })).status).toBe(404)
})

test('GET /webhook/status/{id} returns the id of a converted lead with the stage of its deal', async () => {
  const { partner, key } = await withKey()
  const lead = (await portal.post('/partner/leads', LEAST, { token: key })).body.data
  await partner.pushedLead(lead.loid)
  const inCrm = (await lender.list('Leads', 'LOID')).find((one) => one['LOID'] === lead.loid)
  await lender.convert(String(inCrm?.['id']), { Stage: 'Pending Approval' })
  await partner.post('/crm/sync')
  for (const id of [lead.id, lead.loid]) {
    const answer = await portal.get(`/webhook/status/${id}`, { token: key })
    expect(answer.body.data).toMatchObject({ id: lead.id, loid: lead.loid, status: 'Pending Approval' })
  }
})

test('a route that is only for API keys refuses sessions', async () => {
  const partner = await portal.newPartner()
  expect((await partner.post('/partner/leads', LEAST)).status).toBe(401)
  expect((await portal.post('/partner/leads', LEAST)).status).toBe(401)
})
