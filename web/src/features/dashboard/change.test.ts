import { expect, test } from 'vitest'
import { changeOf, rateChangeOf } from './change.ts'

const COUNTED = { amount: (count: number) => `${count} new`, less: 'fewer', same: 'as many as' } as const

test.each([
  [19, 17, 'up', '19 new, 12% more than the 30 days before'],
  [6, 8, 'down', '6 new, 25% fewer than the 30 days before'],
  [30, 1, 'up', '30 new, 2,900% more than the 30 days before'],
  [17, 17, 'level', '17 new, as many as in the 30 days before'],
  [1_001, 1_000, 'level', '1001 new, about as many as in the 30 days before'],
  [4, 0, 'up', '4 new, none in the 30 days before'],
  [0, 4, 'down', 'None new, 4 in the 30 days before'],
  [0, 0, 'level', 'None new in the last 60 days'],
  [4, null, 'unknown', '4 new in 30 days, too soon to compare'],
  [0, null, 'unknown', 'None in the last 30 days'],
])('the count %j after the count %j has the direction %s and the text: %s', (current, previous, direction, text) => {
  expect(changeOf({ current, previous }, COUNTED)).toEqual({ direction, text })
})

test.each([
  [0.265, 0.253, 'up', '1.2 points higher than 30 days ago'],
  [0.2, 0.25, 'down', '5.0 points lower than 30 days ago'],
  [0.25, 0.2502, 'level', 'The same as 30 days ago'],
  [0.25, null, 'unknown', 'No rate from 30 days ago to compare with'],
])('the rate %j after the rate %j has the direction %s and the text: %s', (current, previous, direction, text) => {
  expect(rateChangeOf({ current, previous })).toEqual({ direction, text })
})
