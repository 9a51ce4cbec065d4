import { expect, test } from 'vitest'
import { LEAD_RECORD } from './lead-fields.ts'
import { inUsualCountry, missingFieldsText, NewLead, NewLeadOnForm } from './lead-form.ts'
import { INVALID_PHONE } from './phone.ts'
import { eachOf, keysOf, rulesOf } from './record-fields.ts'

const FORM = {
  firstName: 'Nkem',
  lastName: 'Okafor',
  email: 'nkem@okafor-freight.example',
  phone: '0491 570 156',
  businessName: 'Okafor Freight',
}

function refused(form: unknown): [string, string][] {
  return (NewLeadOnForm.safeParse(form).error?.issues ?? []).map((issue) => [issue.path.join('.'), issue.message])
}

test('the refusal of an empty form names each missing field, in the form’s order', () => {
  expect(refused({})).toEqual([
    ['firstName', 'First name is required'],
    ['lastName', 'Last name is required'],
    ['email', 'Email is required'],
    ['phone', 'Phone number is required'],
    ['businessName', 'Business name is required'],
  ])
  expect(missingFieldsText(['firstName', 'phone'])).toBe('Please fill in all required fields: First Name, Phone')
})

test('five fields are enough for a lead; the other fields become null or get a default', () => {
  expect(NewLead.parse(FORM)).toEqual({
    ...eachOf(keysOf(rulesOf(LEAD_RECORD)), null),
    firstName: 'Nkem',
    lastName: 'Okafor',
    email: 'nkem@okafor-freight.example',
    phone: '+61491570156',
    phoneInNewZealand: null,
    businessName: 'Okafor Freight',
    ownsProperty: false,
    leadSource: 'Partner Portal',
    iso: 'AU',
    consentVersion: null,
  })
})

test.each([
  [{ email: 'nkem' }, 'email', 'Please enter a valid email address'],
  [{ phone: '' }, 'phone', 'Phone number is required'],
  [{ phone: '12345' }, 'phone', INVALID_PHONE],
  [{ phone: `0491 570 156${' '.repeat(40)}0` }, 'phone', 'Phone number must be 30 characters or fewer'],
  [{ businessName: '' }, 'businessName', 'Business name is required'],
  [{ businessName: 'x'.repeat(201) }, 'businessName', 'Business name must be 200 characters or fewer'],
  [{ businessName: 'a\ud800' }, 'businessName', 'Business name contains a character that cannot be stored'],
  [{ firstName: 'x'.repeat(101) }, 'firstName', 'First name must be 100 characters or fewer'],
  [{ state: 'Bavaria' }, 'state', 'State must be one of: NSW, VIC, QLD, WA, SA, TAS, ACT, NT'],
  [{ loanAmount: -1 }, 'loanAmount', 'Loan amount must be an amount from 0 to 999,999,999,999.99'],
  [{ loanPurpose: 'x'.repeat(501) }, 'loanPurpose', 'Loan purpose must be 500 characters or fewer'],
  [{ additionalInfo: 'x'.repeat(5_001) }, 'additionalInfo', 'Additional information must be 5000 characters or fewer'],
  [{ ownsProperty: 'yes' }, 'ownsProperty', 'Owns property must be true or false'],
  [{ iso: 'US' }, 'iso', 'ISO must be one of: AU, NZ'],
])('a form with %j is refused for its field %s', (change, field, message) => {
  expect(refused({ ...FORM, ...change })[0]).toEqual([field, message])
})

test('a field that the form does not have is ignored', () => {
  expect(NewLead.parse({ ...FORM, lead_status: 'Funded' })).toEqual(NewLead.parse(FORM))
})

test.each(['   ', '', null, undefined])('the applicant’s name replaces the business name %j', (businessName) => {
  expect(NewLead.parse({ ...FORM, businessName }).businessName).toBe('Nkem Okafor')
})

test('the form is never stopped by a phone number that fits both countries; the usual country decides last', () => {
  const phones = (change: object, usual: 'AU' | 'NZ') =>
    [NewLeadOnForm, NewLead].map((schema) => inUsualCountry(schema.parse({ ...FORM, ...change }), usual).phone)
  const phone = '027 123 4567'
  expect(phones({ phone }, 'NZ')).toEqual(['+64271234567', '+64271234567'])
  expect(phones({ phone }, 'AU')).toEqual(['+61271234567', '+61271234567'])
  expect(phones({ phone, state: 'NSW' }, 'NZ')).toEqual(['+61271234567', '+61271234567'])
  expect(phones({ phone, iso: 'AU' }, 'NZ')).toEqual(['+61271234567', '+61271234567'])
  expect(phones({ phone: '028 123 4567' }, 'NZ')).toEqual(['+61281234567', '+61281234567'])
})

test.each([
  [{ phone: '+64 21 123 4567' }, 'NZ', '+64211234567'],
  [{ phone: '021 123 4567' }, 'NZ', '+64211234567'],
  [{ phone: '027 123 4567' }, 'AU', '+61271234567'],
  [{ phone: '027 123 4567', iso: 'NZ' }, 'NZ', '+64271234567'],
  [{ phone: '029 123 4567', iso: 'NZ' }, 'NZ', '+64291234567'],
  [{ phone: '020 123 4567' }, 'NZ', '+64201234567'],
  [{ phone: '020 123 4567', iso: 'AU' }, 'AU', '+61201234567'],
  [{ phone: '0491 570 156', iso: 'NZ' }, 'AU', '+61491570156'],
])('a form with %j gets the ISO %s and the phone number %s', (change, iso, phone) => {
  expect(NewLead.parse({ ...FORM, ...change })).toMatchObject({ iso, phone })
})

test('property amounts are kept only for an applicant who owns property', () => {
  const amounts = { propertyValue: '$900,000', propertyDebt: '250k' }
  expect(NewLead.parse({ ...FORM, ...amounts, ownsProperty: true })).toMatchObject({
    propertyValue: 900_000,
    propertyDebt: 250_000,
  })
  expect(NewLead.parse({ ...FORM, ...amounts, ownsProperty: false })).toMatchObject({
    propertyValue: null,
    propertyDebt: null,
  })
  expect(NewLead.parse({ ...FORM, ownsProperty: true })).toMatchObject({ ownsProperty: true, propertyValue: null })
})

test('the lead source is always the portal, and even an invalid ABN is kept, without its spaces', () => {
  const lead = NewLead.parse({ ...FORM, leadSource: 'Google', businessAbn: ' 12 345 ' })
  expect([lead.leadSource, lead.businessAbn]).toEqual(['Partner Portal', '12345'])
})
