import { expect, test } from 'vitest'
import { LeadFilters } from './leads.ts'

test.each([
  [{}, 1, 20],
  [{ page: '3', limit: '100' }, 3, 100],
  [{ page: 2, limit: 5 }, 2, 5],
  [{ limit: '1' }, 1, 1],
])('the query %j means page %i with %i rows', (query, page, limit) => {
  expect(LeadFilters.parse(query)).toMatchObject({ page, limit })
})

test.each([
  ['page', '0'],
  ['page', '-1'],
  ['page', '1.5'],
  ['page', 'two'],
  ['page', '1e3'],
  ['page', ''],
  ['page', ['1', '2']],
  ['page', '9'.repeat(400)],
  ['page', null],
  ['page', 1.5],
])('%s=%j is refused', (name, value) => {
  const parsed = LeadFilters.safeParse({ [name]: value })
  expect(parsed.error?.issues[0]?.message).toBe('page must be a whole number from 1 to 1000000')
})

test.each(['0', '101'])('limit=%s is refused', (limit) => {
  const parsed = LeadFilters.safeParse({ limit })
  expect(parsed.error?.issues[0]?.message).toBe('limit must be a whole number from 1 to 100')
})

test('a filter that does not exist is ignored', () => {
  expect(LeadFilters.parse({ statsu: 'New Lead' })).toEqual({ page: 1, limit: 20 })
})
