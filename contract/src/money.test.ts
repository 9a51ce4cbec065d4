import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMoney, formatMoneyInShort, parseMoney, strippedMoney } from './money.ts'
import { optionalMoney, typedMoney } from './money-field.ts'

test.each([
  ['50000', 50_000],
  ['$50,000', 50_000],
  ['50,000.50', 50_000.5],
  ['50,000.5', 50_000.5],
  ['A$ 50 000.05', 50_000.05],
  ['AU$50k', 50_000],
  ['50,000.50 AUD', 50_000.5],
  ['aud 50’000', 50_000],
  ['1.000.000', 1_000_000],
  ['50.000', 50_000],
  ['50.000,00', 50_000],
  ['1.250.000,5', 1_250_000.5],
  ['50 000,50', 50_000.5],
  ['50\u202f000', 50_000],
  ['50,00', 50],
  ['５０，０００', 50_000],
  ['\u200e$50,000\u200b', 50_000],
  ['50k', 50_000],
  ['50 K', 50_000],
  ['50,5k', 50_500],
  ['50 grand', 50_000],
  ['1.2m', 1_200_000],
  ['1.25M', 1_250_000],
  ['1.234m', 1_234_000],
  ['1,234k', 1_234_000],
  ['1,5m', 1_500_000],
  ['1.5 mil', 1_500_000],
  ['1,5 Mio.', 1_500_000],
  ['1.5 mill', 1_500_000],
  ['$1.5 million', 1_500_000],
  ['12.5 thousand', 12_500],
  ['1.2345678k', 1_234.57],
  ['5e4', 50_000],
  ['1.5E+5', 150_000],
  ['12345e-2', 123.45],
  ['.5', 0.5],
  ['12.', 12],
  ['0', 0],
  ['0050', 50],
  ['1.005k', 1_005],
  ['4.35', 4.35],
  ['999,999,999,999.99', 999_999_999_999.99],
])('the text %j means the amount %j', (text, amount) => {
  expect(parseMoney(text)).toBe(amount)
})

test.each([
  ['50-60k', 5_060],
  ['50 to 60', 5_060],
  ['(50,000)', 50_000],
  ['-5', 5],
  ['1,50,000', 150_000],
  ['50,000,50', 5_000_050],
  ['1234.567', 1_234_567],
  ['1 5', 15],
  ['50k 60k', 5_060],
  ['about 20,000.50 a month', 20_000.5],
  ['US$50,000', 50_000],
  ['5e3k', 53],
  ['12..', 12],
  ['1½m', 112],
  ['fifty thousand', null],
  ['', null],
  ['   ', null],
  ['$', null],
  ['k', null],
  ['.', null],
])('the text %j is not one amount; stripped, it is %j', (text, stripped) => {
  expect([parseMoney(text), strippedMoney(text)]).toEqual([null, stripped])
})

const cents = fc.oneof(fc.nat({ max: 9_999 }), fc.nat({ max: 99_999_999_999_999 }))
const currency = fc.constantFrom('', '$', 'A$', 'AU$', 'AUD ', 'aud', 'AUD $', '$ ')
const separators = fc.constantFrom(
  ['', '.'],
  ['', ','],
  [',', '.'],
  ['.', ','],
  [' ', '.'],
  ['\u00a0', ','],
  ["'", '.'],
  ['’', ','],
)
const UNITS = { k: 3, grand: 3, Thousand: 3, M: 6, mil: 6, mio: 6, mill: 6, million: 6 }

/** An amount as people and programs write it, with its cents. */
const writtenAmount = fc
  .tuple(cents, currency, separators, fc.constantFrom('', ...Object.keys(UNITS)), fc.boolean())
  .map(([amount, before, [separator = '', decimal = ''], unit, isExponent]) => {
    const digits = String(amount).padStart(3, '0')
    if (unit === '' && isExponent && separator === '') return { text: `${before}${digits}e-2`, amount }
    const dollars = digits.slice(0, -2)
    const grouped = dollars.replace(/\B(?=(?:\d{3})+$)/g, separator)
    const text = `${before}${grouped}${decimal}${digits.slice(-2)}`
    return unit === ''
      ? { text, amount }
      : { text: `${text} ${unit}`, amount: amount * 10 ** UNITS[unit as keyof typeof UNITS] }
  })

test('every amount is read to the cent in each way of writing it, and nothing else is', () => {
  fc.assert(
    fc.property(writtenAmount, ({ text, amount }) => {
      expect([text, parseMoney(text)]).toEqual([text, amount / 100])
    }),
  )
  const word = fc.stringMatching(/^[a-z]{2,9}$/).filter((text) => !(text in UNITS) && text !== 'aud')
  const notAnAmount = fc.oneof(
    fc
      .tuple(writtenAmount, fc.constantFrom('-', ' - ', '–', ' to ', '/', '+', ' or ', '; '), writtenAmount)
      .map(([a, between, b]) => a.text + between + b.text),
    fc.tuple(writtenAmount, word).map(([{ text }, added]) => `${text} ${added}`),
    fc.tuple(word, writtenAmount).map(([added, { text }]) => `${added} ${text}`),
    fc
      .tuple(fc.constantFrom('-', '−', '(', '~', '<', '>', '+', '€', '%', 'NZ$'), writtenAmount)
      .map(([sign, { text }]) => sign + text),
    fc.tuple(writtenAmount, fc.constantFrom('-', ')', '%', '?', '*', ' 5', '½')).map(([{ text }, sign]) => text + sign),
    word,
  )
  fc.assert(
    fc.property(notAnAmount, (text) => {
      expect([text, parseMoney(text)]).toEqual([text, null])
    }),
  )
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
  [1.005, 1.01],
  [0.1 + 0.2, 0.3],
  [1e-7, 0],
  [150_000.004999, 150_000],
  [1.5e5, 150_000],
  ['1,234.56', 1_234.56],
  [999_999_999_999.99, 999_999_999_999.99],
])('a form’s amount %j is stored as %j', (value, amount) => {
  expect(optionalMoney('Loan amount').parse(value)).toBe(amount)
})

test.each([-1, 1e12, 1e300, '9999999999999', '5e99', true, [], {}, ['5', '6'], '9'.repeat(400), Number.NaN])(
  'a form’s amount %j is refused',
  (value) => {
    const parsed = optionalMoney('Loan amount').safeParse(value)
    expect(parsed.error?.issues[0]?.message).toMatch(/^Loan amount must be /)
  },
)

test.each(['fifty thousand', '50-60k', '(50,000)', '1,50,000', '-5', '5 to 10', '$'])(
  'a request’s amount %j is refused with a text that quotes it',
  (text) => {
    expect(optionalMoney('Loan amount').safeParse(text).error?.issues[0]?.message).toBe(
      `Loan amount must be one amount in dollars, such as 50,000, not “${text}”`,
    )
  },
)

test.each([
  ['50-60k', 5_060],
  ['none', null],
  ['1,5m', 1_500_000],
])('the lead form sends for %j what it shows: %j', (text, amount) => {
  expect(typedMoney('Loan amount').parse(text)).toBe(amount)
})

test('text that is too long for an amount is refused without being parsed', () => {
  const started = performance.now()
  expect(optionalMoney('Loan amount').safeParse(`x${' '.repeat(60_000)}x`).success).toBe(false)
  expect(performance.now() - started).toBeLessThan(100)
})

test('amounts on a chart’s axis are abbreviated and keep the dollar sign', () => {
  expect([0, 500, 185_000, 1_291_000].map(formatMoneyInShort)).toEqual(['$0', '$500', '$185K', '$1.3M'])
})
