import { expect, test } from 'vitest'
import { hasKeyForm, isWellFormedKey, keyPreview, newApiKey } from './key-format.ts'

const ZEROS = '0'.repeat(32)
/** A key whose checksum was calculated with Python's zlib. */
const KEY = `lp_${ZEROS}2wjyrI`

test.each([
  [KEY, true, true],
  ['lp_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL', true, true],
  [`lp_${ZEROS}000000`, true, false],
  [`lp_1${ZEROS.slice(1)}2wjyrI`, true, false],
  [`${KEY}0`, false, false],
  [`lp_${ZEROS}`, false, false],
  [KEY.toUpperCase(), false, false],
  [` ${KEY}`, false, false],
  [`${KEY}\n`, false, false],
  [`lp_${'-'.repeat(32)}000000`, false, false],
  [`lp_${'A'.repeat(40)}`, false, false],
  ['lp_', false, false],
  ['', false, false],
])('for %j, hasKeyForm returns %s and isWellFormedKey returns %s', (token, hasForm, isWellFormed) => {
  expect([hasKeyForm(token), isWellFormedKey(token)]).toEqual([hasForm, isWellFormed])
})

test('new keys have the right form and checksum, and all are different', () => {
  const keys = Array.from({ length: 2_000 }, newApiKey)
  expect(keys.filter((key) => !isWellFormedKey(key))).toEqual([])
  expect(new Set(keys).size).toBe(2_000)
})

test('every character of base62 occurs about equally often', () => {
  const counts = new Map<string, number>()
  for (let i = 0; i < 4_000; i++) {
    for (const character of newApiKey().slice(3, 35)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  expect(counts.size).toBe(62)
  const expected = (4_000 * 32) / 62
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // With 61 degrees of freedom, chi-square exceeds 150 in about two runs in a billion. If each character were a random
  // byte modulo 62, chi-square would be about 900.
  expect(chiSquare).toBeLessThan(150)
})

test('the checksum detects a changed character at any position', () => {
  const key = newApiKey()
  for (let at = 3; at < key.length; at++) {
    const other = key[at] === 'x' ? 'y' : 'x'
    expect([at, isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))]).toEqual([at, false])
  }
})

test('the preview is the first eight characters, followed by three dots', () => {
  expect(keyPreview('lp_abcdefghijkl')).toBe('lp_abcde...')
})
