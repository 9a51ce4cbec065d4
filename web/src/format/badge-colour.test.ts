import { LEAD_STATUSES } from '@portal/contract/choices.ts'
import { expect, test } from 'vitest'
import { badgeColour } from './badge-colour.ts'

const STATUSES: Record<(typeof LEAD_STATUSES)[number], string> = {
  'Re-engage': 'secondary',
  'New Lead': 'primary',
  'Not Contacted': 'primary',
  'Pre Call': 'warning',
  'Contact Soon': 'warning',
  'Attempting To Contact': 'warning',
  Contacted: 'warning',
  'Contact in Future': 'warning',
  'Pre Qualified': 'success',
  'Unable to Contact': 'warning',
  'Junk Lead': 'error',
  'Test Lead': 'secondary',
  'Lost Lead': 'error',
  'Not Qualified': 'error',
  Duplicate: 'error',
}

test.each(Object.entries(STATUSES))('the lead status %s has the colour %s', (status, colour) => {
  expect(badgeColour(status)).toBe(colour)
})

test.each([
  ['Re-Engage', 'secondary'],
  ['Waiting On Application', 'warning'],
  ['Information Received', 'warning'],
  ['Consulting With Client', 'warning'],
  ['Pending Approval', 'warning'],
  ['Approved', 'success'],
  ['Funded', 'success'],
  ['Closed', 'success'],
  ['Thrown To Harbour Lending', 'secondary'],
  ['With Harbour Lending', 'secondary'],
  ['Consumer Or Asset Deal', 'secondary'],
])('the deal stage %s has the colour %s', (stage, colour) => {
  expect(badgeColour(stage)).toBe(colour)
})

test('an unknown name gets its colour from a known word in it, and is grey without one', () => {
  expect(badgeColour('FUNDED - settled')).toBe('success')
  expect(badgeColour('Not qualified (credit)')).toBe('error')
  expect(badgeColour('Something else')).toBe('secondary')
  expect(badgeColour(null)).toBe('secondary')
})
