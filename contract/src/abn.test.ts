import { expect, test } from 'vitest'
import { businessNumberWarning, isAbn, isNzbn, normalizeBusinessNumber } from './abn.ts'

test.each(['51824753556', '51 824 753 556', ' 53 004 085 616 '])('%s is an ABN', (text) => {
  expect(isAbn(text)).toBe(true)
})

test.each(['51824753557', '5182475355', '518247535566', '00000000000', 'abcdefghijk', ''])(
  '%s is not an ABN',
  (text) => {
    expect(isAbn(text)).toBe(false)
  },
)

test.each([
  ['9429000000017', true],
  ['9429 0000 00017', true],
  ['9429000000018', false],
  ['942900000001', false],
])('whether %s is an NZBN: %s', (text, expected) => {
  expect(isNzbn(text)).toBe(expected)
})

test.each([
  ['', 'AU', null],
  ['51 824 753 556', 'AU', null],
  ['51-824-753-556', 'AU', null],
  ['9429–0000–00017', 'NZ', null],
  ['51 824 753 556', 'NZ', null],
  ['9429000000017', 'NZ', null],
  ['9429000000017', 'AU', 'This does not look like a valid ABN'],
  ['12345', 'AU', 'This does not look like a valid ABN'],
  ['12345', 'NZ', 'This does not look like a valid NZBN'],
] as const)('the number %j with the country %s gets the warning %j', (text, iso, warning) => {
  expect(businessNumberWarning(text, iso)).toBe(warning)
})

test.each([
  [' 51 824\t753 556 ', '51824753556'],
  ['51-824-753-556', '51824753556'],
  ['51.824.753.556', '51824753556'],
  ['ABN: 51 824 753 556', '51824753556'],
  ['51\u2011824\u00a0753\u200b556', '51824753556'],
  ['５１８２４７５３５５６', '51824753556'],
  ['NZBN 9429-0000-00017', '9429000000017'],
  ['12-345', '12-345'],
  ['to follow', 'tofollow'],
])('the business number %j is stored as %j', (text, stored) => {
  expect(normalizeBusinessNumber(text)).toBe(stored)
})
