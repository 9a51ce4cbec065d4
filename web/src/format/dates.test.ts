import { expect, test } from 'vitest'
import {
  daysActive,
  formatDate,
  formatDateTime,
  formatDayInShort,
  formatDays,
  formatDuration,
  formatExactTime,
  formatMonth,
  formatRelativeTime,
  formatTimeBelow,
} from './dates.ts'

const NOW = Date.parse('2026-11-21T02:00:00.000Z')

test('a plain date is the same day in every zone', () => {
  expect(formatDate('2026-09-05')).toBe('Sep 5, 2026')
})

test('labels of days and months leave out the rest of the date', () => {
  expect([formatDayInShort('2026-09-05'), formatMonth('2026-09-05')]).toEqual(['Sep 5', 'Sep 2026'])
})

test('an instant is shown in the zone of the browser', () => {
  expect(formatDate('2026-09-05T20:00:00.000Z')).toBe('Sep 6, 2026')
  expect(formatDateTime('2026-09-05T20:05:00.000Z')).toBe('Sep 6, 2026, 6:05 AM')
  expect(formatExactTime('2026-09-05T20:05:09.000Z')).toBe('Sep 6, 2026, 6:05:09 AM')
})

test('the time below a relative time repeats no date', () => {
  expect(formatTimeBelow('2026-11-20T20:05:09.000Z', NOW)).toBe('Nov 21, 2026, 6:05:09 AM')
  expect(formatTimeBelow('2026-09-05T20:05:09.000Z', NOW)).toBe('6:05:09 AM')
  expect(formatTimeBelow(null, NOW)).toBe('—')
})

test.each([
  ['2026-09-05T14:00:00.000Z', '12:00 AM'],
  ['2026-09-06T01:59:00.000Z', '11:59 AM'],
  ['2026-09-06T02:00:00.000Z', '12:00 PM'],
  ['2026-09-06T13:59:00.000Z', '11:59 PM'],
])('in Brisbane %s is shown as %s on Sep 6', (instant, time) => {
  expect(formatDateTime(instant)).toBe(`Sep 6, 2026, ${time}`)
})

test('an unknown or invalid date is shown as a dash', () => {
  expect([formatDate(null), formatDate(''), formatDate('soon'), formatRelativeTime(undefined)]).toEqual([
    '—',
    '—',
    '—',
    '—',
  ])
})

test.each([
  ['2026-11-21T02:00:30.000Z', 'Just now'],
  ['2026-11-21T01:59:01.000Z', 'Just now'],
  ['2026-11-21T01:59:00.000Z', '1 minute ago'],
  ['2026-11-21T01:00:01.000Z', '59 minutes ago'],
  ['2026-11-21T01:00:00.000Z', '1 hour ago'],
  ['2026-11-20T02:00:01.000Z', '23 hours ago'],
  ['2026-11-20T02:00:00.000Z', '1 day ago'],
  ['2026-11-14T02:00:01.000Z', '6 days ago'],
  ['2026-11-14T02:00:00.000Z', 'Nov 14, 2026'],
])('%s is shown as %s', (instant, text) => {
  expect(formatRelativeTime(instant, NOW)).toBe(text)
})

test('Days Active is the number of days since creation, rounded up', () => {
  expect(daysActive('2026-11-21T02:00:00.000Z', NOW)).toBe(0)
  expect(daysActive('2026-11-21T01:59:59.000Z', NOW)).toBe(1)
  expect(daysActive('2026-11-18T01:00:00.000Z', NOW)).toBe(4)
})

test('one day is singular', () => {
  expect([formatDays(0), formatDays(1), formatDays(2)]).toEqual(['0 days', '1 day', '2 days'])
})

test('a duration below a second is shown in milliseconds', () => {
  expect([formatDuration(0), formatDuration(999), formatDuration(1_000), formatDuration(15_049)]).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '15.0 s',
  ])
})
