import { expect, test } from 'vitest'
import { prettyJson } from './json.ts'

test.each([
  ['{"a":{"b":[1,"x, y: {z}",null]},"c":[],"d":{}}'],
  ['[ {"quote":"\\"\\\\"} , true , -15 ]'],
  ['"only text"'],
  ['[[1],[]]'],
])('%s is laid out as JSON.stringify lays it out', (text) => {
  expect(prettyJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2))
})

test('parts that parsing would change stay unchanged', () => {
  expect(prettyJson('{"id":12345678901234567890,"id":1.0}')).toBe('{\n  "id": 12345678901234567890,\n  "id": 1.0\n}')
})

test('text other than JSON stays unchanged', () => {
  expect(prettyJson('<html>\n  {"a":1')).toBe('<html>\n  {"a":1')
  expect(prettyJson('')).toBe('')
})

test('the layout of thousands of nested brackets stays below a million characters', () => {
  const text = '['.repeat(5_000) + ']'.repeat(5_000)
  expect(prettyJson(text).length).toBeLessThan(1_000_000)
})
