import { expect, test } from 'vitest'
import { DEAL_STAGES, LEAD_STATUSES } from './choices.ts'
import { sideOf } from './meanings.ts'

test('only Unable to Contact is the partner’s turn, and a referral that has ended is nobody’s', () => {
  const withSide = (side: string | null) => [
    ...LEAD_STATUSES.filter((value) => sideOf('lead-status', value) === side),
    ...DEAL_STAGES.filter((value) => sideOf('deal-stage', value) === side),
  ]
  expect(withSide('partner')).toEqual(['Unable to Contact'])
  expect(withSide(null)).toEqual([
    'Junk Lead',
    'Test Lead',
    'Lost Lead',
    'Not Qualified',
    'Duplicate',
    'Consumer Or Asset Deal',
    'Funded',
    'Closed',
  ])
})

test.each([
  ['lead-status', 'UNABLE TO CONTACT', 'partner'],
  ['lead-status', 'Could not reach applicant', 'partner'],
  ['lead-status', 'Awaiting broker', 'partner'],
  ['lead-status', 'Second Call', 'lender'],
  ['lead-status', 'Dead Lead', null],
  ['deal-stage', 'Documents needed from partner', 'partner'],
  ['deal-stage', 'Settlement', 'lender'],
  ['deal-stage', 'Closed Lost', null],
  ['deal-stage', 'Thrown To Kestrel Capital', null],
  ['deal-stage', 'With Bluegum Finance', null],
] as const)('the words of %s %s decide: %s', (kind, value, side) => {
  expect(sideOf(kind, value)).toBe(side)
})
