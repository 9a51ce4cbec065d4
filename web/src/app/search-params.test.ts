import { expect, test } from 'vitest'
import {
  activitySearch,
  dealListSearch,
  leadListSearch,
  parseSearch,
  searchPageSearch,
  stringifySearch,
  webhookLogSearch,
} from './search-params.ts'

test('a search text that looks like a number stays text', () => {
  expect(searchPageSearch(parseSearch('?q=0412345678'))).toEqual({ q: '0412345678' })
  expect(searchPageSearch(parseSearch('?q=1e5'))).toEqual({ q: '1e5' })
  expect(stringifySearch({ q: 'a & b', page: 2, status: undefined, source: '' })).toBe('?q=a+%26+b&page=2')
})

test('a list’s filters drop invalid values', () => {
  const lead = leadListSearch(parseSearch('?page=0&dateFrom=2026-02-31&dateTo=2026-02-28&status=+New+Lead+'))
  expect(lead).toEqual({ dateTo: '2026-02-28', status: 'New Lead' })
  expect(webhookLogSearch(parseSearch('?page=2&status=failed&dateTo=tomorrow&endpoint=%2Fapi%2Fwebhook'))).toEqual({
    page: 2,
    status: 'failed',
    endpoint: '/api/webhook',
  })
  expect(dealListSearch(parseSearch('?page=3&minAmount=abc'))).toEqual({ page: 3 })
  expect(dealListSearch(parseSearch('?minAmount=50000'))).toEqual({ minAmount: 50_000 })
  expect(dealListSearch(parseSearch('?minAmount=0.12'))).toEqual({ minAmount: 0.12 })
  expect(dealListSearch(parseSearch('?minAmount=1,5m'))).toEqual({ minAmount: 1_500_000 })
  expect(dealListSearch(parseSearch('?minAmount=50-60k'))).toEqual({})
  const amounts = ['-5', '0.001', '1e12', '1e400'].map((minAmount) => dealListSearch({ minAmount }))
  expect(amounts).toEqual([{}, {}, {}, {}])
  expect(leadListSearch(parseSearch(`?status=${'x'.repeat(121)}&search=${'x'.repeat(201)}&source=a%00b`))).toEqual({})
  const person = { person: 'x'.repeat(65) }
  expect([leadListSearch(person), dealListSearch(person), activitySearch(person)]).toEqual([{}, {}, {}])
})
