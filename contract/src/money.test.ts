import { expect, test } from 'vitest'
import { filterMoney, formatMoney, formatMoneyInShort, optionalMoney, parseMoney } from './money.ts'

test.each([
  ['50000', 50_000],
  ['$50,000', 50_000],
  ['50,000.50', 50_000.5],
  ['50,000.5', 50_000.5],
  ['A$ 50 000.05', 50_000.05],
  ['50,000.50 AUD', 50_000.5],
  ['1.000.000', 1_000_000],
  ['50.000', 50_000],
  ['50k', 50_000],
  ['50 K', 50_000],
  ['1.2m', 1_200_000],
  ['1.25M', 1_250_000],
  ['1.234m', 1_234_000],
  ['$1.5 million', 1_500_000],
  ['12.5 thousand', 12_500],
  ['.5', 0.5],
  ['12.', 12],
  ['0', 0],
  ['about 20,000 a month', 20_000],
  ['', null],
  ['   ', null],
  ['$', null],
  ['k', null],
  ['none', null],
])('the text %j means the amount %j', (text, amount) => {
  expect(parseMoney(text)).toBe(amount)
})

test.each([
  [50_000.5, '$50,001'],
  [25_000, '$25,000'],
  [0, '$0'],
  [-1_250, '-$1,250'],
  [-0.4, '$0'],
  [null, '—'],
  [undefined, '—'],
])('the amount %j is shown as %s', (amount, shown) => {
  expect(formatMoney(amount)).toBe(shown)
})

test.each([
  [undefined, null],
  [null, null],
  ['', null],
  [150_000, 150_000],
  [0, 0],
  [10.005, 10.01],
  ['1,234.56', 1_234.56],
  [999_999_999_999.99, 999_999_999_999.99],
])('a form’s amount %j is stored as %j', (value, amount) => {
  expect(optionalMoney('Loan amount').parse(value)).toBe(amount)
})

test.each([-1, 1e12, '9999999999999', true, [], {}, '9'.repeat(400), Number.NaN])(
  'a form’s amount %j is refused',
  (value) => {
    const parsed = optionalMoney('Loan amount').safeParse(value)
    expect(parsed.error?.issues[0]?.message).toMatch(/^Loan amount must be /)
  },
)

test('text that is too long for an amount is refused without being parsed', () => {
  const started = performance.now()
  expect(optionalMoney('Loan amount').safeParse(`x${' '.repeat(60_000)}x`).success).toBe(false)
  expect(performance.now() - started).toBeLessThan(100)
})

test.each([
  [undefined, null],
  ['', null],
  ['50000', 50_000],
  ['50,000.50', 50_000.5],
  ['50k', 50_000],
])('a filter’s amount %j is read as %j', (value, amount) => {
  expect(filterMoney('minAmount').parse(value)).toBe(amount)
})

test.each(['abc', '-5', '1e5', '5 to 10', ['5', '6'], '9'.repeat(40)])(
  'a filter’s amount %j is refused, never ignored',
  (value) => {
    expect(filterMoney('minAmount').safeParse(value).success).toBe(false)
  },
)

test('amounts on a chart’s axis are abbreviated and keep the dollar sign', () => {
  expect([0, 500, 185_000, 1_291_000].map(formatMoneyInShort)).toEqual(['$0', '$500', '$185K', '$1.3M'])
})
