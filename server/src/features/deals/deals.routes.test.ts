import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { insertDeal } from '../../testing/insert-deal.ts'
import { insertNewerDeals } from '../../testing/insert-many.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'

/** These tests need no background jobs. */
const env = { ROLE: 'web' }

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ env })
})
afterAll(() => portal[Symbol.asyncDispose]())

const DAY_MS = 86_400_000

async function loids(partner: TestPartner, query: string): Promise<string[]> {
  const { status, body } = await partner.get(`/dashboard/deals?${query}`)
  expect([query, status, body.error]).toEqual([query, 200, undefined])
  return body.data.deals.map((deal: { loid: string }) => deal.loid)
}

test('GET /crm/deal/{id} returns the deal with its notes and all its fields; a field without a value is null', async () => {
  const partner = await portal.newPartner()
  const full = {
    deal_name: 'Okafor – trucks',
    business_name: 'Okafor Freight',
    contact_name: 'Nkem Okafor',
    email: 'nkem@okafor-freight.example',
    phone: '+61491570156',
    amount: 150_000.5,
    loan_type: 'Equipment Financing',
    loan_purpose: 'Two trucks',
    loan_term: '36 months',
    stage: 'Funded',
    lead_source: 'Partner Portal',
    closing_date: '2026-05-31',
    probability: 90,
    description: 'Fast',
    partner_iso: 'AU',
    submitter_id: newId(),
    submitted_by: 'Mia Harbour',
  }
  const { id, loid, created_at, modified_time } = await insertDeal(portal.deps.db, partner.id, full)
  const deal = { id, loid, ...full, side: null, crm: 'synced', created_at, modified_time }
  const list = await partner.get('/dashboard/deals')
  expect(list.body).toEqual({
    success: true,
    data: { deals: [deal] },
    pagination: { page: 1, limit: 20, has_more: false, total: 1 },
  })
  const detail = await partner.get(`/crm/deal/${loid}`)
  expect(detail.body).toEqual({
    success: true,
    data: {
      deal: { ...deal, crm_problem: null, from_referral: [] },
      notes: [],
      converted_from_lead: false,
      requests: [],
    },
  })

  const bare = await insertDeal(portal.deps.db, partner.id, { deal_name: null })
  const answered = (await partner.get(`/crm/deal/${bare.loid}`)).body.data.deal
  const known = ['id', 'loid', 'stage', 'crm', 'created_at', 'modified_time']
  const unknown = Object.keys(deal).filter((field) => !known.includes(field))
  expect(answered).toEqual({
    ...bare,
    ...Object.fromEntries(unknown.map((field) => [field, null])),
    side: 'lender',
    crm_problem: null,
    from_referral: [],
    partner_id: undefined,
  })
})

test('GET /dashboard/deals returns pages of deals, newest first', async () => {
  const partner = await portal.newPartner()
  const newest: string[] = []
  for (let i = 0; i < 3; i++) newest.unshift((await insertDeal(portal.deps.db, partner.id)).loid)
  const { body } = await partner.get('/dashboard/deals?limit=2')
  expect(body.pagination).toEqual({ page: 1, limit: 2, has_more: true, total: 3 })
  expect(await loids(partner, 'limit=2')).toEqual(newest.slice(0, 2))
  expect(await loids(partner, 'limit=2&page=2')).toEqual(newest.slice(2))
  expect(await loids(partner, 'limit=2&page=3')).toEqual([])
})

test('GET /dashboard/deals filters by stage, minAmount, dateFrom, dateTo and search', async () => {
  const partner = await portal.newPartner()
  const insert = async (deal: object) => (await insertDeal(portal.deps.db, partner.id, deal)).loid
  const small = await insert({ amount: 49_999.99, stage: 'With Acme', created_at: '2026-03-31T12:59:59.999Z' })
  const large = await insert({ amount: 50_000, stage: 'Funded', created_at: '2026-03-31T13:00:00.000Z' })
  const unknown = await insert({
    contact_name: 'Zoë Ng',
    phone: '+64211234567',
    created_at: '2026-04-02T00:00:00.000Z',
  })
  expect(await loids(partner, 'stage=With+Acme')).toEqual([small])
  expect(await loids(partner, 'stage=funded')).toEqual([])
  expect(await loids(partner, 'minAmount=50000')).toEqual([large])
  expect(await loids(partner, 'minAmount=49,999.99')).toEqual([large, small])
  for (const written of ['50k', '5e4', 'A%24+50.000,00', '0,05 mil', '50%E2%80%99000']) {
    expect([written, await loids(partner, `minAmount=${written}`)]).toEqual([written, [large]])
  }
  expect(await loids(partner, 'minAmount=0')).toEqual([large, small])
  expect(await loids(partner, 'minAmount=')).toEqual([unknown, large, small])
  expect(await loids(partner, 'dateTo=2026-03-31')).toEqual([small])
  expect(await loids(partner, 'dateFrom=2026-04-01&dateTo=2026-04-01')).toEqual([large])
  expect(await loids(partner, 'search=ZOË+021+123')).toEqual([unknown])
  expect(await loids(partner, `search=${large.toLowerCase().replace('-', '')}`)).toEqual([large])
  // Deals that are not among the newest are found by a second query.
  await insertNewerDeals(portal.deps, partner.id, 1_000)
  expect(await loids(partner, 'search=ZOË+021+123')).toEqual([unknown])
  expect(await loids(partner, `search=${large.toLowerCase().replace('-', '')}`)).toEqual([large])
  expect(await loids(partner, `search=${large}&minAmount=50k&stage=With+Acme`)).toEqual([])
  expect(await loids(partner, 'minAmount=0')).toEqual([large, small])
})

test.each([
  'minAmount=abc',
  'minAmount=-5',
  'minAmount=50-60k',
  'minAmount=1,50,000',
  'minAmount=1&minAmount=2',
  'dateFrom=x',
  'limit=0',
])('the filter %s is refused, never ignored', async (query) => {
  const partner = await portal.newPartner()
  const answer = await partner.get(`/dashboard/deals?${query}`)
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION'])
})

test('a deal is found by id and by LOID in any spelling; another partner’s deal is not found', async () => {
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const { loid, id } = await insertDeal(portal.deps.db, ada.id)
  const unknown = await bob.get('/crm/deal/LO-00000000')
  expect(unknown).toMatchObject({ status: 404, body: { error: 'Deal not found', code: 'NOT_FOUND' } })
  for (const name of [loid, loid.toLowerCase(), loid.replace('-', ''), id]) {
    expect((await ada.get(`/crm/deal/${name}`)).status).toBe(200)
    for (const path of [`/crm/deal/${name}`, `/crm/deal/${name}/stage-history`]) {
      expect([path, (await bob.get(path)).body]).toEqual([path, unknown.body])
    }
  }
  expect(await loids(bob, '')).toEqual([])
})

test('an archived deal is missing from lists, searches and details', async () => {
  const partner = await portal.newPartner()
  const archived = { archived_at: new Date().toISOString(), archived_reason: 'left-crm' as const, deal_name: 'Gone' }
  const { loid } = await insertDeal(portal.deps.db, partner.id, archived)
  expect(await loids(partner, '')).toEqual([])
  expect((await partner.get('/crm/search?q=gone')).body.data.total_deals).toBe(0)
  expect((await partner.get(`/crm/deal/${loid}`)).status).toBe(404)
  expect((await partner.get(`/crm/deal/${loid}/stage-history`)).status).toBe(404)
})

test('GET /crm/deal/{id}/stage-history returns the stages, latest first, with their durations in whole days', async () => {
  const partner = await portal.newPartner()
  const { loid } = await insertDeal(portal.deps.db, partner.id)
  const entry = (value: string, daysAgo: number) => ({
    id: newId(),
    partner_id: partner.id,
    kind: 'deal-stage' as const,
    loid,
    value,
    changed_time: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    changed_by: value === 'Approved' ? 'Lee' : null,
    description: null,
    origin: 'crm' as const,
    crm_entry_id: value,
  })
  const entries = [entry('Information Received', 10.5), entry('Approved', 3.9), entry('Pending Approval', 4.2)]
  await portal.deps.db.insertInto('history_entries').values(entries).execute()
  const { body } = await partner.get(`/crm/deal/${loid}/stage-history`)
  expect(body.data.map((one: Record<string, unknown>) => [one['stage'], one['duration'], one['changed_by']])).toEqual([
    ['Approved', 3, 'Lee'],
    ['Pending Approval', 0, null],
    ['Information Received', 6, null],
  ])
})

test('a deal shows the notes of the lead that became the deal, and says that it was a lead', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  await partner.post(`/crm/note/${loid}`, { content: 'written on the lead' })
  const at = new Date().toISOString()
  await portal.deps.db
    .updateTable('leads')
    .set({ converted_at: at, deal_loid: loid })
    .where('loid', '=', loid)
    .execute()
  await insertDeal(portal.deps.db, partner.id, { loid })
  await partner.post('/crm/note', { loid, parent_type: 'deal', content: 'written on the deal' })
  const { body } = await partner.get(`/crm/deal/${loid}`)
  expect(body.data.converted_from_lead).toBe(true)
  expect(body.data.notes.map((note: { content: string }) => note.content)).toEqual([
    'written on the deal',
    'written on the lead',
  ])
})

test('the export of deals has the list’s rows in its order, without formulas and commissions, and the security log has it', async () => {
  const partner = await portal.newPartner()
  const deals = [
    { deal_name: '=1+1', amount: 3, phone: '+61491570156', closing_date: '2026-05-31' },
    { deal_name: 'Two, "quoted"\nlines', amount: 2, stage: 'Funded', partner_commission: 987_654 },
    { deal_name: 'Three', amount: 1, stage: 'Funded' },
  ]
  for (const deal of deals) await insertDeal(portal.deps.db, partner.id, deal)
  const exported = async (query: string) => {
    const { data } = (await partner.get(`/dashboard/deals/export${query}`)).body
    const rows: Record<string, string>[] = parse(data, { bom: true, columns: true, record_delimiter: '\r\n' })
    return rows
  }
  const all = await exported('?sort=amount&order=asc')
  expect(all.map((row) => row['Deal Name'])).toEqual(['Three', 'Two, "quoted"\nlines', "'=1+1"])
  expect(all[2]).toMatchObject({ Phone: '+61 491 570 156', Amount: '3', 'Closing Date': '2026-05-31' })
  expect(JSON.stringify(all)).not.toContain('987654')
  expect(await exported('?stage=Funded')).toHaveLength(2)
  const { entries } = (await partner.get('/security-log?type=account')).body.data
  expect(entries.slice(0, 2)).toMatchObject([{ event: 'deals-exported' }, { event: 'deals-exported' }])
  expect(await (await portal.newPartner()).get('/dashboard/deals/export')).toMatchObject({
    body: { data: expect.stringMatching(/^\uFEFF[^\n]*\r\n$/) },
  })
})
