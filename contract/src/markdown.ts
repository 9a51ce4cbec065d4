export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: Inline[] }
  | { kind: 'link'; href: string; content: Inline[] }
  | { kind: 'break' }

export type Block =
  | { kind: 'heading'; level: number; content: Inline[] }
  | { kind: 'paragraph'; content: Inline[] }
  | { kind: 'list'; isOrdered: boolean; start: number; items: Block[][] }
  | { kind: 'quote'; content: Block[] }
  | { kind: 'rule' }

/**
 * Reads the Markdown of the lender's own texts (D114): headings, paragraphs, lists, quotes, rules, bold, italics,
 * code and links. It knows no HTML: tags are text like any other, and so are links to anything but web pages, mail and
 * phone. So a page can show the result without trusting the text.
 */
export function readMarkdown(text: string): Block[] {
  return readBlocks(text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/))
}

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,3}(?:[-*+]|(\d{1,9})[.)]) {1,4})(\S.*)$/

function readBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const heading = HEADING.exec(line)
    if (line.trim() === '') {
      at += 1
    } else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, content: readInline(heading[2] ?? '') })
      at += 1
    } else if (RULE.test(line)) {
      blocks.push({ kind: 'rule' })
      at += 1
    } else if (QUOTE.test(line)) {
      const quoted = takeWhile(lines, at, (one) => QUOTE.test(one))
      blocks.push({ kind: 'quote', content: readBlocks(quoted.map((one) => one.replace(QUOTE, ''))) })
      at += quoted.length
    } else if (ITEM.test(line)) {
      const { list, taken } = readList(lines.slice(at))
      blocks.push(list)
      at += taken
    } else {
      const [first = '', ...more] = takeWhile(lines, at, (one, index) => index === at || !startsBlock(one))
      blocks.push({ kind: 'paragraph', content: readInline([first, ...more].map((one) => one.trimStart()).join('\n')) })
      at += 1 + more.length
    }
  }
  return blocks
}

/** A list goes on over blank lines as long as the next line is an item of the same kind or indented below one. */
function readList(lines: readonly string[]): { list: Block; taken: number } {
  const items: string[][] = []
  const number = ITEM.exec(lines[0] ?? '')?.[2]
  let indent = 0
  let taken = 0
  for (const [index, line] of lines.entries()) {
    const item = ITEM.exec(line)
    const isIndented = indent > 0 && line.slice(0, indent).trim() === '' && line.trim() !== ''
    if (isIndented) items.at(-1)?.push(line.slice(indent))
    else if (item && !RULE.test(line) && (item[2] === undefined) === (number === undefined)) {
      indent = item[1]?.length ?? 0
      items.push([item[3] ?? ''])
    } else if (line.trim() === '') {
      items.at(-1)?.push('')
      continue
    } else if (lines[index - 1]?.trim() === '' || startsBlock(line)) break
    else items.at(-1)?.push(line.trim())
    taken = index + 1
  }
  const list: Block = {
    kind: 'list',
    isOrdered: number !== undefined,
    start: Number(number ?? 1),
    items: items.map(readBlocks),
  }
  return { list, taken }
}

function startsBlock(line: string): boolean {
  return line.trim() === '' || [HEADING, RULE, QUOTE, ITEM].some((start) => start.test(line))
}

function takeWhile(lines: readonly string[], from: number, test: (line: string, index: number) => boolean): string[] {
  const end = lines.findIndex((line, index) => index >= from && !test(line, index))
  return lines.slice(from, end === -1 ? undefined : end)
}

/** In this order: an escaped sign, code, a link, an address in angle brackets, bold, italics, a forced line break. */
const MARKS =
  /\\([!-/:-@[-`{-~])|`([^`]+)`|\[([^[\]]*)\]\(([^\s()]+)\)|<((?:https?:\/\/|mailto:)[^\s<>]+)>|\*\*(?=\S)([\s\S]*?\S)\*\*|__(?=\S)([\s\S]*?\S)__|\*(?=\S)([^*]*[^*\s])\*|(?<!\w)_(?=\S)([^_]*[^_\s])_(?!\w)|(?: {2,}|\\)\n/g

function readInline(text: string): Inline[] {
  const parts: Inline[] = []
  const add = (words: string) => {
    const last = parts.at(-1)
    const plain = words.replace(/\s+/g, ' ')
    if (plain === '') return
    if (last?.kind === 'text') last.text += plain
    else parts.push({ kind: 'text', text: plain })
  }
  let end = 0
  for (const mark of text.matchAll(MARKS)) {
    const [whole, escaped, code, label, href, address, strong, strong2, emphasis, emphasis2] = mark
    add(text.slice(end, mark.index))
    end = mark.index + whole.length
    const bold = strong ?? strong2
    const italic = emphasis ?? emphasis2
    if (escaped !== undefined) add(escaped)
    else if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (label !== undefined && href !== undefined) {
      if (isSafe(href)) parts.push({ kind: 'link', href, content: readInline(label) })
      else add(whole)
    } else if (address !== undefined) {
      parts.push({ kind: 'link', href: address, content: [{ kind: 'text', text: address.replace(/^mailto:/, '') }] })
    } else if (bold !== undefined) parts.push({ kind: 'strong', content: readInline(bold) })
    else if (italic !== undefined) parts.push({ kind: 'emphasis', content: readInline(italic) })
    else parts.push({ kind: 'break' })
  }
  add(text.slice(end))
  return parts
}

function isSafe(href: string): boolean {
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(href)
}
