import { expect, test } from 'vitest'
import { formatPhone, isFreephone, isUndecided, lacksDigit, phoneDigits, phoneReadings, readPhone } from './phone.ts'

test.each([
  // The specification's patterns: AU mobile, AU landline, NZ mobile, NZ landline, with and without country code.
  ['+61 412 345 678', 'AU', 'mobile', '+61412345678'],
  ['61412345678', 'AU', 'mobile', '+61412345678'],
  ['412 345 678', 'AU', 'mobile', '+61412345678'],
  ['+61 2 5550 1234', 'AU', 'landline', '+61255501234'],
  ['2 5550 1234', 'AU', 'landline', '+61255501234'],
  ['3 5550 1234', 'AU', 'landline', '+61355501234'],
  ['7 5550 1234', 'AU', 'landline', '+61755501234'],
  ['8 5550 1234', 'AU', 'landline', '+61855501234'],
  ['+64 21 123 456', 'NZ', 'mobile', '+6421123456'],
  ['+64 21 123 4567', 'NZ', 'mobile', '+64211234567'],
  ['64 21 1234 5678', 'NZ', 'mobile', '+642112345678'],
  ['21 123 456', 'NZ', 'mobile', '+6421123456'],
  ['+64 3 123 456', 'NZ', 'landline', '+643123456'],
  ['+64 9 123 4567', 'NZ', 'landline', '+6491234567'],
  ['64 4 123 4567', 'NZ', 'landline', '+6441234567'],
  ['7 123 4567', 'NZ', 'landline', '+6471234567'],
  // D19 adds to the patterns: a trunk 0, even after the country code, and NZ 06.
  ['0412 345 678', 'AU', 'mobile', '+61412345678'],
  ['02 5550 1234', 'AU', 'landline', '+61255501234'],
  ['(02) 5550-1234', 'AU', 'landline', '+61255501234'],
  ['+61 (0)412 345 678', 'AU', 'mobile', '+61412345678'],
  ['021 123 456', 'NZ', 'mobile', '+6421123456'],
  ['+64 (0)21 123 4567', 'NZ', 'mobile', '+64211234567'],
  ['06 123 4567', 'NZ', 'landline', '+6461234567'],
  ['+64 6 123 4567', 'NZ', 'landline', '+6461234567'],
  // 021 and 022 exist only in New Zealand (D50).
  ['021 123 4567', 'NZ', 'mobile', '+64211234567'],
  ['022 123 4567', 'NZ', 'mobile', '+64221234567'],
  ['2 1123 4567', 'NZ', 'mobile', '+64211234567'],
  ['+61 2 1123 4567', 'AU', 'landline', '+61211234567'],
  // 0061 and 0064 mean +61 and +64.
  ['0061 412 345 678', 'AU', 'mobile', '+61412345678'],
  ['0064 21 123 4567', 'NZ', 'mobile', '+64211234567'],
  // From Australia, 0011 begins an international number.
  ['0011 61 412 345 678', 'AU', 'mobile', '+61412345678'],
  ['0011-64-21-123-4567', 'NZ', 'mobile', '+64211234567'],
  ['(0011) 61 (0)2 5550 1234', 'AU', 'landline', '+61255501234'],
  ['０４１２　３４５　６７８', 'AU', 'mobile', '+61412345678'],
  ['＋６１（０）２ ５５５０－１２３４', 'AU', 'landline', '+61255501234'],
  ['\u2068+64\u00a021\u2011123\u22124567\u2069', 'NZ', 'mobile', '+64211234567'],
  // These numbers fit both countries. Unless somebody chooses the other one, they are read like this (D120).
  ['027 123 4567', 'AU', 'landline', '+61271234567'],
  ['028 1234 5678', 'NZ', 'mobile', '+642812345678'],
  ['02 8123 4567', 'AU', 'landline', '+61281234567'],
  ['02 9123 4567', 'AU', 'landline', '+61291234567'],
  ['020 412 3456', 'NZ', 'mobile', '+64204123456'],
])('%s is read as %s %s %s', (text, country, kind, e164) => {
  expect(readPhone(text)).toEqual({ country, kind, e164 })
})

test.each([
  '',
  'call me',
  '12345',
  '0512 345 678',
  '+61 512 345 678',
  '+61 412 345 67',
  '+61 412 345 6789',
  '+64 8 123 4567',
  '+64 21 12345',
  '+64 21 1234567890',
  '1300 123 456',
  // Section 5's patterns have no 0, and these 0s are no trunk 0 (D144).
  '0800 123 456',
  '0508 123 456',
  '0900 12345',
  '+64 (0)800 123 456',
  '+61 0800 123 456',
  '0011 64 0800 123 456',
  '0011 61 512 345 678',
  '+1 555 010 9999',
  '0412 345 678 ext 4',
  '٠٤١٢٣٤٥٦٧٨',
  // +61 or +64 decides the country, so these are not New Zealand 06 numbers.
  '+61 123 456',
  '+61 1234 567',
  '+64 123 456',
  '0061 512 345 678',
])('%j is not a phone number in either country', (text) => {
  expect(phoneReadings(text)).toEqual([])
})

test('invisible characters, which contact apps add to a copied number, do not matter', () => {
  expect(phoneReadings('\u202a+61 412 345 678\u202c').map((reading) => reading.e164)).toEqual(['+61412345678'])
  expect(phoneReadings('\u200e02 5550\u200b 1234').map((reading) => reading.e164)).toEqual(['+61255501234'])
  expect(phoneReadings('\u202a+61 123 456\u202c')).toEqual([])
})

test.each([
  ['020 123 4567', ['NZ', 'AU']],
  ['0271234567', ['AU', 'NZ']],
  ['028 123 4567', ['AU', 'NZ']],
  ['029 123 4567', ['AU', 'NZ']],
  ['021 123 4567', ['NZ']],
  ['02 5550 1234', ['AU']],
  ['0222 123 456', ['NZ']],
  ['+64 21 123 4567', ['NZ']],
  ['64 21 123 4567', ['NZ']],
  ['+61 2 1123 4567', ['AU']],
  ['0412 345 678', ['AU']],
  ['09 123 4567', ['NZ']],
])('%s fits the countries %j', (text, countries) => {
  expect(phoneReadings(text).map((reading) => reading.country)).toEqual(countries)
})

test('the chosen country decides only if the number fits both countries', () => {
  expect(readPhone('027 123 4567', 'NZ')?.e164).toBe('+64271234567')
  expect(readPhone('027 123 4567', 'AU')?.e164).toBe('+61271234567')
  expect(readPhone('+61 412 345 678', 'NZ')?.country).toBe('AU')
})

test.each([
  ['+61412345678', '+61 412 345 678'],
  ['+61255501234', '+61 2 5550 1234'],
  ['+6421123456', '+64 21 123 456'],
  ['+64211234567', '+64 21 123 4567'],
  ['+642112345678', '+64 21 1234 5678'],
  ['+6491234567', '+64 9 123 4567'],
  ['+643123456', '+64 3 123 456'],
  ['0412000333', '0412 000 333'],
  ['412 000 333', '0412 000 333'],
  ['(02) 5550 1234', '02 5550 1234'],
  ['0211234567', '021 123 4567'],
  ['091234567', '09 123 4567'],
  ['0061412000333', '+61 412 000 333'],
  ['0271234567', '0271234567'],
  ['2125550123', '(212) 555-0123'],
  ['5550109999', '(555) 010-9999'],
  ['15550109999', '+1 (555) 010-9999'],
  ['+1 555-010-9999', '+1 (555) 010-9999'],
  ['25550109999', '25550109999'],
  ['131313', '131313'],
  ['+61 1300', '+61 1300'],
  ['ask for Jo', 'ask for Jo'],
  ['', ''],
  [null, ''],
])('%j is shown as %j', (phone, shown) => {
  expect(formatPhone(phone)).toBe(shown)
})

test('04 and seven digits look like an Australian mobile with a digit missing', () => {
  expect(['041234567', '04 1234 567', '0412345678', '+64 4 123 4567', '041234'].map(lacksDigit)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test.each([
  ['+61 412 345 678', '412345678'],
  ['0412 345 678', '412345678'],
  ['+61 (0)412 345 678', '412345678'],
  ['0061 412 345 678', '412345678'],
  ['021 123', '21123'],
  ['+64', ''],
])('phoneDigits turns %s into %j', (text, digits) => {
  expect(phoneDigits(text)).toBe(digits)
})

test.each([
  ['0800 123 456', true],
  ['0800 83 83 83', true],
  ['0508 123 456', true],
  ['0900 12345', true],
  ['1300 123 456', true],
  ['1800 123 456', true],
  ['13 11 14', true],
  ['+61 1300 123 456', true],
  ['+64 800 123 456', true],
  ['０８００　１２３　４５６', true],
  // The specification's patterns let these pass.
  ['+61 800 123 456', false],
  ['800 123 456', false],
  ['08 8123 4567', false],
  ['0412 345', false],
  ['+64 13', false],
])('whether %s is a freephone or 13 number: %s', (text, expected) => {
  expect(isFreephone(text)).toBe(expected)
})

test('only 027 leaves the country open', () => {
  const numbers = ['027 123 4567', '27 123 4567', '028 123 4567', '020 123 4567', '+61 2 7123 4567', '027 123 456']
  expect(numbers.map(isUndecided)).toEqual([true, true, false, false, false, false])
})
