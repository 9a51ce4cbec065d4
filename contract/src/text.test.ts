import { expect, test } from 'vitest'
import { Email, filterText, inOneLine, optionalText, requiredText } from './text.ts'

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['  Ada.Lovelace+loans@Example.COM ', 'ada.lovelace+loans@example.com'],
  ['a@b.c', 'a@b.c'],
  ['jörg@bücher.example', 'jörg@bücher.example'],
])('the email %j is stored as %j', (text, stored) => {
  expect(Email.parse(text)).toBe(stored)
})

test.each([
  [undefined, 'Email is required'],
  ['', 'Email is required'],
  ['  ', 'Email is required'],
  [5, 'Email is required'],
  ['ada', 'Please enter a valid email address'],
  ['ada@example', 'Please enter a valid email address'],
  ['ada@@example.com', 'Please enter a valid email address'],
  ['ada lovelace@example.com', 'Please enter a valid email address'],
  ['ada\u001b[2J@example.com', 'Email must be one line of plain text'],
  [`${'a'.repeat(250)}@b.co`, 'Email must be 254 characters or fewer'],
])('the email %j is refused with %j', (text, message) => {
  expect(Email.safeParse(text).error?.issues[0]?.message).toBe(message)
})

test.each(['Ada\nBcc: eve@example.com', 'Ada\u001b[2J', 'Ada\u202eexe.fdp'])('the name %j is refused', (name) => {
  const Name = optionalText('First name', 100).check(inOneLine('First name'))
  expect(Name.safeParse(name).error?.issues[0]?.message).toBe('First name must be one line of plain text')
  expect([Name.parse(' Zoë O’Brien–Lee '), Name.parse(null)]).toEqual(['Zoë O’Brien–Lee', null])
})

test('text that is too long is refused before any pattern is tried on it', () => {
  const { error } = Email.safeParse(`a@${'a.'.repeat(32_000)} b`)
  expect(error?.issues.map(({ message }) => message)).toEqual(['Email must be 254 characters or fewer'])
})

test.each(['a\u0000b', 'a\ud800b', '\udc00'])('%j cannot be stored and is refused', (text) => {
  for (const schema of [requiredText('Name', 10), optionalText('Name', 10), filterText('Name', 10)]) {
    expect(schema.safeParse(text).error?.issues[0]?.message).toBe('Name contains a character that cannot be stored')
  }
})

test('emoji and accents are stored as they are', () => {
  expect(requiredText('Name', 20).parse(' Zoë 🚚 ')).toBe('Zoë 🚚')
})

test('blank optional text becomes null, a blank filter counts as absent, and a repeated filter is refused', () => {
  expect([undefined, null, '', ' '].map((value) => optionalText('Title', 5).parse(value))).toEqual([
    null,
    null,
    null,
    null,
  ])
  expect([undefined, '', ' '].map((value) => filterText('status', 5).parse(value))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(filterText('status', 5).safeParse(['a', 'b']).error?.issues[0]?.message).toBe(
    'status must not be given more than once',
  )
})
