import { expect, test } from 'vitest'
import { type CodeLanguage, codeTokens } from './code-tokens.ts'

function kindsOf(code: string, language: CodeLanguage) {
  return codeTokens(code, language)
    .filter(({ kind }) => kind)
    .map(({ text, kind }) => [kind, text])
}

test('keys and strings of JSON are different tokens', () => {
  expect(kindsOf('{"a\\"b": "c", "d" : [1.5e3, -2, true, null]}', 'json')).toEqual([
    ['key', '"a\\"b"'],
    ['string', '"c"'],
    ['key', '"d"'],
    ['number', '1.5e3'],
    ['number', '-2'],
    ['keyword', 'true'],
    ['keyword', 'null'],
  ])
})

test('an address in a string is not a comment, and part of a word is not a keyword', () => {
  const code = "const newest = await fetch('https://a.example') // ask\nimport.meta.if_2"
  expect(kindsOf(code, 'javascript')).toEqual([
    ['keyword', 'const'],
    ['keyword', 'await'],
    ['string', "'https://a.example'"],
    ['comment', '// ask'],
    ['keyword', 'import'],
  ])
  expect(kindsOf('import os # all\nos.environ["KEY"]', 'python')).toEqual([
    ['keyword', 'import'],
    ['comment', '# all'],
    ['string', '"KEY"'],
  ])
  expect(kindsOf('# first\ncurl -X POST https://a.example/#x -d \'{"a": 1}\'', 'bash')).toEqual([
    ['comment', '# first'],
    ['keyword', 'curl'],
    ['string', '\'{"a": 1}\''],
  ])
})

test.each(['json', 'bash', 'javascript', 'python'] as const)(
  'the tokens of %s contain every character of the code',
  (language) => {
    const code = 'a "unfinished \\" text\n{"x": \'y\', `z` 12 // # <b>&amp;\n'
    expect(
      codeTokens(code, language)
        .map(({ text }) => text)
        .join(''),
    ).toBe(code)
  },
)
