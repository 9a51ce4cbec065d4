import { expect, test } from 'vitest'
import { LOAN_TYPES, STATES } from './choices.ts'
import { optionalChoice } from './text.ts'

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
