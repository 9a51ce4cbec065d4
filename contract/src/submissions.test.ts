import { expect, test } from 'vitest'
import { DealSubmission, LeadSubmission } from './submissions.ts'

const LEAST = { business_name: 'Okafor Freight', email: 'nkem@okafor.example' }

/** The first message of each field. */
function faults(schema: typeof LeadSubmission | typeof DealSubmission, body: unknown): Record<string, string> {
  const issues = schema.safeParse(body).error?.issues ?? []
  return Object.fromEntries(issues.toReversed().map((issue) => [issue.path.join('.'), issue.message]))
}

test('a business name with an email address or a phone number is enough for a lead', () => {
  expect(LeadSubmission.parse(LEAST)).toMatchObject({
    businessName: 'Okafor Freight',
    email: 'nkem@okafor.example',
    phone: null,
    firstName: null,
    loanAmount: null,
    iso: 'AU',
    leadSource: 'Partner Portal',
  })
  expect(LeadSubmission.parse({ businessName: 'Okafor', phone: '+64 21 123 4567' })).toMatchObject({
    phone: '+64211234567',
    iso: 'NZ',
    email: null,
  })
})

test('fields may be in camelCase, in snake_case or under their other names, even mixed in one body', () => {
  const camel = {
    firstName: 'Nkem',
    businessName: 'Okafor',
    businessIndustry: 'retail',
    businessAbn: '51 824 753 556',
    monthlyTurnover: '50k',
    loanAmount: 150_000,
    additionalInfo: 'Call after three',
    phone: '0412345678',
  }
  const other = {
    first_name: 'Nkem',
    business_name: 'Okafor',
    industry: 'retail',
    business_uin: '51 824 753 556',
    sales_monthly: '50k',
    amount: 150_000,
    description: 'Call after three',
    phone: '0412345678',
  }
  expect(LeadSubmission.parse(other)).toEqual(LeadSubmission.parse(camel))
  const { phone, business_name, ...rest } = other
  expect(LeadSubmission.parse({ ...rest, phone, businessName: business_name })).toEqual(LeadSubmission.parse(camel))
})

test.each([
  [{}, { business_name: 'Business name is required', email: 'Either email or phone is required' }],
  [{ firstName: 'Nkem' }, { businessName: 'Business name is required', phone: 'Either email or phone is required' }],
  [{ ...LEAST, email: ' ' }, { email: 'Either email or phone is required' }],
  [{ ...LEAST, email: 'nkem' }, { email: 'Please enter a valid email address' }],
  [{ ...LEAST, business_name: '  ' }, { business_name: 'Business name is required' }],
  [{ ...LEAST, loan_amount: -1 }, { loan_amount: 'Loan amount must be an amount from 0 to 999,999,999,999.99' }],
  [
    { ...LEAST, loanAmount: 'x'.repeat(50) },
    { loanAmount: `Loan amount must be one amount in dollars, such as 50,000, not “${'x'.repeat(40)}…”` },
  ],
  [{ ...LEAST, amount: [] }, { amount: 'Loan amount must be an amount in dollars' }],
  [{ ...LEAST, industry: 'Moonshine' }, { industry: expect.stringContaining('Industry must be one of: Agriculture,') }],
  [
    { ...LEAST, loan_amount: 1, loanAmount: 2 },
    { loanAmount: 'loan_amount and loanAmount name the same field but have different values' },
  ],
  [
    { ...LEAST, amount: 1, loan_amount: '1' },
    { loan_amount: 'amount and loan_amount name the same field but have different values' },
  ],
  [
    { ...LEAST, buisness_name: 'x' },
    { buisness_name: 'buisness_name is not a known field. Did you mean business_name?' },
  ],
  [{ ...LEAST, 'loan-amount': 5 }, { 'loan-amount': expect.stringContaining('Did you mean loan_amount') }],
  [{ ...LEAST, turnover: 5 }, { turnover: 'turnover is not a known field. Did you mean monthly_turnover?' }],
  [
    { businessName: 'A', phone: '0412345678', emial: 'x' },
    { emial: 'emial is not a known field. Did you mean email?' },
  ],
  [{ ...LEAST, zzz: 1 }, { zzz: 'zzz is not a known field' }],
  [{ ...LEAST, toString: 'x' }, { toString: 'toString is not a known field' }],
  [{ ...LEAST, loid: 'LO-00000000' }, { loid: 'loid is not a known field' }],
])('the refusal of %j uses the caller’s own field names', (body, expected) => {
  expect(faults(LeadSubmission, body)).toMatchObject(expected)
})

test('a field may appear in two spellings with the same value', () => {
  const body = { ...LEAST, businessName: LEAST.business_name, amount: 5, loan_amount: 5 }
  expect(LeadSubmission.parse(body)).toMatchObject({ businessName: LEAST.business_name, loanAmount: 5 })
})

test('the refusal of a body with thousands of unknown fields lists only twenty, each shortened', () => {
  const body = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`${'x'.repeat(60)}${i}`, 1]))
  const issues = LeadSubmission.safeParse({ ...LEAST, ...body }).error?.issues ?? []
  expect(issues).toHaveLength(20)
  expect(Math.max(...issues.map((issue) => issue.message.length))).toBeLessThan(100)
})

test.each([null, [], 'text', 5, true])('the body %j is refused', (body) => {
  expect(LeadSubmission.safeParse(body).error?.issues[0]?.path).toEqual([])
})

test('the applicant’s name replaces a blank business name', () => {
  const body = { ...LEAST, business_name: ' ', first_name: 'Nkem', last_name: 'Okafor' }
  expect(LeadSubmission.parse(body).businessName).toBe('Nkem Okafor')
})

test('a deal accepts a stage and the other names of its fields', () => {
  const deal = DealSubmission.parse({
    ...LEAST,
    contact_person: 'Nkem Okafor',
    loan_amount: '150,000',
    loanType: 'term loan',
    closing_date: '2027-01-31',
    stage: 'Funded',
    additional_info: 'Second truck',
  })
  expect(deal).toMatchObject({
    dealName: 'Okafor Freight',
    businessName: 'Okafor Freight',
    contactName: 'Nkem Okafor',
    amount: 150_000,
    loanType: 'Term Loan',
    closingDate: '2027-01-31',
    description: 'Second truck',
    iso: 'AU',
  })
})

test('a deal can be sent back as it was read: fields that only the portal or the lender can set are ignored', () => {
  const read = {
    id: 'x',
    loid: 'LO-00000000',
    probability: 5,
    created_at: '2026-11-22',
    stage: 'Funded',
    lead_source: 'CRM',
  }
  expect(faults(DealSubmission, { ...LEAST, ...read })).toEqual({})
})

test('a deal’s contact may come as first and last name', () => {
  expect(DealSubmission.parse({ ...LEAST, first_name: 'Nkem', lastName: 'Okafor' }).contactName).toBe('Nkem Okafor')
  expect(DealSubmission.parse(LEAST).contactName).toBeNull()
})

test.each([
  [
    { ...LEAST, closing_date: '31/01/2027' },
    { closing_date: 'Closing date must be a date in the form YYYY-MM-DD, 1900 or later' },
  ],
  [
    { ...LEAST, closingDate: '2027-02-30' },
    { closingDate: 'Closing date must be a date in the form YYYY-MM-DD, 1900 or later' },
  ],
  [{ business_name: 'Okafor' }, { phone: 'Either email or phone is required' }],
  [{ ...LEAST, probabilty: 5 }, { probabilty: 'probabilty is not a known field. Did you mean probability?' }],
])('the refusal of the deal %j uses the caller’s own field names', (body, expected) => {
  expect(faults(DealSubmission, body)).toMatchObject(expected)
})
