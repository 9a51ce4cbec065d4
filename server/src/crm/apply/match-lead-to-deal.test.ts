import { describe, expect, test } from 'vitest'
import { type MatchableDeal, type MatchableLead, matchLeadsToDeals } from './match-lead-to-deal.ts'

const terms = { loan_type: 'Term Loan', loan_term: '24 months' }
const lead: MatchableLead = {
  ...terms,
  loid: 'LEAD',
  business_name: 'Okafor Freight Pty Ltd',
  loan_amount: 150_000,
  email: 'nkem@freight.example',
  phone: '+61412345678',
}
const deal: MatchableDeal = {
  ...terms,
  loid: 'DEAL',
  business_name: 'okafor freight',
  amount: 150_000,
  email: 'nkem@freight.example',
  phone: null,
}

function matches(leadMore: Partial<MatchableLead>, dealMore: Partial<MatchableDeal> = {}): boolean {
  return matchLeadsToDeals([{ ...lead, ...leadMore }], [{ ...deal, ...dealMore }]).length === 1
}

describe('business names', () => {
  test.each([
    ['Okafor Freight Pty Ltd', 'okafor freight'],
    ['OKAFOR  FREIGHT', 'Okafor-Freight Pty. Ltd.'],
    ['Okafor Freight (Pty) Limited', 'Okafor Freight'],
    ['O’Brien & Sons', 'OBrien and Sons P.T.Y. L.T.D.'],
    ['Café Zürich', 'café zürich pty ltd'],
    ['Pty Ltd', 'pty ltd'],
    ['Okafor Freight P/L', 'Okafor Freight Proprietary Limited'],
    ['Ngāti Whātua', 'NGATI WHATUA'.normalize('NFD')],
    ['O`Brien–Groß', 'OʼBRIEN GROSS'],
    ['Okafor\u200b Freight', 'Ｏｋａｆｏｒ Freight'],
  ])('%s and %s match', (one, other) => {
    expect(matches({ business_name: one }, { business_name: other })).toBe(true)
  })

  test.each([
    ['Okafor Freight', 'Okafor Freight Services'],
    ['Okafor Freight', null],
    [null, null],
    ['', ''],
    ['!!', '??'],
    ['Pty Ltd', 'Okafor'],
  ])('%s and %s do not match', (one, other) => {
    expect(matches({ business_name: one }, { business_name: other })).toBe(false)
  })
})

describe('loan terms', () => {
  test('match whatever their case, spaces and punctuation', () => {
    expect(matches({ loan_type: 'term-loan', loan_term: '24 Months' })).toBe(true)
    expect(matches({ loan_amount: 150_000.5 }, { amount: 150_000.5 })).toBe(true)
  })

  test.each([
    [{ loan_amount: 150_001 }],
    [{ loan_amount: null }],
    [{ loan_type: 'Line of Credit' }],
    [{ loan_type: null }],
    [{ loan_term: '12 months' }],
    [{ loan_term: null }],
  ])('%o do not match those of the deal', (more) => {
    expect(matches(more)).toBe(false)
  })

  test('do not match if both records lack them', () => {
    expect(matches({ loan_type: null }, { loan_type: null })).toBe(false)
    expect(matches({ loan_amount: null }, { amount: null })).toBe(false)
  })
})

describe('contacts', () => {
  test.each([
    [{ email: ' NKEM@freight.example' }, {}],
    [{ email: 'jörg@freight.example' }, { email: 'JÖRG@freight.example'.normalize('NFD') }],
    [{ email: null }, { phone: '0412 345 678' }],
    [{ email: 'other@freight.example' }, { email: null, phone: '(04) 1234-5678' }],
    [{ email: null }, { phone: '0061 412 345 678' }],
    [{ email: null, phone: '02 9876 5432' }, { phone: '+61 2 9876 5432' }],
  ])('%o and %o match', (leadMore, dealMore) => {
    expect(matches(leadMore, dealMore)).toBe(true)
  })

  test.each([
    [{ email: 'other@freight.example' }, {}],
    [
      { email: null, phone: null },
      { email: null, phone: null },
    ],
    [
      { email: '', phone: '' },
      { email: '', phone: '' },
    ],
    [{ email: null }, { phone: '0412 345 679' }],
  ])('%o and %o do not match', (leadMore, dealMore) => {
    expect(matches(leadMore, dealMore)).toBe(false)
  })
})

test('a deal is matched with its oldest matching lead, and a lead is matched with at most one deal', () => {
  const leads = ['L1', 'L2', 'L3'].map((loid) => ({ ...lead, loid }))
  expect(matchLeadsToDeals(leads, [deal])).toEqual([{ lead: 'L1', deal: 'DEAL' }])
  expect(matchLeadsToDeals(leads, [deal, { ...deal, loid: 'D2' }])).toEqual([
    { lead: 'L1', deal: 'DEAL' },
    { lead: 'L2', deal: 'D2' },
  ])
  expect(matchLeadsToDeals([], [deal])).toEqual([])
})
