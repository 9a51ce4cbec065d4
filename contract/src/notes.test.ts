import { expect, test } from 'vitest'
import { NoteContent } from './note-form.ts'

const EMPTY = 'Please enter a note before submitting'
const SHORT = 'Note must be at least 5 characters long'
const LONG = 'Note is too long. Please keep it under 1000 characters.'

test.each([
  [undefined, EMPTY],
  [null, EMPTY],
  ['', EMPTY],
  ['   \n ', EMPTY],
  ['abcd', SHORT],
  ['  abcd   ', SHORT],
  ['x'.repeat(1_001), LONG],
  ['\u200b\u2800\u00ad', EMPTY],
  ['no\u200bte\u2060', SHORT],
  ['before\ud800after', 'Note contains a character that cannot be stored'],
])('the note %j is refused with %j', (text, message) => {
  expect(NoteContent.safeParse(text).error?.issues[0]?.message).toBe(message)
})

test.each(['abcde', 'x'.repeat(1_000), ` ${'x'.repeat(1_000)}  `, 'ひらがなで', 'two\nlines'])(
  'the note %j is accepted',
  (text) => {
    expect(NoteContent.parse(text)).toBe(text.trim())
  },
)
