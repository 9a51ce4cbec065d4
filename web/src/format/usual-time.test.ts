import { expect, test } from 'vitest'
import { formatUsualDays } from './usual-time.ts'

test.each([
  [0, 'less than a day'],
  [0.7, 'less than a day'],
  [0.9, '1 day'],
  [1.2, '1 day'],
  [1.5, '1–2 days'],
  [2.4, '2–3 days'],
  [2.9, '3 days'],
  [12.4, '12 days'],
])('a median of %d days is shown as %s', (days, text) => {
  expect(formatUsualDays(days)).toBe(text)
})
