import { expect, test } from 'vitest'
import { DEFAULT_FIELD_MAP } from './field-map.ts'
import { displayedIn } from './metadata.ts'
import { dealReader, leadReader, readNote } from './wire.ts'
import { readFieldHistory, readStageHistory } from './wire-histories.ts'

const asIs = (_field: string, value: string) => value
const times = { Created_Time: '2026-03-01T10:00:00-05:00', Modified_Time: '2026-03-02T09:30:00+05:30' }
const lead = { id: '5400000000000812044', ...times }

function leadWith(more: object) {
  return leadReader(DEFAULT_FIELD_MAP.leads.fields, asIs)({ ...lead, ...more })
}

test('instants are converted to UTC with milliseconds, whatever the user’s offset', () => {
  expect(leadWith({})).toMatchObject({
    record: { created_at: '2026-03-01T15:00:00.000Z', modified_time: '2026-03-02T04:00:00.000Z', converted_at: null },
  })
})

test.each([
  [{ Company: '  Okafor Freight ' }, { business_name: 'Okafor Freight' }],
  [{ Company: '   ' }, { business_name: null }],
  [{ Loan_Term: 24 }, { loan_term: '24' }],
  [{ Loan_Amount: '150000.567' }, { loan_amount: 150_000.57 }],
  [{ Loan_Amount: '' }, { loan_amount: null }],
  [{ Loan_Amount: 0 }, { loan_amount: 0 }],
  [{ Owns_Property: null }, { owns_property: false }],
  [{ Partner: { id: '5400000000000700001' } }, { partner_zoho_id: '5400000000000700001' }],
  [{ Partner: '5400000000000700001' }, { partner_zoho_id: '5400000000000700001' }],
  [{ LOID: 'see other lead' }, { loid: null }],
  [
    { $converted: true, $converted_detail: { deal: '5400000000000910007' } },
    { is_converted: true, converted_deal_zoho_id: '5400000000000910007' },
  ],
  [{ Description: 'a\u0000b' }, { description: 'ab' }],
])('%o is read as %o', (raw, expected) => {
  expect(leadWith(raw)).toMatchObject({ record: expected })
})

test.each([
  [{ Loan_Amount: 'a lot' }, 'Loan_Amount is not a number or is too large'],
  [{ Loan_Amount: 1e15 }, 'Loan_Amount is not a number or is too large'],
  [{ Loan_Type: ['Term Loan', 'Other'] }, 'Loan_Type is not text'],
  [{ Owns_Property: 'yes' }, 'Owns_Property is not true or false'],
  [{ Partner: { name: 'No id' } }, 'Partner is not a lookup'],
  [{ Modified_Time: '2026-03-02T09:30:00' }, 'Modified_Time is not a time'],
  [{ Lead_Status: 'x'.repeat(121) }, 'Lead_Status is too long'],
  [{ Company: 'x'.repeat(256) }, 'Company is too long'],
])('%o is reported as a problem of the record', (raw, reason) => {
  expect(leadWith(raw)).toEqual({ problem: { zoho_id: lead.id, reason } })
})

test('a deal’s business and contact can come from lookups, which can lack a name', () => {
  const read = (more: object) => dealReader(DEFAULT_FIELD_MAP.deals.fields, asIs)({ ...lead, Stage: 'Funded', ...more })
  expect(read({ Account_Name: { id: '1', name: 'Okafor' }, Contact_Name: { id: '2' } })).toMatchObject({
    record: { business_name: 'Okafor', contact_name: null },
  })
  expect(read({ Closing_Date: '2026-02-30' })).toMatchObject({ problem: { reason: 'Closing_Date is not a date' } })
})

test('staff without a name stay nameless, because an email address is never shown', () => {
  const note = { id: '1', Note_Content: 'Hello', Created_Time: times.Created_Time }
  expect(readNote({ ...note, Created_By: { name: 'dana@lender.example' } })).toMatchObject({ created_by: null })
  expect(readNote({ ...note, Owner: { name: 'Dana Cole', email: 'dana@lender.example' } })).toMatchObject({
    created_by: 'Dana Cole',
  })
  expect(readNote({ ...note, Note_Content: null, Note_Title: 'Only a title' })).toMatchObject({
    title: null,
    content: 'Only a title',
  })
  expect(readNote({ ...note, Note_Content: '  ' })).toBeNull()
})

test('stage rows of older organisations are read, and unreadable rows are skipped', () => {
  const rows = [
    { id: '2', Stage: 'Funded', Last_Modified_Time: '2026-03-05T10:00:00Z', Modified_By: { name: 'Dana Cole' } },
    { id: '1', Stage: 'Approved', Last_Modified_Time: '2026-03-04T10:00:00Z' },
    { id: '3', Stage: 'Funded', Last_Modified_Time: '2026-03-06T10:00:00Z' },
    { id: '4' },
  ]
  expect(readStageHistory(rows, '2026-03-04T10:00:00.000Z', 'Stage', asIs)).toEqual([
    { entry_id: '1', value: 'Approved', changed_time: '2026-03-04T10:00:00.000Z', changed_by: null },
    { entry_id: '2', value: 'Funded', changed_time: '2026-03-05T10:00:00.000Z', changed_by: 'Dana Cole' },
  ])
})

test('a timeline without a change gives one entry with the present status, or no entry if it lacks the lead’s creation', () => {
  const added = { id: '1', action: 'added', audited_time: '2026-03-01T10:00:00Z', done_by: { name: 'Portal API' } }
  expect(readFieldHistory([added], 'Lead_Status', 'New Lead', asIs)).toMatchObject([
    { entry_id: '1', value: 'New Lead' },
  ])
  expect(readFieldHistory([], 'Lead_Status', 'New Lead', asIs)).toEqual([])
})

test('either name of a picklist value becomes the displayed name, and an unknown name stays unchanged', () => {
  const choices = [
    { displayed: 'Pending Approval', actual: 'Credit Review', isUsed: true },
    { displayed: '-None-', actual: '-None-', isUsed: true },
  ]
  const displayed = displayedIn(new Map([['Stage', { lengthMax: 120, choices }]]))
  expect(displayed('Stage', 'credit  review')).toBe('Pending Approval')
  expect(displayed('Stage', 'PENDING APPROVAL')).toBe('Pending Approval')
  expect(displayed('Stage', '-None-')).toBe('')
  expect(displayed('Stage', 'Thrown To Somebody')).toBe('Thrown To Somebody')
  expect(displayed('Deal_Name', 'Credit Review')).toBe('Credit Review')
})
