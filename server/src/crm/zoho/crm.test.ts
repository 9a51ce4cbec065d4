import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DEAL_STAGES, LEAD_STATUSES } from '@portal/contract/choices.ts'
import { eachOf } from '@portal/contract/record-fields.ts'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../platform/db/database.ts'
import { openSecrets } from '../../platform/db/secrets.ts'
import { TYPED_LEAD_COLUMNS } from '../../platform/db/tables.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { ArrivedRecord, CrmModule, DealToPush, LeadToPush, PartnerToPush } from '../../records/crm-records.ts'
import { borrowCrmSandbox } from '../../testing/borrow-crm-sandbox.ts'
import { createDatabase } from '../../testing/databases.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { asBackground, asNotified, asOpened, asSweep } from './call-order.ts'
import { type Crm, openCrm } from './crm.ts'
import { CrmPartnerGone, CrmRefused } from './errors.ts'
import { DEFAULT_FIELD_MAP, parseFieldMap } from './field-map.ts'
import { NotesNotListed } from './read-notes.ts'
import { openSharedLimits } from './shared-limits.ts'

const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })

let database: Database
let sandbox: Awaited<ReturnType<typeof borrowCrmSandbox>>
let lender: Lender
let crm: Crm
let now: Date
let partner: string

beforeAll(async () => {
  sandbox = await borrowCrmSandbox()
  database = openDatabase((await createDatabase()).url, () => undefined)
  lender = openLender(sandbox.url)
})

afterAll(async () => {
  await database.close()
  sandbox[Symbol.dispose]()
})

beforeEach(async () => {
  await lender.reset()
  await database.db.deleteFrom('crm_tokens').execute()
  await database.pool.query('truncate crm_calls, crm_callers, crm_credits_left')
  now = new Date()
  crm = open()
  partner = await lender.create('Partners', { Name: 'Harbour Referrals', Email: 'ada@harbour.example' })
})

// Waits until each client has saved its counts of calls, so that it does not save them during another test.
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

const opened: Crm[] = []
function open(more: Partial<Parameters<typeof openCrm>[0]> = {}): Crm {
  const one = openCrm({
    mode: 'sandbox',
    settings: settings(),
    fieldMap: DEFAULT_FIELD_MAP,
    creditsPerDay: 50_000,
    db: database.db,
    secrets: openSecrets([{ id: 'key', bytes: Buffer.alloc(32, 'k') }]),
    clock: { now: () => now },
    log,
    retry: { attemptsMax: 4, firstDelayMs: 5 },
    ...more,
  })
  opened.push(one)
  return one
}

function settings() {
  const secret = 'sandbox'
  return { accountsUrl: sandbox.url, apiUrl: sandbox.url, clientId: secret, clientSecret: secret, refreshToken: secret }
}

async function findLead(zohoId: string) {
  return (await crm.getLeads([zohoId])).records[0] ?? null
}

async function findDeal(zohoId: string) {
  return (await crm.getDeals([zohoId])).records[0] ?? null
}

async function allOf<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const all: Page[] = []
  for await (const page of pages) all.push(page)
  return all
}

/** The versions that a sync compares, from all pages. */
async function versionsOf(module: CrmModule, { of = crm, signal }: { of?: Crm; signal?: AbortSignal } = {}) {
  const pages = await allOf(of.versionPages(module, partner, signal))
  return pages.flatMap((page) => page.versions)
}

let loids = 0
function newDeal(more: Partial<DealToPush> = {}): DealToPush {
  return {
    loid: `LO-SENT${String(++loids).padStart(4, '0')}`,
    partner_zoho_id: partner,
    deal_name: 'Second truck',
    business_name: 'Okafor Freight',
    email: 'n.okafor@freight.example',
    phone: '+61412345678',
    amount: 150_000.5,
    loan_type: 'Term Loan',
    loan_purpose: 'A truck',
    loan_term: '24 months',
    stage: 'Waiting On Application',
    lead_source: 'Partner Portal',
    closing_date: '2027-06-30',
    description: 'Call after three',
    partner_iso: 'AU',
    submitted_by: 'Mia Harbour',
    created_at: '2026-11-03T01:02:03.000Z',
    ...more,
  }
}

function newLead(more: Partial<LeadToPush> = {}): LeadToPush {
  return {
    ...eachOf(TYPED_LEAD_COLUMNS, null),
    loid: `LO-TEST${String(++loids).padStart(4, '0')}`,
    partner_zoho_id: partner,
    business_name: 'Okafor Freight Pty Ltd',
    first_name: 'Nkem',
    last_name: 'Okafor',
    email: 'n.okafor@freight.example',
    phone: '+61412345678',
    state: 'NSW',
    loan_amount: 150_000.5,
    loan_type: 'Term Loan',
    loan_purpose: 'Two trucks',
    loan_term: '24 months',
    sales_monthly: 60_000,
    lead_status: 'New Lead',
    lead_source: 'Partner Portal',
    business_industry: 'Transportation',
    time_in_business: '2-5 years',
    business_abn: '51824753556',
    partner_iso: 'AU',
    owns_property: true,
    property_value: 900_000,
    property_debt: 250_000,
    referral_consent: '2026-11 at 2026-11-20T01:02:03.000Z',
    submitted_by: 'Mia Harbour',
    ...more,
  }
}

test('a pushed lead is read back as it was sent, with times in UTC', async () => {
  const lead = newLead()
  const { zoho_id } = await crm.pushLead(lead)
  const { partner_zoho_id: _, referral_consent: __, submitted_by: ___, ...sent } = lead

  const found = await findLead(zoho_id)
  expect(found).toMatchObject({ ...sent, zoho_id, partner_zoho_id: partner, is_converted: false })
  expect(found?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
  expect(Math.abs(Date.parse(found?.created_at ?? '') - Date.now())).toBeLessThan(60_000)
  expect(await lender.read('Leads', zoho_id)).toMatchObject({
    Referral_Consent: lead.referral_consent,
    Submitted_By: 'Mia Harbour',
  })
})

test.each([
  ['Leads', { Lead_Status: 'Contacted', Loan_Amount: 90_000, Description: 'Wants less' }],
  ['Deals', { Stage: 'Approved', Amount: 90_000, Description: 'Wants less' }],
] as const)(
  'after a lost answer, a push of %s looks for its record before it sends again, and does not overwrite staff’s changes',
  async (module, change) => {
    const lead = newLead()
    const deal = newDeal()
    const push = () => (module === 'Leads' ? crm.pushLead(lead) : crm.pushDeal(deal))
    const lost = { resetAfterCommit: { times: 1, match: `POST /crm/v8/${module}` } }
    // The look-up right after the push also fails.
    await lender.faults({ ...lost, scopeMismatch: { every: 2, times: 1, match: '/coql' } })
    await expect(push()).rejects.toThrow(CrmUnavailable)
    const [made] = await lender.list(module, 'LOID')
    const zoho_id = String(made?.['id'])
    await lender.update(module, zoho_id, change)

    expect(await push()).toMatchObject({ zoho_id })
    expect(await lender.list(module, 'LOID')).toHaveLength(1)
    expect(await lender.read(module, zoho_id)).toMatchObject(change)
  },
)

test('a push whose answer was lost looks for its record at once, before staff can rename and delete it', async () => {
  await lender.faults({ resetAfterCommit: { times: 2, match: 'POST /crm/v8/' } })
  const [lead, deal] = [await crm.pushLead(newLead()), await crm.pushDeal(newDeal())]
  expect(await lender.list('Leads', 'LOID')).toMatchObject([{ id: lead.zoho_id }])
  expect(await lender.list('Deals', 'LOID')).toMatchObject([{ id: deal.zoho_id }])
})

test('a repeated push does not overwrite staff’s changes, such as the status', async () => {
  const lead = newLead()
  const { zoho_id } = await crm.pushLead(lead)
  await lender.update('Leads', zoho_id, { Lead_Status: 'Contacted', Loan_Amount: 90_000 })
  expect(await crm.pushLead(lead)).toMatchObject({ zoho_id })
  expect(await findLead(zoho_id)).toMatchObject({ lead_status: 'Contacted', loan_amount: 90_000 })
})

test.each([
  { coqlReturnsConverted: true, upsertOfConverted: 'refuse' },
  { coqlReturnsConverted: false, upsertOfConverted: 'insert' },
  { coqlReturnsConverted: false, upsertOfConverted: 'duplicate' },
])('a lead that was converted after its push is not pushed again: %o', async (switches) => {
  await lender.behaviour(switches)
  const lead = newLead()
  const { zoho_id } = await crm.pushLead(lead)
  await lender.convert(zoho_id)
  expect(await crm.pushLead(lead)).toMatchObject({ zoho_id })
  expect(await lender.list('Leads', 'LOID')).toHaveLength(1)
})

test('a lead whose email Zoho refuses is pushed with the email in its description', async () => {
  const { zoho_id } = await crm.pushLead(newLead({ email: 'owner@freight', description: 'Call early' }))
  expect(await findLead(zoho_id)).toMatchObject({ email: null, description: 'Call early\n\nEmail: owner@freight' })
})

test('if a lead has only a first name, it is pushed as the last name, which Zoho requires', async () => {
  const { zoho_id } = await crm.pushLead(newLead({ first_name: 'Nkem', last_name: null }))
  expect(await findLead(zoho_id)).toMatchObject({ first_name: null, last_name: 'Nkem' })
})

test('an email address longer than the field is not cut, but goes into the description', async () => {
  // The field holds a hundred characters. The first hundred could be another person's address.
  const email = `${'a'.repeat(60)}@${'sub.'.repeat(12)}example`
  const { zoho_id } = await crm.pushLead(newLead({ email, description: 'Call early' }))
  expect(await findLead(zoho_id)).toMatchObject({ email: null, description: `Call early\n\nEmail: ${email}` })
  const { left_out } = await crm.createPartner({
    business_name: 'Long Address Loans',
    email,
    first_name: null,
    last_name: null,
    phone: null,
    agreement_version: null,
    agreed_on: null,
    abn: null,
    gst_registered: null,
  })
  expect(left_out).toEqual(['Email'])
})

test('text longer than the field is cut, and a lead without a person’s name is accepted', async () => {
  const lead = newLead({ business_name: 'B'.repeat(220), first_name: null, last_name: null })
  const { zoho_id } = await crm.pushLead(lead)
  expect(await findLead(zoho_id)).toMatchObject({ business_name: 'B'.repeat(200), last_name: 'B'.repeat(80) })
})

test('no text is cut inside a letter, and half a letter from the CRM does not make its record unreadable', async () => {
  const { zoho_id } = await crm.pushLead(newLead({ first_name: null, last_name: `${'a'.repeat(79)}😀` }))
  expect(await findLead(zoho_id)).toMatchObject({ last_name: 'a'.repeat(79) })
  await lender.update('Leads', zoho_id, { Description: 'Half \ud83d' })
  expect(await findLead(zoho_id)).toMatchObject({ description: 'Half \ufffd' })
})

test('a push of data that Zoho refuses ends in CrmRefused', async () => {
  await expect(crm.pushLead(newLead({ loan_amount: 1e17 }))).rejects.toThrow(CrmRefused)
})

test.each(['field', 'id'])(
  'a push of a lead ends in CrmPartnerGone if the partner’s record was deleted (Zoho names the %s)',
  async (lookupRefusalNames) => {
    await lender.behaviour({ lookupRefusalNames })
    await lender.remove('Partners', partner)
    await expect(crm.pushLead(newLead())).rejects.toThrow(CrmPartnerGone)
  },
)

test('a pushed deal is read back as it was sent, and a repeated push changes nothing', async () => {
  const sent = newDeal({ loid: 'LO-DEA00001' })
  const { zoho_id } = await crm.pushDeal(sent)
  expect(await findDeal(zoho_id)).toMatchObject({
    loid: 'LO-DEA00001',
    partner_zoho_id: partner,
    deal_name: 'Second truck',
    business_name: 'Okafor Freight',
    contact_name: null,
    amount: 150_000.5,
    stage: 'Waiting On Application',
    closing_date: '2027-06-30',
  })
  await lender.update('Deals', zoho_id, { Stage: 'Approved', Amount: 1 })
  expect(await crm.pushDeal({ ...sent, amount: 2 })).toMatchObject({ zoho_id })
  expect(await findDeal(zoho_id)).toMatchObject({ stage: 'Approved', amount: 1 })
})

test('two simultaneous pushes of one deal make one record', async () => {
  const loid = 'LO-DEA00002'
  const pushed = await Promise.all([crm.pushDeal(newDeal({ loid })), open().pushDeal(newDeal({ loid }))])
  expect(pushed[0]?.zoho_id).toBe(pushed[1]?.zoho_id)
  expect(await lender.list('Deals', 'LOID')).toHaveLength(1)
})

test.each([true, false])(
  'a deal without a closing date is accepted (the layout requires one: %s)',
  async (layoutMandatoryEnforced) => {
    await lender.behaviour({ layoutMandatoryEnforced })
    const { zoho_id } = await crm.pushDeal(newDeal({ closing_date: null, email: 'nkem@okafor.x' }))
    const closing_date = layoutMandatoryEnforced ? '2026-12-03' : null
    const description = 'Call after three\n\nEmail: nkem@okafor.x'
    expect(await findDeal(zoho_id)).toMatchObject({ closing_date, email: null, description })
  },
)

test('partners are found by email alone, updated by id, and not updated once their record is removed', async () => {
  const ada: PartnerToPush = {
    business_name: 'Harbour & Sons',
    email: 'ADA@harbour.example',
    first_name: 'Ada',
    last_name: null,
    phone: null,
    agreement_version: null,
    agreed_on: null,
    abn: null,
    gst_registered: null,
  }
  expect(await crm.findPartnerRecords(ada.email)).toEqual([{ zoho_id: partner, business_name: 'Harbour Referrals' }])
  expect(await crm.updatePartner(partner, ada)).toMatchObject({ zoho_id: partner })
  expect(await lender.read('Partners', partner)).toMatchObject({ Name: 'Harbour & Sons', First_Name: 'Ada' })

  const quoted = { ...ada, email: "o'neil@other.example" }
  const { zoho_id } = await crm.createPartner(quoted)
  expect(await crm.findPartnerRecords(quoted.email)).toMatchObject([{ zoho_id }])
  await lender.remove('Partners', zoho_id)
  expect(await crm.updatePartner(zoho_id, quoted)).toBeNull()
  expect(await crm.findPartnerRecords(quoted.email)).toEqual([])
})

test('a partner whose email the CRM does not accept gets a record without the email', async () => {
  const ada = {
    business_name: 'Ada & Sons',
    email: 'ada@exa_mple.com',
    first_name: 'Ada',
    last_name: null,
    phone: null,
    agreement_version: null,
    agreed_on: null,
    abn: null,
    gst_registered: null,
  }
  const made = await crm.createPartner(ada)
  expect(made.left_out).toEqual(['Email'])
  expect(await crm.updatePartner(made.zoho_id, { ...ada, first_name: 'Adah' })).toEqual(made)
  expect(await lender.read('Partners', made.zoho_id)).toMatchObject({
    Name: 'Ada & Sons',
    First_Name: 'Adah',
    Email: null,
  })
})

test('if the CRM accepts each email only once, a second lead is pushed with the email in its description', async () => {
  await lender.behaviour({ leadEmailUnique: true })
  await crm.pushLead(newLead())
  const { zoho_id } = await crm.pushLead(newLead())
  const description = 'Email: n.okafor@freight.example'
  expect(await findLead(zoho_id)).toMatchObject({ email: null, description })
})

test('many leads or deals are pushed in one call and only once, and a refused record does not stop the others', async () => {
  const leads = Array.from({ length: 45 }, () => newLead())
  const there = await crm.pushLead(leads[0] ?? newLead())
  const before = (await lender.calls()).by_kind
  const pushed = await crm.pushLeads([...leads, newLead({ loan_amount: 1e17 })])
  expect([...pushed.keys()].sort()).toEqual(leads.map((lead) => lead.loid).sort())
  expect(pushed.get(leads[0]?.loid ?? '')).toMatchObject({ zoho_id: there.zoho_id })
  expect(idsOf(await crm.pushLeads(leads))).toEqual(idsOf(pushed))
  const after = (await lender.calls()).by_kind
  expect((after['POST /crm/v8/Leads'] ?? 0) - (before['POST /crm/v8/Leads'] ?? 0)).toBe(1)

  const deals = [newDeal(), newDeal()]
  const made = await crm.pushDeals(deals)
  expect(idsOf(await crm.pushDeals(deals))).toEqual(idsOf(made))
  expect(await lender.list('Deals', 'LOID')).toHaveLength(2)
})

function idsOf(arrived: ReadonlyMap<string, ArrivedRecord>): Map<string, string> {
  return new Map(Array.from(arrived, ([loid, { zoho_id }]) => [loid, zoho_id]))
}

test('adding a note to a record in the recycle bin ends in CrmUnavailable', async () => {
  const { zoho_id } = await crm.pushLead(newLead())
  await lender.remove('Leads', zoho_id)
  const created_at = new Date().toISOString()
  const note = { title: null, content: 'Called, no answer', created_at, crm_sent_at: null }
  await expect(crm.createNote('Leads', zoho_id, note)).rejects.toThrow(CrmUnavailable)
})

test('a note whose push got no answer is not added twice, but a second note with the same text is added', async () => {
  const { zoho_id } = await crm.pushLead(newLead())
  const created_at = new Date().toISOString()
  const note = { title: null, content: 'Called,\nno answer', created_at, crm_sent_at: created_at }
  await lender.faults({ resetAfterCommit: { times: 1, match: '/Notes' } })
  await expect(crm.createNote('Leads', zoho_id, note)).rejects.toThrow(CrmUnavailable)
  const first = await crm.createNote('Leads', zoho_id, note)
  const second = await crm.createNote('Leads', zoho_id, { ...note, findOthers: async () => new Set([first]) })
  expect((await allOf(crm.notePages('Leads', zoho_id))).flat().map((one) => one.zoho_id)).toEqual([first, second])
  expect((await allOf(crm.notePages('Leads', zoho_id))).flat()).toMatchObject([
    { title: null, content: 'Called,\nno answer' },
    {},
  ])
})

test('a caller’s timeout does not cut off a file that has begun to arrive', async () => {
  const { zoho_id } = await crm.pushLead(newLead())
  const place = { module: 'Leads', record_zoho_id: zoho_id } as const
  const bytes = Buffer.alloc(1_000_000, 'x')
  const id = await crm.attach(place, {
    name: 'a.txt',
    size: bytes.length,
    read: async function* () {
      yield bytes
    },
  })
  const waiting = new AbortController()
  const content = await crm.openAttachment({ ...place, zoho_id: id }, waiting.signal)
  waiting.abort(new DOMException('too late', 'TimeoutError'))
  let length = 0
  for await (const piece of content ?? []) length += piece.length
  expect(length).toBe(bytes.length)
})

test('the first push of a note reads one page of its record’s notes, however many there are', async () => {
  const { zoho_id } = await crm.pushLead(newLead())
  const notes = Array.from({ length: 205 }, (_, number) => lender.addNote('Leads', zoho_id, { content: `N${number}` }))
  await Promise.all(notes)
  const read = async () => {
    const { by_kind } = await lender.calls()
    return Object.entries(by_kind).reduce((sum, [kind, calls]) => sum + (/^GET .*\/Notes$/.test(kind) ? calls : 0), 0)
  }
  const before = await read()
  const created_at = new Date().toISOString()
  await crm.createNote('Leads', zoho_id, { title: null, content: 'One more', created_at, crm_sent_at: null })
  expect((await read()) - before).toBe(1)
  await crm.createNote('Leads', zoho_id, { title: null, content: 'Lost', created_at, crm_sent_at: created_at })
  expect((await read()) - before).toBe(3)
})

test('the client lists all notes since a given time, and the notes of one record over several pages', async () => {
  const { zoho_id } = await crm.pushLead(newLead())
  const notes = Array.from({ length: 205 }, (_, index) => ({ Note_Title: 'Staff', Note_Content: `Remark ${index}` }))
  await lender.createMany(`Leads/${zoho_id}/Notes`, notes)
  expect((await allOf(crm.notePages('Leads', zoho_id))).map((page) => page.length)).toEqual([200, 5])
  const listed = (since: number) => allOf(crm.notePagesSince(new Date(since).toISOString()))
  expect(crm.listsNotes()).toBeUndefined()
  const pages = await listed(Date.now() - 60_000)
  expect(pages.map((page) => page.length)).toEqual([200, 5])
  expect(pages[0]?.[0]).toMatchObject({ module: 'Leads', record_zoho_id: zoho_id, note: { title: 'Staff' } })
  expect((await listed(Date.now() + 60_000)).flat()).toEqual([])
  expect(crm.listsNotes()).toBe(true)
  await lender.faults({ forbidden: { times: 1, match: '/Notes' } })
  await expect(listed(Date.now())).rejects.toThrow(NotesNotListed)
  expect(crm.listsNotes()).toBe(false)
  expect(await allOf(crm.notePages('Leads', '5400000000000000001'))).toEqual([])
})

test.each([true, false])(
  'every lead of the partner is listed, even converted leads (COQL shows them: %s)',
  async (shows) => {
    await lender.behaviour({ coqlReturnsConverted: shows, coqlLookupHasName: shows })
    const others = await lender.create('Partners', { Name: 'Another', Email: 'b@another.example' })
    const ids = await lender.createMany('Leads', [
      ...Array.from({ length: 3 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: partner } })),
      { Last_Name: 'Not theirs', Partner: { id: others } },
      { Last_Name: 'Nobody’s' },
    ])
    await lender.convert(ids[1] ?? '')
    await lender.convert(ids[3] ?? '')
    const hidden = shows ? [] : (await allOf(crm.convertedPages(partner))).flat()
    const versions = [...(await versionsOf('Leads')), ...hidden]
    expect(versions.map((one) => [one.zoho_id, one.is_converted]).sort()).toEqual([
      [ids[0], false],
      [ids[1], true],
      [ids[2], false],
    ])
    expect(await crm.countLeads(partner)).toBe(3)
    expect(await versionsOf('Deals')).toHaveLength(1)
  },
)

test('converted leads are counted once, even if COQL does not mark them as converted', async () => {
  await lender.behaviour({ coqlReturnsConverted: true, coqlKnowsConverted: false })
  const leads = Array.from({ length: 2 }, () => ({ Last_Name: 'Okafor', Partner: { id: partner } }))
  const [converted = ''] = await lender.createMany('Leads', leads)
  await lender.convert(converted)
  expect(await crm.countLeads(partner)).toBe(2)
})

test('the client lists more leads than one query returns', async () => {
  await lender.createMany(
    'Leads',
    Array.from({ length: 2_050 }, () => ({ Last_Name: 'Many', Partner: { id: partner } })),
  )
  const versions = await versionsOf('Leads')
  expect(new Set(versions.map((one) => one.zoho_id)).size).toBe(2_050)
  const batch = await crm.getLeads(versions.slice(0, 250).map((one) => one.zoho_id))
  expect(batch.records).toHaveLength(250)
})

test('if records change or are deleted between two pages, a list skips no other record, and the next list has the changes', async () => {
  // More records than the first page holds.
  const ids = await lender.createMany(
    'Leads',
    Array.from({ length: 210 }, (_, index) => ({ Last_Name: `L${index}`, Partner: { id: partner } })),
  )
  await lender.behaviour({ clockShiftSeconds: 60 })
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const pages = crm.changesOfAllPartners('Leads', from)
  const seen: string[] = []
  let isFirst = true
  for await (const page of pages) {
    seen.push(...page.map((change) => change.zoho_id))
    if (!isFirst) continue
    isFirst = false
    expect(page).toHaveLength(200)
    await lender.update('Leads', ids[0] ?? '', { Lead_Status: 'Contacted' })
    await lender.update('Leads', ids[209] ?? '', { Lead_Status: 'Contacted' })
    await lender.remove('Leads', ids[1] ?? '')
  }
  expect(seen).toEqual(ids.slice(0, 209))
  for await (const page of crm.changesOfAllPartners('Leads', new Date(Date.now() + 30_000).toISOString())) {
    expect(page.map((change) => change.zoho_id)).toEqual([ids[0], ids[209]])
  }
})

test('deleted records are missing from a batch, and an unreadable record is one of its problems', async () => {
  const ids = await lender.createMany('Leads', [
    { Last_Name: 'Readable', LOID: ' lo-test9999 ', Description: 'x\u0000y', Lead_Status: '-None-' },
    { Last_Name: 'Gone' },
  ])
  await lender.remove('Leads', ids[1] ?? '')
  const batch = await crm.getLeads([...ids, '5400000000000000001'])
  expect(batch).toMatchObject({ records: [{ zoho_id: ids[0], description: 'xy', lead_status: null }], problems: [] })

  // In another organisation, a field that is an amount here can hold text.
  const odd = open({ fieldMap: parseFieldMap('{"leads":{"fields":{"loan_amount":"Last_Name","last_name":"Fax"}}}') })
  expect(await odd.getLeads(ids)).toEqual({
    records: [],
    problems: [{ zoho_id: ids[0], reason: 'Last_Name is not a number or is too large' }],
  })
  expect(await crm.getLeads([])).toEqual({ records: [], problems: [] })
})

test.each(['204', '404', '400'])('a record that does not exist is null (Zoho answers %s)', async (getMissing) => {
  await lender.behaviour({ getMissing })
  expect(await findLead('5400000000000000001')).toBeNull()
  expect(await findDeal('5400000000000000001')).toBeNull()
  expect(await findDeal('not-an-id')).toBeNull()
})

test.each(['display', 'actual'])(
  'a renamed status or stage has its present name (records contain the %s value)',
  async (recordsShow) => {
    await lender.behaviour({ recordsShow })
    const lead = await lender.create('Leads', { Last_Name: 'R', Lead_Status: 'New Lead', Partner: { id: partner } })
    await lender.update('Leads', lead, { Lead_Status: 'Attempting To Contact' })
    expect((await findLead(lead))?.lead_status).toBe('Attempting To Contact')
    expect((await crm.leadStatusHistory({ zoho_id: lead, lead_status: null })).map((entry) => entry.value)).toEqual([
      'New Lead',
      'Attempting To Contact',
    ])
    const deal = await lender.create('Deals', { Deal_Name: 'D', Stage: 'Pending Approval' })
    const found = await findDeal(deal)
    expect(found?.stage).toBe('Pending Approval')
    expect(found && (await crm.dealStageHistory(found)).map((entry) => entry.value)).toEqual(['Pending Approval'])
  },
)

test('lists of statuses and stages have the CRM’s order and names, and the sandbox has those of the specification', async () => {
  expect(await crm.leadStatuses()).toEqual([...LEAD_STATUSES])
  expect(await crm.dealStages()).toEqual(expect.arrayContaining([...DEAL_STAGES]))
})

test('a converted lead names its deal', async () => {
  const lead = newLead()
  const { zoho_id } = await crm.pushLead(lead)
  const deal = await lender.convert(zoho_id, { Deal_Name: 'Okafor – trucks', Amount: 140_000 })
  expect(await findLead(zoho_id)).toMatchObject({ is_converted: true, converted_deal_zoho_id: deal })
  expect(await findDeal(deal)).toMatchObject({
    loid: lead.loid,
    partner_zoho_id: partner,
    deal_name: 'Okafor – trucks',
    business_name: lead.business_name,
    contact_name: 'Nkem Okafor',
    amount: 140_000,
    closing_date: '2027-01-31',
    stage: 'Information Received',
  })
})

test('a lead’s history begins with its first status, however the timeline writes an empty value', async () => {
  await lender.behaviour({ timelineEmptyOldValue: 'blank', timelineShowsNotes: true, timesOffset: '-05:30' })
  const { zoho_id } = await crm.pushLead(newLead())
  expect(await crm.leadStatusHistory({ zoho_id, lead_status: 'New Lead' })).toMatchObject([{ value: 'New Lead' }])
  await lender.addNote('Leads', zoho_id, { content: 'No change of status' })
  await lender.update('Leads', zoho_id, { Lead_Status: 'Contacted' })
  await lender.update('Leads', zoho_id, { Loan_Amount: 1 })
  await lender.update('Leads', zoho_id, { Lead_Status: 'Pre Qualified' })
  const history = await crm.leadStatusHistory({ zoho_id, lead_status: 'Pre Qualified' })
  expect(history.map((entry) => entry.value)).toEqual(['New Lead', 'Contacted', 'Pre Qualified'])
  expect(new Set(history.map((entry) => entry.entry_id)).size).toBe(3)
  for (const entry of history) expect(Math.abs(Date.parse(entry.changed_time) - Date.now())).toBeLessThan(60_000)

  const blank = await lender.create('Leads', { Last_Name: 'Blank' })
  await lender.update('Leads', blank, { Lead_Status: 'Contacted' })
  expect((await crm.leadStatusHistory({ zoho_id: blank, lead_status: 'Contacted' })).map((one) => one.value)).toEqual([
    'Contacted',
  ])
})

test.each(['entry', 'exit'])(
  'the history has the time at which the deal entered each stage (Zoho gives the time of %s)',
  async (stageHistoryTime) => {
    await lender.behaviour({ stageHistoryTime, stageHistoryOnAmountEdit: true })
    const deal = await lender.create('Deals', { Deal_Name: 'D', Stage: 'Information Received' })
    await lender.behaviour({ clockShiftSeconds: 100 })
    await lender.update('Deals', deal, { Amount: 5_000 })
    await lender.update('Deals', deal, { Stage: 'Approved' })
    await lender.behaviour({ clockShiftSeconds: 250 })
    await lender.update('Deals', deal, { Stage: 'Funded' })
    const found = await findDeal(deal)
    const start = Date.parse(found?.created_at ?? '')
    const history = found ? await crm.dealStageHistory(found) : []
    expect(history.map((entry) => entry.value)).toEqual(['Information Received', 'Approved', 'Funded'])
    const seconds = history.map((entry) => (Date.parse(entry.changed_time) - start) / 1_000)
    for (const [index, expected] of [0, 100, 250].entries()) {
      expect(Math.abs((seconds[index] ?? -1) - expected)).toBeLessThanOrEqual(5)
    }
  },
)

test('the histories of many deals take one query for every fifty, and a call each where queries do not give them', async () => {
  const ids = await lender.createMany(
    'Deals',
    Array.from({ length: 60 }, (_, number) => ({ Deal_Name: `D${number}`, Stage: 'Information Received' })),
  )
  for (const id of ids.slice(0, 3)) await lender.update('Deals', id, { Stage: 'Approved' })
  const { records } = await crm.getDeals(ids)
  const asked = async (of: Crm) => {
    const before = (await lender.calls()).by_kind
    const told = await of.dealStageHistories(records)
    const after = (await lender.calls()).by_kind
    const list = Object.keys(after).find((kind) => kind.endsWith('/Stage_History')) ?? ''
    const calls = ['POST /crm/v8/coql', list].map((kind) => (after[kind] ?? 0) - (before[kind] ?? 0))
    return { told, calls }
  }
  const one = open()
  const { told, calls } = await asked(one)
  // One deal's own list is read too, to see whether both have the same entries.
  expect(calls).toEqual([2, 1])
  expect((await asked(one)).calls).toEqual([2, 0])
  for (const deal of records.slice(0, 5)) {
    expect(told.get(deal.zoho_id)).toEqual(await crm.dealStageHistory(deal))
  }
  expect(told.size).toBe(60)

  await lender.behaviour({ coqlKnowsDealHistory: false })
  const other = open()
  expect(await asked(other)).toEqual({ told: new Map(), calls: [1, 0] })
  expect((await asked(other)).calls).toEqual([0, 0])
})

test('more than a hundred records created in the CRM get LOIDs, and converted leads are skipped', async () => {
  const ids = await lender.createMany(
    'Leads',
    Array.from({ length: 120 }, () => ({ Last_Name: 'Born there' })),
  )
  await lender.convert(ids[0] ?? '')
  await crm.setLoids(
    'Leads',
    ids.map((zoho_id, index) => ({ zoho_id, loid: `LO-BRN0${String(index).padStart(4, '0')}` })),
  )
  const { records } = await crm.getLeads(ids)
  expect(records.filter((one) => one.loid !== null)).toHaveLength(119)
})

test('a call is tried again after 429 or 5xx, and an outage ends in CrmUnavailable', async () => {
  await crm.leadStatuses()
  await lender.faults({ tooMany: { times: 2, retryAfterSeconds: 0 } })
  expect(await versionsOf('Leads')).toEqual([])
  await lender.faults({ failEvery: { n: 2 } })
  expect(await versionsOf('Leads')).toEqual([])
  await lender.faults({ outage: 'status' })
  await expect(versionsOf('Leads')).rejects.toThrow(CrmUnavailable)
  await lender.faults({ outage: 'socket' })
  await expect(versionsOf('Leads')).rejects.toThrow(CrmUnavailable)
})

test('the client waits as long as Retry-After says, but a long wait ends in CrmUnavailable', async () => {
  await crm.leadStatuses()
  await lender.faults({ tooMany: { times: 1, retryAfterSeconds: 1 } })
  const startedAt = performance.now()
  await versionsOf('Leads')
  expect(performance.now() - startedAt).toBeGreaterThan(990)
  await lender.faults({ tooMany: { times: 1, retryAfterSeconds: 3_600 } })
  await expect(versionsOf('Leads')).rejects.toThrow(CrmUnavailable)
})

test('a caller’s timeout ends in CrmUnavailable, and a caller’s abort ends with the reason that the caller gave', async () => {
  await crm.leadStatuses()
  await lender.faults({ slowMs: 5_000 })
  await expect(versionsOf('Leads', { signal: AbortSignal.timeout(50) })).rejects.toThrow(CrmUnavailable)
  const stop = new AbortController()
  const call = versionsOf('Leads', { signal: stop.signal })
  stop.abort(new Error('stopping'))
  await expect(call).rejects.toThrow('stopping')
})

test('no more than ten calls run at once, and each is counted', async () => {
  await lender.behaviour({ concurrentCallsMax: 10, subConcurrentCallsMax: 10 })
  await lender.faults({ slowMs: 20 })
  const before = crm.callsUsed()
  await Promise.all(Array.from({ length: 30 }, () => versionsOf('Deals')))
  expect(crm.callsUsed() - before).toBe(30)
})

test('processes share one token, and renew it before it expires', async () => {
  const others = [open(), open(), open()]
  await Promise.all([crm, ...others].map((one) => versionsOf('Deals', { of: one })))
  const rows = await database.db.selectFrom('crm_tokens').selectAll().execute()
  expect(rows).toHaveLength(1)
  now = new Date(now.getTime() + 54 * 60_000)
  await versionsOf('Deals')
  expect(await database.db.selectFrom('crm_tokens').select('access_token').execute()).toEqual([
    { access_token: rows[0]?.access_token },
  ])
  now = new Date(now.getTime() + 2 * 60_000)
  await Promise.all([crm, ...others].map((one) => versionsOf('Deals', { of: one })))
  const renewed = await database.db.selectFrom('crm_tokens').select('access_token').execute()
  expect(renewed).toHaveLength(1)
  expect(renewed[0]?.access_token).not.toBe(rows[0]?.access_token)
  expect(lines.join('')).not.toContain(renewed[0]?.access_token)
})

test('a token that Zoho no longer accepts is renewed, and errors name a revoked grant or a missing scope', async () => {
  await versionsOf('Deals')
  await lender.faults({ tokenExpired: true })
  await Promise.all(Array.from({ length: 5 }, () => versionsOf('Deals')))
  await lender.faults({ tokenExpired: true, refreshTokenRevoked: true })
  await expect(versionsOf('Deals')).rejects.toThrow(/invalid_code/)
  const asked = async () => {
    const calls = await fetch(`${sandbox.url}/sandbox/calls`)
    return Number(/"token_calls":(\d+)/.exec(await calls.text())?.[1])
  }
  const before = await asked()
  for (let time = 0; time < 5; time++) await expect(versionsOf('Deals')).rejects.toThrow(/invalid_code/)
  expect(await asked()).toBe(before)
  now = new Date(now.getTime() + 61_000)
  await expect(versionsOf('Deals')).rejects.toThrow(/invalid_code/)
  expect(await asked()).toBe(before + 1)
  await lender.faults({ scopeMismatch: { every: 1 } })
  await expect(versionsOf('Deals', { of: open() })).rejects.toThrow(/OAUTH_SCOPE_MISMATCH/)
})

test.each(['200', '400'])(
  'after a throttled sign-in (HTTP %s), no process signs in for a quarter of an hour',
  async (tokenThrottleStatus) => {
    await lender.behaviour({ tokenThrottleStatus })
    for (let count = 0; count < 10; count++) {
      await database.db.deleteFrom('crm_tokens').execute()
      await open()
        .apiDomain()
        .catch(() => undefined)
    }
    await database.db.deleteFrom('crm_tokens').execute()
    await expect(versionsOf('Deals')).rejects.toThrow(/Access Denied/)
    await lender.behaviour({ tokenThrottle: false })
    now = new Date(now.getTime() + 14 * 60_000)
    for (const process of [crm, open()]) await expect(versionsOf('Deals', { of: process })).rejects.toThrow(/wait/)
    now = new Date(now.getTime() + 2 * 60_000)
    expect(await versionsOf('Deals')).toEqual([])
  },
)

test('a data centre that refuses its own tokens is not asked for a new token at every call', async () => {
  let tokens = 0
  const elsewhere = createServer((request, response) => {
    if (request.url === '/oauth/v2/token') response.end(JSON.stringify({ access_token: `token-${++tokens}` }))
    else response.writeHead(401).end('{"code":"INVALID_TOKEN"}')
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  const { port } = elsewhere.address() as AddressInfo // the server listens on a port, which the type cannot express
  const url = `http://127.0.0.1:${port}`
  const wrong = open({ settings: { ...settings(), accountsUrl: url, apiUrl: url } })
  for (let i = 0; i < 10; i++) await expect(versionsOf('Deals', { of: wrong })).rejects.toThrow(CrmUnavailable)
  elsewhere.close()
  expect(tokens).toBeLessThanOrEqual(4)
})

test('an API address that is neither Zoho’s nor the configured address gets no token', async () => {
  const elsewhere = open({ settings: { ...settings(), apiUrl: 'https://www.zohoapis.com.au' } })
  await expect(elsewhere.apiDomain()).rejects.toThrow(CrmUnavailable)
  expect(await crm.apiDomain()).toBe(sandbox.url)
})

test('the client names the fields that the organisation lacks', async () => {
  expect(await crm.missingFields()).toEqual([])
  const json = '{"partners":{"module":"Brokers"},"leads":{"fields":{"brand":"Brand_Name"}}}'
  const missing = await open({ fieldMap: parseFieldMap(json) }).missingFields()
  expect(missing).toEqual([
    'Brokers.Name',
    'Brokers.Email',
    'Brokers.First_Name',
    'Brokers.Last_Name',
    'Brokers.Phone',
    'Leads.Brand_Name',
  ])
})

test.each(['each', 'all-or-none'])(
  'the client makes the fields that the organisation lacks (Zoho’s rule for several fields: %s)',
  async (fieldsMade) => {
    await lender.behaviour({ fieldsMade })
    const lacking = ['Leads.LOID', 'Leads.Partner', 'Leads.Loan_Type', 'Leads.Loan_Amount', 'Deals.LOID']
    for (const name of [...lacking, 'Partners.Phone', 'Leads.Owns_Property', 'Leads.Loan_Purpose']) {
      const [module = '', field = ''] = name.split('.')
      await lender.removeField(module, field)
    }
    expect(await crm.missingFields()).toEqual(expect.arrayContaining(lacking))
    const { made, problems } = await crm.makeMissingFields([])
    expect([made.length, problems]).toEqual([8, []])
    expect(await crm.makeMissingFields([])).toEqual({ made: [], problems: [] })

    const lead = newLead()
    const { zoho_id } = await crm.pushLead(lead)
    expect(await crm.pushLead(lead)).toMatchObject({ zoho_id })
    expect(await findLead(zoho_id)).toMatchObject({
      loid: lead.loid,
      partner_zoho_id: partner,
      loan_type: lead.loan_type,
      loan_amount: lead.loan_amount,
      loan_purpose: lead.loan_purpose,
      owns_property: true,
    })
  },
)

test('the client names the fields that cannot be made, with the reason', async () => {
  const fieldMap = parseFieldMap(
    '{"leads":{"fields":{"email":"E_Mail","loan_type":"Own_Phone"}},"partners":{"module":"Gone"}}',
  )
  const { made, problems } = await open({ fieldMap }).makeMissingFields([])
  expect(made).toEqual(['Leads.Own_Phone'])
  expect(problems).toEqual(
    expect.arrayContaining([
      { field: 'Leads.E_Mail', reason: expect.stringContaining('CRM_FIELD_MAP') },
      { field: 'Gone.Email', reason: expect.stringContaining('INVALID_MODULE') },
    ]),
  )
})

test('the organisation’s name, time zone and currency are read', async () => {
  expect(await crm.organisation()).toEqual({
    id: expect.stringMatching(/^\d+$/),
    name: expect.any(String),
    timezone: 'Australia/Brisbane',
    currency: 'AUD',
  })
})

const wrong = async () =>
  Object.fromEntries((await open().check()).flatMap((one) => (one.isWrong ? [[one.name, one.says]] : [])))

test('the check of a working connection finds nothing wrong and changes nothing', async () => {
  const before = await lender.list('Leads', 'LOID')
  expect(await wrong()).toEqual({})
  expect(await lender.list('Leads', 'LOID')).toEqual(before)
})

test.each([
  [{ scopesMissing: ['ZohoSearch.securesearch.READ'] }, 'Search', 'ZohoSearch.securesearch.READ'],
  [{ scopesMissing: ['ZohoCRM.coql.READ'] }, 'Queries', 'ZohoCRM.coql.READ'],
  [{ scopesMissing: ['ZohoCRM.notifications.ALL'] }, 'Notifications', 'ZohoCRM.notifications.ALL'],
  [{ scopesMissing: ['ZohoCRM.org.READ'] }, 'Organisation', 'ZohoCRM.org.READ'],
  [{ loidUnique: false }, 'LOID', 'Duplicates are allowed in Leads.LOID and Deals.LOID'],
  [
    { conversionMapsLoidAndPartner: false },
    'Conversion',
    'Not copied when a lead becomes a deal: LOID to LOID, Partner to Partner.',
  ],
  [{ conversionLoses: ['Loan_Amount', 'Phone'] }, 'Conversion', 'Phone to Phone, Loan_Amount to Amount. Map them'],
  [{ fieldsMandatory: ['Leads.Description'] }, 'Mandatory fields', 'does not always send: Leads.Description.'],
  [{ choicesMissing: ['Leads.Lead_Status.New Lead'] }, 'Picklists', 'Leads.Lead_Status lacks New Lead'],
  [{ taskStatuses: 'own' }, 'Tasks', 'Tasks.Status lacks In Progress and Completed, so the portal'],
  [{ fileStorageBytesMax: 0 }, 'Documents', 'The Free edition of Zoho has no room for files'],
])('the check names what is wrong: %o', async (switches, name, words) => {
  await lender.behaviour(switches)
  expect(await wrong()).toEqual({ [name]: expect.stringContaining(words) })
})

test.each([
  [{}, 'Email', /^may be that of several leads/],
  [{ leadEmailUnique: true }, 'Email', /^is unique in Leads, so the email .* description/],
  [{}, 'Documents', /taken and given, but not listed for all records at once/],
  [{ attachmentsOfOrganisation: 'listed' }, 'Documents', /and listed for all records at once/],
  [{}, 'Tasks', /can be read and set to ‘In Progress’.*; ‘Completed’ accepts an answer$/],
  [{ taskStatuses: 'renamed' }, 'Tasks', /set to ‘Under way’.*; ‘Done’ accepts an answer$/],
  [{ coqlKnowsTasks: false }, 'Tasks', /not needed: queries of tasks, queries of a record’s tasks$/],
  [{ coqlFindsTasksByRecord: false }, 'Tasks', /not needed: queries of a record’s tasks$/],
  [{ tasksDeletedListed: false }, 'Tasks', /not needed: the list of deleted tasks$/],
])('the check says what the organisation gives: %o', async (switches, name, words) => {
  await lender.behaviour(switches)
  expect(await open().check()).toContainEqual({ name, says: expect.stringMatching(words), isWrong: false })
})

test('an organisation names its own statuses of tasks; where it does not, tasks keep theirs and none counts as accepted', async () => {
  await lender.behaviour({ taskStatuses: 'own' })
  const json = '{"tasks":{"statuses":{"sent":"With us","accepted":"Finished"}}}'
  const named = open({ fieldMap: parseFieldMap(json) })
  const lead = await lender.create('Leads', { Last_Name: 'Rivera' })
  const id = await lender.create('Tasks', { Subject: 'Lease', Status: 'To do', What_Id: { id: lead } })
  await open().beginTask(id)
  expect(await lender.read('Tasks', id)).toMatchObject({ Status: 'To do' })
  await named.beginTask(id)
  expect(await lender.read('Tasks', id)).toMatchObject({ Status: 'With us' })
  expect(await named.getTasks([id])).toMatchObject([{ status: 'In Progress', is_completed: false }])
  await lender.update('Tasks', id, { Status: 'Finished' })
  expect(await named.getTasks([id])).toMatchObject([{ is_completed: true }])
  expect(await open().getTasks([id])).toMatchObject([{ status: 'Finished', is_completed: false }])
  expect((await named.check()).find(({ name }) => name === 'Tasks')).toMatchObject({ isWrong: false })
})

test.each([
  ['POST /crm/v8/Leads/1/Attachments', 'Documents'],
  ['PUT /crm/v8/Tasks', 'Tasks'],
])('if the portal may not call %s, the check names the missing scope', async (match, name) => {
  await lender.faults({ scopeMismatch: { times: 1, match } })
  expect(await wrong()).toEqual({ [name]: expect.stringContaining('ZohoCRM.modules.ALL') })
})

test('the trial lead is made and deleted again, and a refusal of it is told', async () => {
  await lender.behaviour({ workflowOnCreation: true })
  const since = new Date(Date.now() - 60_000).toISOString()
  expect(await open().tryInsert()).toMatchObject({ isWrong: false, says: expect.stringContaining('recycle bin') })
  const deleted: string[] = []
  for await (const page of crm.deletionsOfAllPartners('Leads', since)) deleted.push(...page.map((one) => one.zoho_id))
  const [trial = ''] = deleted
  await lender.restore(trial)
  // No workflow has touched it.
  expect(await lender.read('Leads', trial)).toMatchObject({ Lead_Status: 'New Lead' })
  await lender.remove('Leads', trial)
  await lender.behaviour({ workflowOnCreation: null })
  expect((await lender.list('Leads', 'Company')).filter((lead) => /Trial/.test(String(lead['Company'])))).toEqual([])
  await lender.behaviour({ fieldsMandatory: ['Leads.Description'] })
  expect(await open().tryInsert()).toMatchObject({
    isWrong: true,
    says: expect.stringContaining('The CRM requires Description, which is empty. New leads wait'),
  })
  await lender.behaviour({ fieldsMandatory: null, rulesRefuse: ['Leads.Loan_Amount'] })
  expect(await open().tryInsert()).toMatchObject({
    isWrong: true,
    says: expect.stringMatching(/Loan Amount.* refuses the record\. New leads wait/),
  })
})

test.each([
  [
    'a missing module',
    () => open({ fieldMap: parseFieldMap('{"partners":{"module":"Gone"}}') }),
    'Modules',
    /^Gone is missing\. Make a module with this API name .* or name yours in CRM_FIELD_MAP/,
  ],
  [
    'a wrong client secret',
    () => open({ settings: { ...settings(), clientSecret: 'wrong' } }),
    'Organisation',
    /ZOHO_CLIENT_ID or ZOHO_CLIENT_SECRET is wrong, or the client belongs to another data centre/,
  ],
])('the check of %s stops there and says what to do', async (_, openWrong, name, advice) => {
  await database.pool.query('delete from crm_tokens')
  const checks = await openWrong().check()
  expect(checks.at(-1)).toEqual({ name, says: expect.stringMatching(advice), isWrong: true })
  await database.pool.query('delete from crm_tokens')
})

test.each([
  [
    'a revoked grant',
    { refreshTokenRevoked: true },
    /ZOHO_REFRESH_TOKEN was revoked, or belongs to another data centre/,
  ],
  ['a throttled sign-in', { tokensDenied: true }, /Wait a quarter of an hour/],
  ['a restricted address', { outage: 'address' }, /HTTP 403 with a page .* Allowed IPs/],
  ['a retired version', { failEvery: { n: 1, status: 410 } }, /Install a newer version of the portal/],
  ['an ended licence', { failEvery: { n: 1, status: 403, code: 'LICENSE_EXPIRED' } }, /licence of Zoho has ended/],
  ['a CRM that is away', { unavailable: { every: 1 } }, /does not answer .* Its last answer was: HTTP 503/],
  [
    'a throttle',
    { tooMany: { every: 1, retryAfterSeconds: 120 } },
    /answers HTTP 429 and asks for a pause until \d\d:\d\d:\d\d UTC/,
  ],
])('the check of %s stops at the first failure and says what to do', async (_, faults, advice) => {
  await lender.faults(faults)
  await database.pool.query('delete from crm_tokens')
  const checks = await open().check()
  expect(checks).toEqual([{ name: 'Organisation', says: expect.stringMatching(advice), isWrong: true }])
  await lender.faults({})
  await database.pool.query('delete from crm_tokens')
})

test('if the portal may not write, the check names the missing scope', async () => {
  await lender.faults({ scopeMismatch: { times: 1, match: 'PUT /crm/v8/Partners' } })
  expect(await wrong()).toEqual({ Writing: expect.stringContaining('ZohoCRM.modules.ALL') })
})

test('calls and credits of all processes in the last 24 hours are counted together, by Zoho’s prices', async () => {
  const [first, second] = [open(), open()]
  const before = await first.usage()
  const zohoBefore = await lender.calls()
  await first.organisation()
  await first.countLeads(partner)
  await first.close()
  for await (const _ of second.deletionsOfAllPartners('Leads', new Date().toISOString())) break
  const after = await second.usage()
  const zoho = await lender.calls()
  expect(after.credits - before.credits).toBe(zoho.credits_used - zohoBefore.credits_used)
  expect(after.calls - before.calls).toBe(zoho.total - zohoBefore.total)
  expect(after.credits).toBeGreaterThan(after.calls)
  await second.close()
  now = new Date(now.getTime() + 25 * 3_600_000)
  expect(await first.usage()).toMatchObject({ calls: 0, credits: 0 })
})

test('below a tenth of the day’s credits, reading stops and pushes continue in every process', async () => {
  // Zoho reports the remaining credits only after half of the day's credits are used.
  await lender.behaviour({ creditsPerDay: 100 })
  const other = open({ creditsPerDay: 100 })
  for (let call = 0; call < 92; call++) await lender.watches()
  const pusher = open({ creditsPerDay: 100 })
  await pusher.pushDeal(newDeal())
  expect((await pusher.usage()).creditsLeft).toBeLessThan(10)

  await expect(other.countLeads(partner)).rejects.toThrow('nearly used up')
  expect(await other.pushDeal(newDeal())).toMatchObject({ zoho_id: expect.any(String) })
})

test('once the day’s credits are used up, a call says so at once', async () => {
  await versionsOf('Leads')
  await lender.behaviour({ creditsPerDay: 1 })
  const startedAt = performance.now()
  await expect(crm.pushDeal(newDeal())).rejects.toThrow('Today’s calls to the CRM are used up')
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

test('if an answer does not say how many credits are left, an earlier number is forgotten, even if it could not be saved', async () => {
  const limits = openSharedLimits({ creditsPerDay: 100, db: database.db, clock: { now: () => now }, log })
  limits.told(5)
  await database.pool.query('alter table crm_calls rename to crm_calls_away')
  const failing = limits.usage()
  limits.told(null)
  await failing
  await database.pool.query('alter table crm_calls_away rename to crm_calls')
  expect((await limits.usage()).creditsLeft).toBeNull()
  await limits.close()
})

test('while other calls are under way, the background makes one call at a time, and then all of its calls', async () => {
  await versionsOf('Leads')
  await lender.faults({ slowMs: 50 })
  let ended = 0
  const background = Array.from({ length: 20 }, () => asBackground(() => crm.organisation()).then(() => (ended += 1)))
  for (let count = 0; count < 10; count++) await versionsOf('Leads')
  // One at a time they end about as often as the calls of the others; together they would all have ended long ago.
  expect(ended).toBeGreaterThan(2)
  expect(ended).toBeLessThan(18)
  await Promise.all(background)
  expect(ended).toBe(20)
})

test('of the calls that wait, those of opened records go first, then pushes, notifications and the sweep', async () => {
  await versionsOf('Leads')
  await lender.faults({ slowMs: 100 })
  const ended: string[] = []
  const waiting = (
    [
      ['under way', (work) => work()],
      ['sweep', asSweep],
      ['notified', asNotified],
      ['push', (work) => work()],
      ['opened', asOpened],
    ] satisfies [string, (work: () => Promise<unknown>) => Promise<unknown>][]
  ).flatMap(([name, inTurn]) =>
    Array.from({ length: 10 }, () => inTurn(() => crm.organisation()).then(() => ended.push(name))),
  )
  await Promise.all(waiting)
  const turns = ended.filter((name, index) => name !== ended[index - 1])
  expect(turns).toEqual(['under way', 'opened', 'push', 'notified', 'sweep'])
})

test('processes that call the CRM share the limit of simultaneous calls', async () => {
  const [first, second] = [open(), open()]
  await Promise.all([first.organisation(), second.organisation()])
  await Promise.all([first.usage(), second.usage()])
  await lender.behaviour({ concurrentCallsMax: 10, subConcurrentCallsMax: 10 })
  await lender.faults({ slowMs: 20 })
  const [before, beforeOther] = [first.callsUsed(), second.callsUsed()]
  await Promise.all([first, second].flatMap((one) => Array.from({ length: 20 }, () => one.organisation())))
  expect([first.callsUsed() - before, second.callsUsed() - beforeOther]).toEqual([20, 20])
})
