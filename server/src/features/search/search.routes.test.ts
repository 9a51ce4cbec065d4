import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LINES } from '../../platform/db/search-columns.ts'
import { keyLargePartners } from '../../records/kinds/key-large-partners.job.ts'
import { comparedColumns } from '../../testing/compared-columns.ts'
import { insertDeal } from '../../testing/insert-deal.ts'
import { insertNewerDeals, insertNewerLeads } from '../../testing/insert-many.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'

/** These tests need no background jobs. */
const env = { ROLE: 'web' }

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ env })
})
afterAll(() => portal[Symbol.asyncDispose]())

interface Found {
  leads: { loid: string; business_name: string }[]
  deals: { loid: string; business_name: string; contact_person: string | null }[]
  total_leads: number
  total_deals: number
}

async function search(partner: TestPartner, q: string, more = ''): Promise<Found> {
  const { status, body } = await partner.get(`/crm/search?q=${encodeURIComponent(q)}${more}`)
  expect([q, status, body.error]).toEqual([q, 200, undefined])
  return body.data
}

test('GET /crm/search returns the leads and deals in which every word of the query occurs', async () => {
  const partner = await portal.newPartner()
  const lead = await partner.submitLead({
    businessName: 'Harbour Cafe',
    email: 'ng@cafe.example',
    businessIndustry: 'Hospitality',
    loanType: 'Line of Credit',
  })
  const deal = await insertDeal(portal.deps.db, partner.id, {
    business_name: 'Harbour Freight',
    contact_name: 'Ana Ng',
    loan_type: 'Line of Credit',
  })
  const hits = async (q: string, more?: string) => {
    const { leads, deals, total_leads, total_deals } = await search(partner, q, more)
    expect([total_leads, total_deals]).toEqual([leads.length, deals.length])
    return [leads.map(({ loid }) => loid), deals.map(({ loid }) => loid)]
  }
  expect(await hits('harbour')).toEqual([[lead.loid], [deal.loid]])
  expect(await hits('  HARBOUR   credit ')).toEqual([[lead.loid], [deal.loid]])
  expect(await hits('credit harbour hospitality')).toEqual([[lead.loid], []])
  expect(await hits('harbour cafe freight')).toEqual([[], []])
  expect(await hits('ana ng')).toEqual([[], [deal.loid]])
  expect(await hits('harbour', '&type=leads')).toEqual([[lead.loid], []])
  expect(await hits('harbour', '&type=deals')).toEqual([[], [deal.loid]])
  expect(await hits('harbour', '&type=lead')).toEqual([[lead.loid], []])
  expect(await hits('harbour', '&type=deal')).toEqual([[], [deal.loid]])
  for (const both of ['&type=', '&type=all']) expect(await hits('harbour', both)).toEqual([[lead.loid], [deal.loid]])
  expect(await hits(deal.loid.replace('-', '').toLowerCase())).toEqual([[], [deal.loid]])
  expect(await hits('%')).toEqual([[], []])

  // A list shows the same matches if it is asked to look in the same columns.
  for (const list of ['leads', 'deals'])
    for (const [searchIn, total] of [
      ['all', 1],
      ['list', 0],
    ]) {
      const { body } = await partner.get(`/dashboard/${list}?search=credit&searchIn=${searchIn}`)
      expect([list, searchIn, body.pagination.total]).toEqual([list, searchIn, total])
    }
  expect((await search(partner, 'ana')).deals[0]?.contact_person).toBe('Ana Ng')
})

/** Twelve names as leads have them, and how people type, paste and translate them. */
const SPELLINGS: [string, string[]][] = [
  [
    'Ngāti Whātua Ōrākei',
    ['Ngati Whatua Orakei', 'NGĀTI WHĀTUA', 'ngāti'.normalize('NFD'), '“Ngati Whatua”', 'Orakei'],
  ],
  ['Otaki Motors', ['Ōtaki', 'ŌTAKI MOTORS', 'ｏｔａｋｉ']],
  ["O'Brien Haulage", ['O’Brien', 'OBrien', 'OʼBRIEN haulage', "'O`Brien'"]],
  ['D’Angelo Café', ["D'Angelo Cafe", 'dangelo café'.normalize('NFD'), 'DANGELO CAFÉ', '«D’Angelo»']],
  ['Smith–Jones Transport', ['Smith-Jones', 'Smith Jones', 'smith‑jones', 'Smith/Jones', 'Smith — Jones Transport']],
  ['Müller & Groß GmbH', ['Muller', 'GROSS', 'müller'.normalize('NFD'), 'groẞ']],
  ['Łukasz Bjørn Pty. Limited', ['Lukasz Bjorn', 'Łukasz Bjørn P/L', 'lukasz pty ltd', 'limit']],
  ['Harbour Freight P/L', ['Harbour Freight Pty Ltd', 'harbour freight pty. limited', 'Harbour Proprietary Limited']],
  ['Đặng Nguyễn Foods', ['Dang Nguyen', 'ĐẶNG NGUYỄN', 'nguyễn'.normalize('NFD')]],
  ['Zero\u200bWidth Co', ['ZeroWidth', 'zerowidth\ufeff']],
  ['Ａｃｍｅ　Ｔｙｒｅｓ', ['Acme Tyres', '"acme tyres"']],
  ['مُحَمَّد Trading', ['محمد']],
]

test('search and the lists’ search box find a LOID as people write, paste and say it', async () => {
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  const deal = await submitDeal(partner, 'Saltbush')
  for (const [list, one] of [
    ['leads', loid],
    ['deals', deal],
  ] as const) {
    const code = one.slice(3)
    const halves = `${code.slice(0, 4)} ${code.slice(4)}`
    const spoken = code.replaceAll('0', 'O').replaceAll('1', 'l')
    for (const q of [
      `LOID: lo‑${halves.toLowerCase()}`,
      `(LO-${code})`,
      `LO–${code}.`,
      `lo ${halves}`,
      `“LO-${code}”`,
      `L0-${spoken}`,
      `Loid LO-${code}, please`,
    ]) {
      expect([q, (await search(partner, q))[list].map((row) => row.loid)]).toEqual([q, [one]])
      const asked = await partner.get(`/dashboard/${list}?search=${encodeURIComponent(q)}`)
      expect([q, asked.body.data[list].map((row: { loid: string }) => row.loid)]).toEqual([q, [one]])
    }
  }
})

test('search and the lists’ search box find a name in every spelling that people see as the same', async () => {
  const partner = await portal.newPartner()
  expect(SPELLINGS.flatMap(([, typed]) => typed)).toHaveLength(40)
  for (const [businessName, typed] of SPELLINGS) {
    const { loid } = await partner.submitLead({ businessName, firstName: 'Q', lastName: 'Q', email: 'q@q.example' })
    const deal = await submitDeal(partner, businessName)
    for (const q of typed) {
      const found = await search(partner, q)
      expect([q, found.leads.map((row) => row.loid)]).toEqual([q, [loid]])
      expect([q, found.deals.map((row) => row.loid)]).toEqual([q, [deal]])
      const asked = `search=${encodeURIComponent(q)}`
      expect([q, (await partner.get(`/dashboard/leads?${asked}`)).body.data.leads[0]?.loid]).toEqual([q, loid])
      expect([q, (await partner.get(`/dashboard/deals?${asked}`)).body.data.deals[0]?.loid]).toEqual([q, deal])
    }
  }
})

async function submitDeal(partner: TestPartner, businessName: string): Promise<string> {
  const { status, body } = await partner.post('/webhook/deal', {
    deal_name: 'Q',
    business_name: businessName,
    email: 'q@q.example',
    amount: 1,
  })
  expect([status, body.error]).toEqual([201, undefined])
  return body.data.loid
}

test('a lead is found by any name as it is written, in NFD, in capitals and without its marks, however many are newer', async () => {
  const partner = await portal.newPartner()
  const letters = fc.constantFrom(...Array.from('aāäåßéêiıłmñøōprsşuvžœłαάςяйёאبمحक्षि한中ア'.normalize('NFC')))
  const names = fc.sample(fc.array(letters, { minLength: 4, maxLength: 12 }), { numRuns: 12, seed: 7 })
  const loids = new Map<string, string>()
  for (const name of new Set(names.map((all) => all.join('')))) {
    loids.set(name, (await partner.submitLead({ businessName: `Q ${name}` })).loid)
  }
  await insertNewerLeads(portal.deps, partner.id, 1_002)
  await keyLargePartners.run(portal.deps, {}, new AbortController().signal)
  for (const [name, loid] of loids) {
    const plain = name.normalize('NFD').replace(/\p{M}/gu, '')
    for (const q of [name, name.normalize('NFD'), name.toUpperCase(), plain]) {
      expect([q, (await search(partner, q)).leads.map((row) => row.loid)]).toEqual([q, expect.arrayContaining([loid])])
    }
  }
})

test('GET /crm/search returns at most fifty leads and fifty deals, newest first, and the total number of each', async () => {
  const partner = await portal.newPartner()
  for (let i = 0; i < 52; i++) {
    await insertDeal(portal.deps.db, partner.id, { business_name: `Many ${i}` })
    await partner.submitLead({ businessName: `Many ${i}` })
  }
  const found = await search(partner, 'many')
  expect([found.total_leads, found.total_deals]).toEqual([52, 52])
  expect([found.leads.length, found.deals.length]).toEqual([50, 50])
  expect(found.leads[0]?.business_name).toBe('Many 51')
  expect((await partner.get('/crm/search?q=many&limit=51')).status).toBe(400)
  const second = await search(partner, 'many', '&page=2&limit=50')
  expect([second.leads, second.deals].map((rows) => rows.map(({ business_name }) => business_name))).toEqual([
    ['Many 1', 'Many 0'],
    ['Many 1', 'Many 0'],
  ])
})

test('a change by a version that does not know a searched column makes the row’s search text stale', async () => {
  for (const table of ['leads', 'deals'] as const) {
    const searched = LINES[table].flat().filter((column) => column !== 'loid')
    const compared = await comparedColumns(portal.deps.db, `${table}_search_forgotten`)
    expect(compared).toEqual(expect.arrayContaining(searched))
  }
})

test('a search counts at most 1,001 matches, and finds a match that is older than a thousand other records', async () => {
  const [partner, other] = [await portal.newPartner(), await portal.newPartner()]
  const lead = await partner.submitLead({ businessName: 'Older', businessIndustry: 'Hospitality' })
  const deal = await insertDeal(portal.deps.db, partner.id, { business_name: 'Older', loan_type: 'Line of Credit' })
  await other.submitLead({ businessName: 'Older' })
  await insertNewerLeads(portal.deps, partner.id, 1_002)
  await insertNewerDeals(portal.deps, partner.id, 1_002)
  await keyLargePartners.run(portal.deps, {}, new AbortController().signal)
  const common = await search(partner, 'newer')
  expect([common.leads.length, common.total_leads, common.deals.length, common.total_deals]).toEqual([
    50, 1_001, 50, 1_001,
  ])
  expect((await search(partner, 'newer', '&page=20')).leads).toHaveLength(50)
  expect((await search(partner, 'newer', '&page=21')).leads).toEqual([])
  const old = await search(partner, 'older')
  expect([old.leads.map(({ loid }) => loid), old.total_leads]).toEqual([[lead.loid], 1])
  expect([old.deals.map(({ loid }) => loid), old.total_deals]).toEqual([[deal.loid], 1])
  expect((await search(partner, 'older hospitality')).total_leads).toBe(1)
  expect((await search(partner, 'credit')).deals.map(({ loid }) => loid)).toEqual([deal.loid])
})

test('a partner’s search finds no records of another partner', async () => {
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  const { loid } = await ada.submitLead()
  await insertDeal(portal.deps.db, ada.id, { business_name: 'Okafor Freight' })
  for (const q of ['okafor', loid, '0491 570 156']) {
    expect(await search(bob, q)).toEqual({ leads: [], deals: [], total_leads: 0, total_deals: 0 })
  }
})

test.each([
  ['', 'q'],
  ['q=', 'q'],
  ['q=+', 'q'],
  ['q=x&type=notes', 'type'],
  ['q=a&q=b', 'q'],
  ['q=%00', 'q'],
  [`q=${'x'.repeat(201)}`, 'q'],
])('GET /crm/search?%s is refused with an error for the field %s', async (query, field) => {
  const partner = await portal.newPartner()
  const { status, body } = await partner.get(`/crm/search?${query}`)
  expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
})
