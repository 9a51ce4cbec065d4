import { expect, test } from 'vitest'
import { type Block, type Inline, readMarkdown } from './markdown.ts'

/** What a page would show, in short: blocks as `h2(…)`, marks as `strong(…)`. */
function shown(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      switch (block.kind) {
        case 'heading':
          return `h${block.level}(${inline(block.content)})`
        case 'paragraph':
          return `p(${inline(block.content)})`
        case 'list':
          return `${block.isOrdered ? `ol${block.start}` : 'ul'}(${block.items.map(shown).join('; ')})`
        case 'quote':
          return `quote(${shown(block.content)})`
        case 'rule':
          return 'rule'
      }
    })
    .join(' ')
}

function inline(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (part.kind === 'break') return '/'
      if ('text' in part) return part.kind === 'code' ? `code(${part.text})` : part.text
      const href = part.kind === 'link' ? `${part.href} ` : ''
      return `${part.kind}(${href}${inline(part.content)})`
    })
    .join('')
}

test.each([
  ['# Terms #\n\nOne\ntwo.\n\nThree', 'h1(Terms) p(One two.) p(Three)'],
  [
    'a **b *c* d** and __e__ _f_ snake_case_name',
    'p(a strong(b emphasis(c) d) and strong(e) emphasis(f) snake_case_name)',
  ],
  ['- a\n- b\n  more\n\n  second\n- c\n\nafter', 'ul(p(a); p(b more) p(second); p(c)) p(after)'],
  ['3. a\n4. b\n   - x\n   - y\n1) c', 'ol3(p(a); p(b) ul(p(x); p(y)); p(c))'],
  ['1. a\n- b', 'ol1(p(a)) ul(p(b))'],
  ['text\n- a\nlazy', 'p(text) ul(p(a lazy))'],
  ['> a\n> - b\n\n---\n\n* * *', 'quote(p(a) ul(p(b))) rule rule'],
  ['one  \ntwo\\\nthree \\*not\\*', 'p(one/two/three *not*)'],
  [
    '[ask](https://lender.example/a?b=1) <mailto:a@b.example>',
    'p(link(https://lender.example/a?b=1 ask) link(mailto:a@b.example a@b.example))',
  ],
  ['`<b>` 2 * 3 * 4', 'p(code(<b>) 2 * 3 * 4)'],
  ['', ''],
])('%j is read as %s', (text, expected) => {
  expect(shown(readMarkdown(text))).toBe(expected)
})

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[a](javascript:alert(1))',
  '[a](data:text/html,b)',
])('%s is nothing but text', (text) => {
  expect(readMarkdown(text)).toEqual([{ kind: 'paragraph', content: [{ kind: 'text', text }] }])
})
