import { DEAL_STAGES, LEAD_STATUSES } from '@portal/contract/choices.ts'
import { INVALID_PHONE } from '@portal/contract/phone.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { fillAllSearch } from '../../platform/db/search-columns.ts'
import { keyLargePartners } from '../../records/kinds/key-large-partners.job.ts'
import { newLoid } from '../../records/loids/loids.queries.ts'
import { insertDeal } from '../../testing/insert-deal.ts'
import { insertNewerLeads } from '../../testing/insert-many.ts'
import { openLender } from '../../testing/lender.ts'
import { newLead, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const COMPLETE_FORM = {
  firstName: ' Nkem ',
  lastName: 'Okafor',
  email: 'Nkem@Okafor-Freight.example',
  phone: '0491 570 156',
  state: 'vic',
  businessName: 'Okafor Freight',
  businessIndustry: 'Transportation',
  timeInBusiness: '2-5 years',
  businessAbn: '51 824 753 556',
  monthlyTurnover: '$85,000',
  loanAmount: 150_000.5,
  loanType: 'Equipment Financing',
  loanPurpose: 'Two trucks',
  loanTerm: '36 months',
  ownsProperty: true,
  propertyValue: '1.2m',
  propertyDebt: '450k',
  leadSource: 'Partner Portal',
  iso: 'AU',
  additionalInfo: 'Call after 5 pm',
  consentVersion: '2026-11',
}

async function loids(partner: TestPartner, query: string): Promise<string[]> {
  const { status, body } = await partner.get(`/dashboard/leads?${query}`)
  expect([query, status, body.error]).toEqual([query, 200, undefined])
  return body.data.leads.map((lead: { loid: string }) => lead.loid)
}

/** Sets the time at which a lead was submitted. */
async function submittedAt(loid: string, at: string) {
  await portal.deps.db.updateTable('leads').set({ created_at: at }).where('loid', '=', loid).execute()
}

test('POST /dashboard/leads submits a lead, and both the list and the detail return every field', async () => {
  const partner = await portal.newPartner()
  const created = await partner.post('/dashboard/leads', COMPLETE_FORM)
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    success: true,
    data: {
      id: expect.any(String),
      loid: expect.stringMatching(/^LO-[0-9A-HJKMNP-TV-Z]{8}$/),
      lead_status: 'New Lead',
      crm: 'pending',
    },
  })
  const { id, loid } = created.body.data
  const lead = {
    id,
    loid,
    business_name: 'Okafor Freight',
    first_name: 'Nkem',
    last_name: 'Okafor',
    lead_name: 'Nkem Okafor',
    email: 'nkem@okafor-freight.example',
    phone: '+61491570156',
    state: 'VIC',
    loan_amount: 150_000.5,
    loan_type: 'Equipment Financing',
    loan_purpose: 'Two trucks',
    loan_term: '36 months',
    sales_monthly: 85_000,
    lead_status: 'New Lead',
    side: 'lender',
    lead_source: 'Partner Portal',
    brand: null,
    description: 'Call after 5 pm',
    permit_link: null,
    business_industry: 'Transportation',
    time_in_business: '2-5 years',
    business_abn: '51824753556',
    partner: partner.businessName,
    partner_iso: 'AU',
    owns_property: true,
    property_value: 1_200_000,
    property_debt: 450_000,
    submitter_id: expect.any(String),
    submitted_by: partner.businessName,
    awaits_deal_since: null,
    partner_verdict: null,
    verdict_reason: null,
    protected_until: null,
    crm: 'pending',
    created_at: expect.stringMatching(INSTANT),
    modified_time: expect.stringMatching(INSTANT),
  }
  const list = await partner.get('/dashboard/leads')
  expect(list.body).toEqual({
    success: true,
    data: { leads: [lead] },
    pagination: { page: 1, limit: 20, has_more: false, total: 1 },
  })
  const filtered = await partner.get('/dashboard/leads?search=okafor')
  expect(filtered.body.data.leads).toEqual([lead])
  const detail = await partner.get(`/crm/lead/${loid}`)
  expect(detail.body).toEqual({
    success: true,
    data: {
      lead: {
        ...lead,
        converted_to_deal: null,
        crm_problem: null,
        change: null,
        may_change: true,
        withdrawn_at: null,
      },
      notes: [],
      requests: [],
    },
  })
})

test('a lead from a form with only the required fields has defaults or null in the other fields', async () => {
  const partner = await portal.newPartner()
  const form = { firstName: 'A', lastName: 'B', email: 'a@b.co', phone: '+64 21 123 4567', businessName: ' ' }
  const { loid } = (await partner.post('/dashboard/leads', form)).body.data
  const { lead } = (await partner.get(`/crm/lead/${loid}`)).body.data
  expect(lead).toMatchObject({ business_name: 'A B', partner_iso: 'NZ', phone: '+64211234567', owns_property: false })
  const unknown = ['state', 'loan_amount', 'loan_type', 'loan_purpose', 'loan_term', 'sales_monthly', 'brand']
  const alsoUnknown = ['description', 'permit_link', 'business_industry', 'time_in_business', 'business_abn']
  for (const field of [...unknown, ...alsoUnknown, 'property_value', 'property_debt']) {
    expect([field, lead[field]]).toEqual([field, null])
  }
})

test('the version of the consent text and the time of the consent are stored with the lead', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead({ consentVersion: '2026-11' })
  const row = await portal.deps.db.selectFrom('leads').selectAll().where('loid', '=', loid).executeTakeFirstOrThrow()
  expect([row.consent_version, row.consent_at]).toEqual(['2026-11', row.created_at])
})

test('iso decides about 027, then the state, then the country of most of the partner’s leads', async () => {
  const partner = await portal.newPartner()
  const phoneOf = async (form: object) => {
    const { loid } = await partner.submitLead({ phone: '027 123 4567', ...form })
    const { phone, partner_iso } = (await partner.get(`/crm/lead/${loid}`)).body.data.lead
    return [partner_iso, phone]
  }
  const usual = async () => (await partner.get('/dashboard/usual-country')).body.data.iso
  const [australian, newZealand] = [
    ['AU', '+61271234567'],
    ['NZ', '+64271234567'],
  ]
  expect([await usual(), await phoneOf({})]).toEqual(['AU', australian])
  expect(await phoneOf({ iso: 'NZ' })).toEqual(newZealand)
  expect([await usual(), await phoneOf({ phone: '+64 9 123 4567' })]).toEqual(['AU', ['NZ', '+6491234567']])
  expect([await usual(), await phoneOf({})]).toEqual(['NZ', newZealand])
  expect(await phoneOf({ state: 'QLD' })).toEqual(australian)
  expect(await phoneOf({ iso: 'AU' })).toEqual(australian)
  expect(await phoneOf({ phone: '028 123 4567' })).toEqual(['AU', '+61281234567'])
  expect(await phoneOf({ phone: '020 123 4567' })).toEqual(['NZ', '+64201234567'])
})

test('a lead is stored in composed Unicode, without signs that nobody sees', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead({
    firstName: 'Ma\u0304ia\u200b',
    lastName: '\u202aTe\u00ad Rangi\u202c',
    email: 'ma\u0304ia@te\u200brangi.example',
    businessName: 'Nga\u0304ti\u2060 Whātua\u0000',
    additionalInfo: 'Call after 5 pm\r\n👩🏽\u200d🚒',
  })
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.lead).toMatchObject({
    lead_name: 'Māia Te Rangi',
    email: 'māia@terangi.example',
    business_name: 'Ngāti Whātua',
    description: 'Call after 5 pm\n👩🏽\u200d🚒',
  })
})

test.each([
  [
    {},
    [
      ['firstName', 'First name is required'],
      ['lastName', 'Last name is required'],
      ['email', 'Email is required'],
      ['phone', 'Phone number is required'],
    ],
  ],
  [newLead({ email: 'no' }), [['email', 'Please enter a valid email address']]],
  [newLead({ phone: '0800 123 456' }), [['phone', INVALID_PHONE]]],
  [
    newLead({ loanAmount: 'fifty thousand', monthlyTurnover: '50-60k' }),
    [
      ['monthlyTurnover', 'Monthly turnover must be one amount in dollars, such as 50,000, not “50-60k”'],
      ['loanAmount', 'Loan amount must be one amount in dollars, such as 50,000, not “fifty thousand”'],
    ],
  ],
  [newLead({ loanAmount: -5 }), [['loanAmount', 'Loan amount must be an amount from 0 to 999,999,999,999.99']]],
  [newLead({ firstName: '\u200b\u3164' }), [['firstName', 'First name is required']]],
  [
    newLead({ additionalInfo: 'a\udc00' }),
    [['additionalInfo', 'Additional information contains a character that cannot be stored']],
  ],
  [
    newLead({ businessName: 'a\ud800' }),
    [['businessName', 'Business name contains a character that cannot be stored']],
  ],
])(
  'the form %j is refused with a message for each faulty field, and the first message is also the error',
  async (form, fields) => {
    const partner = await portal.newPartner()
    const answer = await partner.post('/dashboard/leads', form)
    expect(answer.status).toBe(400)
    expect(Object.entries(answer.body.fields)).toEqual(fields)
    expect(answer.body).toMatchObject({ success: false, code: 'VALIDATION', error: fields[0]?.[1] })
    expect(await loids(partner, '')).toEqual([])
  },
)

test('GET /dashboard/leads returns pages of leads, newest first; has_more says whether another page follows', async () => {
  const partner = await portal.newPartner()
  const submitted: string[] = []
  for (let i = 0; i < 5; i++) submitted.unshift((await partner.submitLead({ businessName: `Nr ${i}` })).loid)
  const page = async (query: string) => {
    const { body } = await partner.get(`/dashboard/leads?${query}`)
    return [body.data.leads.map((lead: { loid: string }) => lead.loid), body.pagination]
  }
  const rest = { limit: 2, total: 5 }
  expect(await page('limit=2')).toEqual([submitted.slice(0, 2), { page: 1, has_more: true, ...rest }])
  expect(await page('limit=2&page=2')).toEqual([submitted.slice(2, 4), { page: 2, has_more: true, ...rest }])
  expect(await page('limit=2&page=3')).toEqual([submitted.slice(4), { page: 3, has_more: false, ...rest }])
  expect(await page('limit=5')).toEqual([submitted, { page: 1, limit: 5, has_more: false, total: 5 }])
  expect(await page('page=1000000')).toEqual([[], { page: 1_000_000, limit: 20, has_more: false, total: 5 }])
  expect((await page('limit=2&search=nr'))[1]).toEqual({ page: 1, has_more: true, ...rest })
  expect((await page('limit=2&status=New%20Lead&page=9'))[1]).toEqual({ page: 9, has_more: false, ...rest })

  await insertNewerLeads(portal.deps, partner.id, 10_000)
  for (const query of ['limit=2', 'limit=2&search=o', 'limit=2&dateFrom=2020-01-01', 'limit=2&sort=loid&search=o'])
    expect([query, (await page(query))[1].total]).toEqual([query, 10_001])
  expect((await page('status=Lost%20Lead&limit=2'))[1].total).toBe(10_000)
})

test('the server sorts all leads by each column in both directions, unknown values last, also within filters and searches', async () => {
  const partner = await portal.newPartner()
  const rows = [
    ['LO-AAAAAAA1', 'émile', 50_000, 'AU', 'New Lead', '2026-01-01', '2026-03-03'],
    ['LO-AAAAAAA2', 'Zoe', 9_000, 'NZ', 'Contacted', '2026-01-02', '2026-03-02'],
    ['LO-AAAAAAA3', 'emil', null, null, 'New Lead', '2026-01-03', '2026-03-04'],
    ['LO-AAAAAAA4', null, 50_000, 'AU', 'Contacted', '2026-01-04', '2026-03-01'],
  ]
  for (const [i, [loid, ...row]] of rows.entries())
    await portal.deps.pool.query(
      `insert into leads (id, partner_id, loid, business_name, loan_amount, partner_iso, lead_status, created_at, modified_time,
                          first_name, crm)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, $9, 'synced')`,
      [
        partner.id,
        `LO-${partner.id
          .slice(-6)
          .replaceAll(/[^0-9]/g, 'X')
          .toUpperCase()}Y${i + 1}`,
        ...row,
        loid === 'LO-AAAAAAA2' ? 'Kim' : 'Ann',
      ],
    )
  await fillAllSearch(portal.deps.db)
  const sorted = async (query: string) => (await loids(partner, query)).map((loid) => loid.at(-1)).join('')
  const orders = {
    business_name: ['2134', '3124'],
    loid: ['4321', '1234'],
    loan_amount: ['1423', '2413'],
    partner_iso: ['2143', '4123'],
    lead_status: ['1324', '4231'],
    created_at: ['4321', '1234'],
    modified_time: ['3124', '4213'],
  }
  for (const [column, [descending, ascending]] of Object.entries(orders)) {
    expect([column, await sorted(`sort=${column}`)]).toEqual([column, descending])
    expect([column, await sorted(`sort=${column}&order=asc`)]).toEqual([column, ascending])
    expect([column, await sorted(`sort=${column}&order=asc&search=ann`)]).toEqual([column, ascending?.replace('2', '')])
    const parts = [1, 2, 3].map((page) => sorted(`sort=${column}&limit=2&page=${page}`))
    expect([column, (await Promise.all(parts)).join('')]).toEqual([column, descending])
  }
  expect(await sorted('order=asc')).toBe('1234')
  expect(await sorted('sort=loan_amount&status=New%20Lead')).toBe('13')
  expect(await sorted('changedFrom=2026-03-03&timezone=UTC')).toBe('31')
  for (const query of ['sort=password_hash', 'order=up', 'sort=loid&sort=created_at', 'changedFrom=2026-02-30'])
    expect([query, (await partner.get(`/dashboard/leads?${query}`)).status]).toEqual([query, 400])
})

/** The lines of a CSV file, each with its cells (RFC 4180). */
function readCsv(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    line.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === ',') continue
    lines.push(line)
    line = []
  }
  return lines.slice(0, -1)
}

async function exportFile(partner: TestPartner, query = ''): Promise<Response> {
  const headers = { authorization: `Bearer ${partner.token}` }
  return fetch(`${portal.url}/api/dashboard/leads/export${query}`, { headers })
}

test('the export has every lead of the filter, each field as it was entered, and no cell that is a formula', async () => {
  const partner = await portal.newPartner()
  const names = [
    'Plain',
    '=1+1',
    '+cmd',
    '-2',
    '@SUM(A1)',
    '＝１＋１',
    "'=quoted",
    "''-x",
    "'Twas",
    'Line\nbreak, "quoted"; é🚚',
    ' padded ',
    '\tTab',
    '012345',
  ]
  for (const [i, name] of names.entries())
    await portal.deps.pool.query(
      `insert into leads (id, partner_id, loid, business_name, business_abn, phone, loan_amount, lead_status, created_at, modified_time, crm)
       values (gen_random_uuid(), $1, $2, $3, '01234567890', '+61491570156', 1234.5, $4, $5, now(), 'synced')`,
      [partner.id, await newLoid(portal.deps.reads), name, i < 3 ? 'Contacted' : 'New Lead', new Date(1.79e12 + i)],
    )
  await fillAllSearch(portal.deps.db)
  const response = await exportFile(partner, '?order=asc&timezone=Pacific/Auckland')
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="leads.csv"')
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  const [heading = [], ...rows] = readCsv(bytes.subarray(3).toString())
  const cells = (column: string) => rows.map((row) => row[heading.indexOf(column)])
  const written = cells('Business Name').map(String)
  expect(written.filter((cell) => /^[=+\-@\t\r＝＋－＠]/.test(cell))).toEqual([])
  expect(written.map((cell) => (/^'+[=+\-@\t\r＝＋－＠]/.test(cell) ? cell.slice(1) : cell))).toEqual(names)
  expect(new Set(cells('Phone'))).toEqual(new Set(['+61 491 570 156']))
  expect(new Set(cells('ABN/UIN'))).toEqual(new Set(['01234567890']))
  expect(new Set(cells('Loan Amount'))).toEqual(new Set(['1234.5']))
  expect(new Set(cells('Created'))).toEqual(new Set(['2026-09-22']))

  const lines = async (query: string) => readCsv(await (await exportFile(partner, query)).text()).length - 1
  expect(await lines('?status=Contacted')).toBe(3)
  expect(await lines('?search=quoted')).toBe(2)
  expect(await lines('?search=nobody')).toBe(0)
  await insertNewerLeads(portal.deps, partner.id, 12_000)
  expect(await lines('')).toBe(12_000 + names.length)
  expect(await lines('?status=Contacted&sort=loan_amount')).toBe(3)
  const stranger = await portal.newPartner()
  expect(await (await exportFile(stranger)).text()).toBe(`${heading.join(',')}\r\n`)
  expect((await exportFile(partner, '?sort=x')).status).toBe(400)
  const log = await partner.get('/security-log')
  expect(log.body.data.entries.filter(({ event }: { event: string }) => event === 'leads-exported').length).toBe(6)
})

test('an export that breaks in the middle is a failed download; a third at the same time is refused; neither stays open', async () => {
  const partner = await portal.newPartner()
  await insertNewerLeads(portal.deps, partner.id, 3_000)
  const {
    rows: [{ id: last }],
  } = await portal.deps.pool.query('select id from leads where partner_id = $1 order by created_at limit 1', [
    partner.id,
  ])
  // A row that cannot be read, at the end of the list.
  await portal.deps.pool.query('update leads set partner_iso = $2, phone = $3 where id = $1', [
    last,
    'AU',
    '+61491570156',
  ])
  await portal.deps.pool.query(`alter table leads rename to leads_kept`)
  await portal.deps.pool.query(
    `create view leads as select * from leads_kept where id <> '${last}' or (1 / (extract(epoch from created_at) * 0)) > 0`,
  )
  try {
    const broken = await exportFile(partner)
    expect(broken.status).toBe(200)
    await expect(broken.text()).rejects.toThrow('terminated')
  } finally {
    await portal.deps.pool.query('drop view leads')
    await portal.deps.pool.query('alter table leads_kept rename to leads')
  }
  const locker = await portal.deps.pool.connect()
  try {
    const [bob, eve] = [await portal.newPartner(), await portal.newPartner()]
    await insertNewerLeads(portal.deps, bob.id, 3_000)
    await locker.query('begin; lock table leads in access exclusive mode')
    const [one, two] = await Promise.all([exportFile(partner), exportFile(bob)])
    const third = await exportFile(eve)
    expect([one.status, two.status, third.status, third.headers.get('retry-after')]).toEqual([200, 200, 429, '10'])
    await locker.query('rollback')
    const files = await Promise.all([one.text(), two.text()])
    expect(files.map((file) => readCsv(file).length)).toEqual([3_001, 3_001])
  } finally {
    locker.release()
  }
})

test('GET /dashboard/leads filters by status and source', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  const contacted = await partner.submitLead()
  await portal.deps.db
    .updateTable('leads')
    .set({ lead_status: 'Contacted', lead_source: '100% Referral_Desk' })
    .where('loid', '=', contacted.loid)
    .execute()
  expect(await loids(partner, 'status=New+Lead')).toEqual([loid])
  expect(await loids(partner, 'status=Contacted')).toEqual([contacted.loid])
  expect(await loids(partner, 'status=Funded')).toEqual([])
  expect(await loids(partner, 'status=New+Lead%7CContacted')).toEqual([contacted.loid, loid])
  expect((await partner.get(`/dashboard/leads?status=${'x%7C'.repeat(3)}${'y'.repeat(500)}`)).status).toBe(400)
  expect((await partner.get('/crm/lead-statuses')).body.data.counts).toEqual({ 'New Lead': 1, Contacted: 1 })
  expect(await loids(partner, 'source=referral')).toEqual([contacted.loid])
  expect(await loids(partner, 'source=100%25')).toEqual([contacted.loid])
  expect(await loids(partner, 'source=l_d')).toEqual([contacted.loid])
  expect(await loids(partner, 'source=r_l')).toEqual([])
  expect(await loids(partner, 'status=Contacted&source=partner')).toEqual([])
  expect(await loids(partner, 'status=&source=&dateFrom=&dateTo=&search=')).toHaveLength(2)
})

test('a filter by source works with many sources and never finds a lead without a source', async () => {
  const partner = await portal.newPartner()
  const of: Record<string, string> = {}
  for (const source of ['Radio', 'Trade Show', 'trade press', 'Website', 'Café – O’Brien', null]) {
    const { loid } = await partner.submitLead()
    await portal.deps.db.updateTable('leads').set({ lead_source: source }).where('loid', '=', loid).execute()
    of[String(source)] = loid
  }
  expect(await loids(partner, 'source=TRADE')).toEqual([of['trade press'], of['Trade Show']])
  expect(await loids(partner, 'source=ade')).toEqual([of['trade press'], of['Trade Show']])
  for (const spelling of ['cafe', 'CAFE\u0301', 'café-obrien', '‘O’Brien’']) {
    expect(await loids(partner, `source=${encodeURIComponent(spelling)}`)).toEqual([of['Café – O’Brien']])
  }
  expect(await loids(partner, 'source=radio')).toEqual([of['Radio']])
  expect(await loids(partner, 'source=null')).toEqual([])
})

test('dateFrom and dateTo are inclusive days in the portal’s time zone, even if a day has 25 hours', async () => {
  const partner = await portal.newPartner()
  const at = async (instant: string) => {
    const { loid } = await partner.submitLead()
    await submittedAt(loid, instant)
    return loid
  }
  // Sydney is 11 hours ahead of UTC until 3 am on 5 April 2026, and 10 hours ahead from then on.
  const lastOfMarch = await at('2026-03-31T12:59:59.999Z')
  const firstOfApril = await at('2026-03-31T13:00:00.000Z')
  const lateOnTheFifth = await at('2026-04-05T13:59:59.999Z')
  const theSixth = await at('2026-04-05T14:00:00.000Z')
  expect(await loids(partner, 'dateFrom=2026-03-31&dateTo=2026-03-31')).toEqual([lastOfMarch])
  expect(await loids(partner, 'dateFrom=2026-04-01&dateTo=2026-04-05')).toEqual([lateOnTheFifth, firstOfApril])
  expect(await loids(partner, 'dateFrom=2026-04-06')).toEqual([theSixth])
  expect(await loids(partner, 'dateTo=2026-03-31')).toEqual([lastOfMarch])
  expect(await loids(partner, 'dateFrom=2026-04-05&dateTo=2026-04-01')).toEqual([])
  expect(await loids(partner, 'dateFrom=1900-01-01&dateTo=9999-12-31')).toHaveLength(4)
})

test('with timezone, the days of a filter are days in that zone, whatever its clocks do', async () => {
  const partner = await portal.newPartner()
  const at = async (created_at: string) => {
    const { loid } = await partner.submitLead()
    await portal.deps.db.updateTable('leads').set({ created_at }).where('loid', '=', loid).execute()
    return loid
  }
  const isOn = async (loid: string, zone: string, day: string) =>
    (await loids(partner, `dateFrom=${day}&dateTo=${day}&timezone=${encodeURIComponent(zone)}`)).includes(loid)
  for (const [zone, instant, day, other] of [
    ['Pacific/Auckland', '2026-11-24T11:30:00.000Z', '2026-11-25', '2026-11-24'],
    ['Australia/Perth', '2026-11-24T15:59:59.999Z', '2026-11-24', '2026-11-25'],
    ['Australia/Perth', '2026-11-24T16:00:00.000Z', '2026-11-25', '2026-11-24'],
    ['America/St_Johns', '2026-07-01T02:29:59.999Z', '2026-06-30', '2026-07-01'],
    ['UTC', '2026-11-24T23:59:59.999Z', '2026-11-24', '2026-11-25'],
    // In Beirut the clocks skip midnight, in Havana midnight comes twice.
    ['Asia/Beirut', '2026-03-28T22:00:00.000Z', '2026-03-29', '2026-03-28'],
    ['Asia/Beirut', '2026-03-28T21:59:59.999Z', '2026-03-28', '2026-03-29'],
    ['America/Havana', '2026-11-01T04:00:00.000Z', '2026-11-01', '2026-10-31'],
    ['America/Havana', '2026-11-01T03:59:59.999Z', '2026-10-31', '2026-11-01'],
  ] as const) {
    const loid = await at(instant)
    expect([instant, zone, await isOn(loid, zone, day), await isOn(loid, zone, other)]).toEqual([
      instant,
      zone,
      true,
      false,
    ])
  }
  const loid = await at('2026-11-24T11:30:00.000Z')
  expect([await isOn(loid, '', '2026-11-24'), (await partner.get('/dashboard/time-zone')).body.data]).toEqual([
    true,
    { time_zone: 'Australia/Sydney' },
  ])
  for (const path of ['/dashboard/leads', '/dashboard/deals', '/activity', '/dashboard/webhook-logs']) {
    for (const zone of ['Auckland', 'Pacific/Nowhere', '%2B13:00', 'ACT', 'x'.repeat(200)]) {
      const { status, body } = await partner.get(`${path}?dateFrom=2026-11-25&timezone=${zone}`)
      expect([path, zone, status, body.error]).toEqual([
        path,
        zone,
        400,
        'timezone must be the name of a time zone, such as Pacific/Auckland',
      ])
    }
    const known = await partner.get(`${path}?dateFrom=2026-11-25&dateTo=2026-11-25&timezone=Pacific/Auckland`)
    expect([path, known.status]).toEqual([path, 200])
  }
})

test.each([
  'dateFrom=yesterday',
  'dateTo=2026-02-30',
  'dateFrom=2026-03-01T00:00:00Z',
  'page=0',
  'limit=101',
  'status=a&status=b',
  `search=${'x'.repeat(201)}`,
])('the filter %s is refused, never ignored', async (query) => {
  const partner = await portal.newPartner()
  const answer = await partner.get(`/dashboard/leads?${query}`)
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION'])
})

test('GET /dashboard/leads searches names, email, phone and LOID for each word', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead({
    firstName: 'Zoë',
    lastName: 'Müller',
    email: 'zoe@cafe.example',
    phone: '0412 345 678',
    businessName: 'Non-stop CAFÉ %_off',
    loanType: 'Term Loan',
  })
  await partner.submitLead({ businessName: 'Somebody Else', phone: '+64 21 987 654' })
  const found = (text: string) => loids(partner, `search=${encodeURIComponent(text)}`)
  const bare = loid.replace('-', '')
  const hits = [
    'CAFÉ',
    'café',
    'zoë müller',
    'müller ZOË',
    'zoe@cafe',
    '  off   non-stop ',
    'NON-stop',
    'non-stop café',
    '%_of',
    '%',
    '_',
    '%_off',
    '0412 345 678',
    '0412345678',
    '+61 412 345 678',
    '61412345678',
    '(04) 1234 5678',
    '+61 (0)412 345 678',
    '412 345',
    '5678',
    'zoë 0412',
    'café +61 412',
    loid,
    loid.toLowerCase(),
    bare,
    bare.toLowerCase(),
    loid.slice(3),
  ]
  const misses = ['term loan', 'caf_', 'fee%', 'zoë somebody', '0412 345 679', '\\', "' or 1=1 --"]
  const isAsExpected = async () => {
    for (const text of hits) expect([text, await found(text)]).toEqual([text, [loid]])
    for (const text of misses) expect([text, await found(text)]).toEqual([text, []])
  }
  await isAsExpected()
  const withKeys = async () => {
    const { rows } = await sql<{ leads: number }>`
      select count(*)::int as leads from leads where partner_id = ${partner.id} and search_keys is not null`.execute(
      portal.deps.db,
    )
    return rows[0]?.leads
  }
  // Leads that are not among the newest are found by a second query. It looks them up once the many leads have keys.
  await insertNewerLeads(portal.deps, partner.id, 1_000)
  expect(await withKeys()).toBe(0)
  await isAsExpected()
  await keyLargePartners.run(portal.deps, {}, new AbortController().signal)
  expect(await withKeys()).toBe(1_002)
  await isAsExpected()
  await partner.submitLead({ businessName: 'Newest' })
  expect(await withKeys()).toBe(1_003)
})

test('search and filters reach the end of a long list', async () => {
  const partner = await portal.newPartner()
  const older: string[] = []
  for (let i = 0; i < 3; i++) older.unshift((await partner.submitLead({ businessName: `Older ${i}` })).loid)
  await insertNewerLeads(portal.deps, partner.id, 1_100)
  expect(await loids(partner, 'search=older')).toEqual(older)
  expect(await loids(partner, 'search=older&limit=2&page=2')).toEqual(older.slice(2))
  expect(await loids(partner, 'search=ol')).toEqual(older)
  expect(await loids(partner, 'search=older&status=New+Lead&source=partner')).toEqual(older)
  expect(await loids(partner, 'search=older&status=Lost+Lead')).toEqual([])
  expect(await loids(partner, 'search=older&source=desk')).toEqual([])
  expect(await loids(partner, 'source=partner')).toEqual(older)
  expect(await loids(partner, 'status=New+Lead')).toEqual(older)
  expect(await loids(partner, 'page=12&limit=100')).toEqual(older)
  expect(await loids(partner, 'search=e&page=12&limit=100')).toEqual(older)
  expect((await partner.get('/dashboard/leads?search=newer&limit=100&page=11')).body.pagination.has_more).toBe(false)
  expect((await partner.get('/dashboard/leads?search=newer&limit=100&page=10')).body.pagination.has_more).toBe(true)
})

test('filters, search and paging work together', async () => {
  const partner = await portal.newPartner()
  for (let i = 0; i < 3; i++) await partner.submitLead({ businessName: 'Alpha' })
  await partner.submitLead({ businessName: 'Beta' })
  const { body } = await partner.get('/dashboard/leads?search=alpha&status=New+Lead&limit=2')
  expect([body.data.leads.length, body.pagination.has_more]).toEqual([2, true])
})

test('a partner sees only its own leads, and gets the same 404 for another partner’s lead and for an unknown lead', async () => {
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const { loid, id } = await ada.submitLead()
  expect(await loids(bob, '')).toEqual([])
  expect(await loids(bob, 'search=okafor')).toEqual([])
  const unknown = await bob.get('/crm/lead/LO-00000000')
  expect(unknown).toMatchObject({ status: 404, body: { success: false, code: 'NOT_FOUND', error: 'Lead not found' } })
  for (const name of [loid, id, 'nonsense', '0', '%00', "1'--"]) {
    const answer = await bob.get(`/crm/lead/${name}`)
    expect([name, answer.status, answer.body]).toEqual([name, 404, unknown.body])
    expect((await bob.get(`/crm/lead/${name}/status-history`)).body).toEqual(unknown.body)
    expect((await bob.post(`/crm/lead/${name}/retry-push`)).body).toEqual(unknown.body)
  }
})

test('GET /crm/lead/{id} returns a lead and its notes, by id or by LOID in any spelling', async () => {
  const partner = await portal.newPartner()
  const { loid, id } = await partner.submitLead()
  const written = [loid, loid.toLowerCase(), loid.replace('-', ''), loid.replace('-', '–'), loid.replace('-', '\u2011')]
  const among = [`LOID: ${loid}`, `(${loid})`, `${loid}.`, loid.replaceAll('0', 'O').replaceAll('1', 'l')]
  for (const name of [...written, ...among, id, id.toUpperCase()]) {
    const { status, body } = await partner.get(`/crm/lead/${encodeURIComponent(name)}`)
    expect([name, status, body.data?.lead.loid, body.data?.notes]).toEqual([name, 200, loid, []])
  }
})

test('a converted lead leaves the list and names its deal; a lead that left the CRM is not found', async () => {
  const partner = await portal.newPartner()
  const change = async (values: object) => {
    const { loid } = await partner.submitLead({ businessName: 'Gone or converted' })
    await portal.deps.db.updateTable('leads').set(values).where('loid', '=', loid).execute()
    return loid
  }
  const at = new Date().toISOString()
  const converted = await change({ converted_at: at, deal_loid: 'LO-11111111' })
  const matched = await change({ converted_at: at, matched_at: at, deal_loid: 'LO-22222222' })
  const left = await change({ archived_at: at, archived_reason: 'left-crm' })
  expect(await loids(partner, '')).toEqual([])
  expect(await loids(partner, 'search=converted')).toEqual([])
  const deal = async (loid: string) => (await partner.get(`/crm/lead/${loid}`)).body.data?.lead.converted_to_deal
  expect(await deal(converted)).toEqual({ loid: 'LO-11111111' })
  expect(await deal(matched)).toEqual({ loid: 'LO-22222222' })
  expect((await partner.get(`/crm/lead/${converted}/status-history`)).status).toBe(200)
  expect((await partner.get(`/crm/lead/${left}`)).status).toBe(404)
  expect((await partner.get(`/crm/lead/${left}/status-history`)).status).toBe(404)
})

test('the last status of a lead that became a deal ends when the deal begins (D51)', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const { db } = portal.deps
  await db
    .updateTable('history_entries')
    .set({ changed_time: daysAgo(10) })
    .where('loid', '=', loid)
    .execute()
  await db
    .updateTable('leads')
    .set({ converted_at: daysAgo(1), deal_loid: loid })
    .where('loid', '=', loid)
    .execute()
  const lasted = async () => (await partner.get(`/crm/lead/${loid}/status-history`)).body.data[0].duration
  // The lead has no deal yet, as if the conversion had made no deal or the deal belonged to another partner.
  expect(await lasted()).toBe(9)
  await insertDeal(db, partner.id, { loid, created_at: daysAgo(7) })
  expect(await lasted()).toBe(3)
})

test('GET /crm/lead/{id}/status-history returns the statuses, including the first one, which was set at submission', async () => {
  await using ownClock = await startPortal()
  const partner = await ownClock.newPartner()
  const { loid, id } = await partner.submitLead()
  const history = async (name: string) => (await partner.get(`/crm/lead/${name}/status-history`)).body
  expect(await history(loid)).toEqual({
    success: true,
    data: [
      {
        id: expect.any(String),
        status: 'New Lead',
        changed_time: expect.stringMatching(INSTANT),
        changed_by: partner.businessName,
        description: 'Submitted through the partner portal',
        duration: 0,
      },
    ],
  })
  ownClock.advance(0.9 * DAY_MS)
  expect((await history(id)).data[0].duration).toBe(0)
  const { changed_time } = (await history(loid)).data[0]
  await ownClock.deps.db
    .insertInto('history_entries')
    .values({
      id: '00000000-0000-7000-8000-000000000001',
      partner_id: partner.id,
      kind: 'lead-status',
      loid,
      value: 'Contacted',
      changed_time: new Date(Date.parse(changed_time) - 3 * DAY_MS).toISOString(),
      changed_by: null,
      description: null,
      origin: 'crm',
      crm_entry_id: '1',
    })
    .execute()
  expect(
    (await history(loid)).data.map((entry: { status: string; duration: number }) => [entry.status, entry.duration]),
  ).toEqual([
    ['New Lead', 0],
    ['Contacted', 3],
  ])
})

test('duplicates are leads of the last 90 days with the same email, phone or ABN, in any spelling', async () => {
  const partner = await portal.newPartner()
  const other = await portal.newPartner()
  await other.submitLead({ email: 'same@example.com' })
  const abn = '51824753556'
  const first = await partner.submitLead({
    email: 'same@example.com',
    phone: '021 123 4567',
    iso: 'NZ',
    businessAbn: abn,
  })
  const second = await partner.submitLead({ email: 'other@example.com', phone: '0491 570 006' })
  const old = await partner.submitLead({ email: 'same@example.com' })
  await submittedAt(old.loid, new Date(Date.now() - 91 * DAY_MS).toISOString())
  const duplicates = async (query: string) => {
    const { status, body } = await partner.get(`/dashboard/leads/duplicates?${query}`)
    expect(status).toBe(200)
    return body.data.duplicates.map((lead: { loid: string; matches: string[] }) => [lead.loid, lead.matches])
  }
  expect(await duplicates('email=SAME@example.com')).toEqual([[first.loid, ['email']]])
  expect(await duplicates('phone=%2B64+21+123+4567')).toEqual([[first.loid, ['phone']]])
  expect(await duplicates('phone=021+123+4567')).toEqual([[first.loid, ['phone']]])
  expect(await duplicates('abn=51-824-753-556&email=same@example.com')).toEqual([[first.loid, ['email', 'abn']]])
  expect(await duplicates('phone=0491570006&email=same@example.com')).toEqual([
    [second.loid, ['phone']],
    [first.loid, ['email']],
  ])
  const inCrm = 'JÖRG@Example.com'.normalize('NFD')
  await sql`update leads set email = ${inCrm} where loid = ${second.loid}`.execute(portal.deps.db)
  for (const email of ['jörg@example.com', 'ＪÖＲＧ@example.com', 'jorg@example.com\u200b'].map(encodeURIComponent)) {
    expect([email, await duplicates(`email=${email}`)]).toEqual([email, [[second.loid, ['email']]]])
  }
  expect(await duplicates('phone=nonsense&email=&abn=')).toEqual([])
  expect(await duplicates('')).toEqual([])
})

test('Retry sets a failed lead to pending, but changes neither a synced nor a pending lead', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  const retry = async () => (await partner.post(`/crm/lead/${loid}/retry-push`)).body.data
  const set = (crm: 'failed' | 'synced') =>
    portal.deps.db.updateTable('leads').set({ crm }).where('loid', '=', loid).execute()
  await set('failed')
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.lead.crm).toBe('failed')
  expect(await partner.post(`/crm/lead/${loid}/retry-push`)).toMatchObject({
    status: 202,
    body: { success: true, data: { loid, crm: 'pending' } },
  })
  expect((await partner.get(`/crm/lead/${loid}`)).body.data.lead.crm).toBe('pending')
  expect(await retry()).toEqual({ loid, crm: 'pending' })
  await set('synced')
  expect(await retry()).toEqual({ loid, crm: 'synced' })
})

test('without a CRM, the lists of statuses and stages come from the specification', async () => {
  const partner = await portal.newPartner()
  const { statuses } = (await partner.get('/crm/lead-statuses')).body.data
  expect(statuses).toContain('Attempting To Contact')
  expect((await partner.get('/crm/stages')).body.data.stages).toContain('Pending Approval')
})

test.each([
  ['answers nonsense', { failEvery: { n: 1, status: 200, match: 'settings/fields' } }],
  ['refuses the call', { failEvery: { n: 1, status: 422, match: 'settings/fields' } }],
  ['lists no choices', { failEvery: { n: 1, status: 404, match: 'settings/fields' } }],
])('if the CRM %s, the lists of statuses and stages come from the specification', async (_, faults) => {
  await using withCrm = await startPortal({ withCrm: true })
  const partner = await withCrm.newPartner()
  const lender = openLender(withCrm.crmUrl)
  await lender.faults(faults)
  // The portal keeps the settings of the fields for ten minutes.
  withCrm.advance(11 * 60_000)
  for (const attempt of ['first', 'second']) {
    const [{ body: leads }, { body: deals }] = [
      await partner.get('/crm/lead-statuses'),
      await partner.get('/crm/stages'),
    ]
    expect([attempt, leads.error, leads.data?.statuses]).toEqual([attempt, undefined, [...LEAD_STATUSES]])
    expect([attempt, deals.error, deals.data?.stages]).toEqual([attempt, undefined, [...DEAL_STAGES]])
  }
})

test('a lead arrives in the CRM once, with its LOID and its business name', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  const partner = await withCrm.newPartner()
  const { loid } = await partner.submitLead(COMPLETE_FORM)
  await partner.pushedLead(loid)
  const lender = openLender(withCrm.crmUrl)
  const inCrm = await waitFor('the lead in the CRM', async () => {
    const leads = await lender.list('Leads', 'LOID,Company')
    return leads.length > 0 && leads
  })
  expect(inCrm).toHaveLength(1)
  expect(inCrm[0]).toMatchObject({ LOID: loid, Company: 'Okafor Freight' })
})

test.each([
  { lookupRefusalNames: 'field', putMissing: 'request' },
  { lookupRefusalNames: 'id', putMissing: 'item' },
])(
  'records of a partner whose own record was deleted wait, and go to the CRM once it is restored (the CRM’s refusals: %o)',
  async (refusals) => {
    await using withCrm = await startPortal({ withCrm: true })
    const lender = openLender(withCrm.crmUrl)
    await lender.behaviour(refusals)
    const partner = await withCrm.newPartner()
    const before = await partner.submitLead()
    await partner.pushedLead(before.loid)
    const own = (await partner.get('/profile')).body.data.zoho_id
    await lender.remove('Partners', own)

    const leads = await Promise.all([partner.submitLead(), partner.submitLead()])
    const deal = await partner.post('/webhook/deal', { business_name: 'Okafor Freight', email: 'nkem@okafor.example' })
    expect(deal.status).toBe(201)
    await waitFor('the hold', async () => {
      return (await withCrm.post('/auth/verify', { token: partner.token })).body.data.hold === 'deleted'
    })
    expect(await lender.list('Partners', 'Name')).toEqual([])
    await lender.restore(own)
    await runSweep(withCrm.deps, new AbortController().signal)
    await Promise.all(leads.map(({ loid }) => partner.pushedLead(loid)))
    await waitFor('the deal in the CRM', async () => (await lender.list('Deals', 'LOID')).length === 1)
    const inCrm = await lender.list('Leads', 'LOID,Partner')
    expect(inCrm.filter((lead) => JSON.stringify(lead['Partner']).includes(own))).toHaveLength(3)
    expect(await lender.list('Partners', 'Name')).toHaveLength(1)
  },
)

test('a partner has only one record in the CRM, even if its first leads are pushed before the partner', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  const lender = openLender(withCrm.crmUrl)
  await lender.faults({ slowMs: 300 })
  const partner = await withCrm.newPartner()
  const leads = await Promise.all([partner.submitLead(), partner.submitLead(), partner.submitLead()])
  await Promise.all(leads.map(({ loid }) => partner.pushedLead(loid)))
  expect(await lender.list('Partners', 'Name')).toHaveLength(1)
})
