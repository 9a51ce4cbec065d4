import { expect, test } from 'vitest'
import { INACTIVE_LEAD_STATUSES, isWonStage, LOAN_TYPES, STATES, stageGroup } from './choices.ts'
import { optionalChoice } from './text.ts'

test.each([
  ['Funded', true],
  ['CLOSED', true],
  ['Closed by lender', true],
  ['Not Funded', true], // section 4 looks only for the words 'funded' and 'closed'
  ['Approved', false],
  ['', false],
  [null, false],
])('isWonStage(%j) is %s', (stage, won) => {
  expect(isWonStage(stage)).toBe(won)
})

test('leads in five statuses are not active', () => {
  expect(INACTIVE_LEAD_STATUSES).toEqual(['junk lead', 'test lead', 'lost lead', 'not qualified', 'duplicate'])
})

test.each([
  ['Term Loan', 'Term Loan'],
  [' term loan ', 'Term Loan'],
  ['', null],
  [null, null],
  [undefined, null],
])('the loan type %j is stored as %j', (value, stored) => {
  expect(optionalChoice('Loan type', LOAN_TYPES).parse(value)).toBe(stored)
})

test.each(['QL', 5, true, ['NSW'], { state: 'NSW' }])(
  'the state %j is refused, and the message lists the valid states',
  (value) => {
    const parsed = optionalChoice('State', STATES).safeParse(value)
    expect(parsed.error?.issues[0]?.message).toBe('State must be one of: NSW, VIC, QLD, WA, SA, TAS, ACT, NT')
  },
)

test.each([
  ['Pending Approval', 'open'],
  ['Waiting On Application', 'open'],
  ['Consulting With Client', 'open'],
  ['Funded', 'won'],
  ['Closed', 'won'],
  ['Thrown To Southern Cross', 'not won'],
  ['With Southern Cross', 'not won'],
  ['Consumer Or Asset Deal', 'not won'],
  ['Deal Lost', 'not won'],
  ['Declined', 'not won'],
  ['Rejected By Credit', 'not won'],
  ['Withdrawn', 'not won'],
  ['Cancelled', 'not won'],
])('the stage %s counts as %s', (stage, group) => {
  expect(stageGroup(stage)).toBe(group)
})
