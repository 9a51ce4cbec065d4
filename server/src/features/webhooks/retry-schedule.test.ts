import { expect, test } from 'vitest'
import { nextAttemptAt, retryAfterMs } from './retry-schedule.ts'

const NOW = new Date('2026-03-01T10:00:00.000Z')
const HOUR = 3_600

test.each([
  [1, 5],
  [2, 5 * 60],
  [3, 30 * 60],
  [4, 2 * HOUR],
  [5, 5 * HOUR],
  [6, 10 * HOUR],
  [7, 14 * HOUR],
  [8, 20 * HOUR],
  [9, 24 * HOUR],
])('after failure %i the next attempt comes %i seconds later, or up to a tenth more', (failures, seconds) => {
  expect(secondsUntil(nextAttemptAt(failures, NOW, 0))).toBe(seconds)
  expect(secondsUntil(nextAttemptAt(failures, NOW, 1))).toBeCloseTo(seconds * 1.1)
})

test('no attempt comes after the tenth failure', () => {
  expect(nextAttemptAt(10, NOW, 0)).toBeUndefined()
})

test.each([
  ['longer than the schedule', 60_000, 60],
  ['shorter than the schedule', 1_000, 5],
  ['longer than a day', 100 * 24 * HOUR * 1_000, 24 * HOUR],
])(
  'after a Retry-After %s, the next attempt waits for the longer of the two delays, but at most a day',
  (_what, askedMs, seconds) => {
    expect(secondsUntil(nextAttemptAt(1, NOW, 0, askedMs))).toBe(seconds)
  },
)

test.each([
  ['seconds', 429, '120', 120],
  ['a date', 503, 'Sun, 01 Mar 2026 10:02:00 GMT', 120],
  ['a date that has passed', 503, 'Sun, 01 Mar 2026 09:00:00 GMT', 0],
  ['other text', 503, 'soon', 0],
  ['seconds, in an answer other than 429 and 503', 500, '120', 0],
])('Retry-After as %s (status %i, %j) means a delay of %i seconds', (_what, status, text, seconds) => {
  expect(retryAfterMs({ status, headers: { 'retry-after': text } }, NOW)).toBe(seconds * 1_000)
})

function secondsUntil(at: Date | undefined): number {
  return ((at?.getTime() ?? Number.NaN) - NOW.getTime()) / 1_000
}
