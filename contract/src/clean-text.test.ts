import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanCode, cleanText } from './clean-text.ts'

test.each([
  ['Zoe\u0308 O’Brien', 'Zoë O’Brien'],
  ['A\u200bda', 'Ada'],
  ['\ufeffAda\u00ad Love\u2060lace\u200e', 'Ada Lovelace'],
  ['before\u0000after\u001b[2J', 'beforeafter[2J'],
  ['Ada\u202eexe.fdp', 'Adaexe.fdp'],
  ['Ada\u{e0041}\u{e0042}', 'Ada'],
  ['one\r\ntwo\rthree\u2028four\tfive', 'one\ntwo\nthree\nfour\tfive'],
  // These look empty.
  ['\u3164', ''],
  [' \u2800\u200d\u115f ', ''],
  ['\u200b\u{e0100}', ''],
  // A joiner or selector that changes what the screen shows stays, any other goes.
  ['می\u200cخواهم', 'می\u200cخواهم'],
  ['ක්\u200dෂ', 'ක්\u200dෂ'],
  ['ada\u200d', 'ada'],
  ['a\u200d\u200db', 'ab'],
  ['👩🏽\u200d🚒 ❤\ufe0f 👨\u200d👩\u200d👧 1\ufe0f\u20e3', '👩🏽\u200d🚒 ❤\ufe0f 👨\u200d👩\u200d👧 1\ufe0f\u20e3'],
  [
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ],
  ['辻\u{e0100}さん a\ufe0f', '辻\u{e0100}さん a'],
  ['\u0601123', '\u0601123'],
])('%j is stored as %j', (text, stored) => {
  expect(cleanText(text)).toBe(stored)
})

test('a code loses every sign that nobody sees, joiners included', () => {
  expect(cleanCode('\ufeffad\u200da@exa\u00admple.com\u200b')).toBe('ada@example.com')
})

const SOME_OF_EACH = Array.from(
  'Aaéß -.1\n\t\r١٢アｱ가ᄀ字辻שׁᠠकක👩🏽🚒❤🏴' +
    '\u0301\u0323\u0338\u094d\u0dca\u0601\u1160\u11a8\u2126\u20e3\u2800\u3164\u{2f800}' +
    '\u0000\u00ad\u180b\u200b\u200c\u200d\u2028\u202e\ufe00\ufe0f\ufeff\ufff9\u{e0062}\u{e0067}\u{e007f}\u{e0100}',
)
const LONE_SURROGATE = '\ud800'

const anyCodePoint = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point))

test('cleaning a text twice changes nothing more, and whatever can be seen stays', () => {
  const anyText = fc.oneof(
    fc.string({ unit: anyCodePoint, maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.array(fc.constantFrom(...SOME_OF_EACH, LONE_SURROGATE), { maxLength: 12 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(anyText, (text) => {
      const cleaned = cleanText(text)
      expect(cleanText(cleaned)).toBe(cleaned)
      expect(cleaned).toBe(cleaned.normalize('NFC'))
      expect(seen(cleaned)).toBe(seen(text))
    }),
    { numRuns: 1_000 },
  )
})

/** The characters of a text that a screen shows. */
function seen(text: string): string {
  return text.replace(/[\s\u2800\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu, '').normalize('NFC')
}
