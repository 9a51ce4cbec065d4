import { expect, test } from 'vitest'
import { Email, filterText, inOneLine, KnownEmail, optionalText, requiredText } from './text.ts'

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['  Ada.Lovelace+loans@Example.COM ', 'ada.lovelace+loans@example.com'],
  ['a@b.c', 'a@b.c'],
  ['jörg@bücher.example', 'jörg@xn--bcher-kva.example'],
  ['jo\u0308rg@bu\u0308cher.example', 'jörg@xn--bcher-kva.example'],
  ['JÖRG@XN--BCHER-KVA.example', 'jörg@xn--bcher-kva.example'],
  ['ada\u200d@exam\u200bple.com\ufeff', 'ada@example.com'],
  ['\u202aada\u00ad@example\u3002com\u202c', 'ada@example.com'],
  ['山田@例え。テスト', '山田@xn--r8jz45g.xn--zckzah'],
])('the email %j is stored as %j', (text, stored) => {
  expect(Email.parse(text)).toBe(stored)
})

function invalid(email: string): [string, string] {
  return [email, 'Please enter a valid email address']
}

test.each([
  [undefined, 'Email is required'],
  ['', 'Email is required'],
  ['  ', 'Email is required'],
  [5, 'Email is required'],
  ['ada', 'Please enter a valid email address'],
  ['ada@example', 'Please enter a valid email address'],
  ['ada@@example.com', 'Please enter a valid email address'],
  ['ada lovelace@example.com', 'Please enter a valid email address'],
  ['\u200b\u3164', 'Email is required'],
  ['ada\u3002@example', 'Please enter a valid email address'],
  ...['a>b@x.example', 'a<b@x.example', 'a,b@x.example', 'a;b@x.example', 'a:b@x.example', '"a"@x.example'].map(
    invalid,
  ),
  ...['a\\b@x.example', 'a(b)@x.example', '[a]@x.example', '.a@x.example', 'a.@x.example', 'a..b@x.example'].map(
    invalid,
  ),
  ...['a@x.example.', 'a@.x.example', 'a@x..example', 'a@[192.0.2.1]', 'a@x，y.example', 'a@x.example/y'].map(invalid),
  [`${'a'.repeat(250)}@b.co`, 'Email must be 254 characters or fewer'],
])('the email %j is refused with %j', (text, message) => {
  expect(Email.safeParse(text).error?.issues[0]?.message).toBe(message)
})

test('an odd address that an earlier version took still signs in', () => {
  expect(KnownEmail.parse('X,Y@Example.com')).toBe('x,y@example.com')
})

test.each(['Ada\nBcc: eve@example.com', 'Ada\u2028Lovelace', 'Ada\tLovelace'])('the name %j is refused', (name) => {
  const Name = optionalText('First name', 100).check(inOneLine('First name'))
  expect(Name.safeParse(name).error?.issues[0]?.message).toBe('First name must be one line of plain text')
  expect([Name.parse(' Zoë O’Brien–Lee '), Name.parse(null)]).toEqual(['Zoë O’Brien–Lee', null])
})

test('text that is too long is refused before any pattern is tried on it', () => {
  const { error } = Email.safeParse(`a@${'a.'.repeat(32_000)} b`)
  expect(error?.issues.map(({ message }) => message)).toEqual(['Email must be 254 characters or fewer'])
})

test.each(['a\ud800b', '\udc00'])('%j cannot be stored and is refused', (text) => {
  for (const schema of [requiredText('Name', 10), optionalText('Name', 10), filterText('Name', 10)]) {
    expect(schema.safeParse(text).error?.issues[0]?.message).toBe('Name contains a character that cannot be stored')
  }
})

test('a required text must have something that can be seen', () => {
  for (const text of ['\u200b', '\u3164', '\u2800 \u2060', '\u{e0041}', '\u202e\ufe0f']) {
    expect(requiredText('Name', 20).safeParse(text).error?.issues[0]?.message).toBe('Name is required')
    expect([optionalText('Name', 20).parse(text), filterText('Name', 20).parse(text)]).toEqual([null, undefined])
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
