import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from '../router/address.ts'
import { activitySearch, dealListSearch, leadListSearch, searchPageSearch, webhookLogSearch } from './search-params.ts'

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
  expect(dealListSearch(parseSearch('?page=3&minAmount=1,5m'))).toEqual({ page: 3, minAmount: '1,5m' })
  expect(leadListSearch(parseSearch(`?status=${'x'.repeat(2_421)}&search=${'x'.repeat(201)}&source=a%00b`))).toEqual({})
  expect(leadListSearch(parseSearch('?turn=mine'))).toEqual({})
  expect(dealListSearch(parseSearch('?turn=lender'))).toEqual({ turn: 'lender' })
  const person = { person: 'x'.repeat(65) }
  expect([leadListSearch(person), dealListSearch(person), activitySearch(person)]).toEqual([{}, {}, {}])
})
