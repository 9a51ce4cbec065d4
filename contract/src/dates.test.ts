import { expect, test } from 'vitest'
import { isPlainDate, wholeDays } from './calendar.ts'
import { filterDate } from './dates.ts'

test.each(['2026-03-01', '2024-02-29', '1900-01-01', '9999-12-31'])('%s is accepted as a date', (text) => {
  expect(isPlainDate(text)).toBe(true)
})

test.each(['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '2026-3-1', '0001-01-01', '20260301', 'today'])(
  '%s is not accepted as a date',
  (text) => {
    expect(isPlainDate(text)).toBe(false)
  },
)

test.each([
  [undefined, undefined],
  ['', undefined],
  ['2026-03-01', '2026-03-01'],
])('a date filter of %j is read as %j', (value, day) => {
  expect(filterDate('dateFrom').parse(value)).toBe(day)
})

test.each(['01/03/2026', '2026-02-30', '2026-03-01T00:00:00Z', ['2026-03-01', '2026-03-02'], 5, null])(
  'a date filter of %j is refused',
  (value) => {
    const parsed = filterDate('dateFrom').safeParse(value)
    expect(parsed.error?.issues[0]?.message).toBe('dateFrom must be a date in the form YYYY-MM-DD, 1900 or later')
  },
)

test.each([
  ['2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z', 0],
  ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', 1],
  ['2026-03-01T12:00:00.000Z', '2026-03-04T11:59:59.000Z', 2],
  ['2026-03-02T00:00:00.000Z', '2026-03-01T00:00:00.000Z', 0],
])('from %s to %s there are %i whole days', (from, to, days) => {
  expect(wholeDays(from, to)).toBe(days)
})
