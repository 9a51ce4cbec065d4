export type CodeLanguage = 'json' | 'bash' | 'javascript' | 'python'
export type TokenKind = 'key' | 'string' | 'comment' | 'keyword' | 'number'

export interface CodeToken {
  text: string
  kind?: TokenKind
}

const DOUBLE_QUOTED = String.raw`"(?:\\[\s\S]|[^"\\])*"`
const SINGLE_QUOTED = String.raw`'(?:\\[\s\S]|[^'\\])*'`
const NUMBER = String.raw`(?<number>(?<![\w.])-?\d[\d_.]*(?:[eE][+-]?\d+)?\b)`

/** These patterns need not be exact, because they only choose colours. */
const PATTERNS: Record<CodeLanguage, RegExp> = {
  json: patternOf(
    String.raw`(?<key>${DOUBLE_QUOTED}(?=\s*:))`,
    `(?<string>${DOUBLE_QUOTED})`,
    keywords('true|false|null'),
    NUMBER,
  ),
  bash: patternOf(
    // A backslash is plain text between single quotes.
    `(?<string>${DOUBLE_QUOTED}|'[^']*')`,
    String.raw`(?<comment>(?<!\S)#.*)`,
    keywords('curl|export|echo|if|then|fi|for|do|done'),
  ),
  javascript: patternOf(
    `(?<string>${DOUBLE_QUOTED}|${SINGLE_QUOTED}|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\`)`,
    String.raw`(?<comment>//.*|/\*[\s\S]*?\*/)`,
    keywords(
      'async|await|catch|class|const|else|export|false|for|from|function|if|import|let|new|null|return|throw|true|try|undefined',
    ),
    NUMBER,
  ),
  python: patternOf(
    `(?<string>${DOUBLE_QUOTED}|${SINGLE_QUOTED})`,
    String.raw`(?<comment>#.*)`,
    keywords('and|as|def|else|except|False|for|from|if|import|in|is|None|not|or|raise|return|True|try|with'),
    NUMBER,
  ),
}

/** Splits the code into tokens. Their texts, joined together, are the code again. */
export function codeTokens(code: string, language: CodeLanguage): CodeToken[] {
  const tokens: CodeToken[] = []
  let end = 0
  for (const match of code.matchAll(PATTERNS[language])) {
    if (match.index > end) tokens.push({ text: code.slice(end, match.index) })
    tokens.push({ text: match[0], kind: kindOf(match.groups) })
    end = match.index + match[0].length
  }
  if (end < code.length) tokens.push({ text: code.slice(end) })
  return tokens
}

const KINDS: readonly TokenKind[] = ['key', 'string', 'comment', 'keyword', 'number']

function kindOf(groups: Record<string, string | undefined> | undefined): TokenKind | undefined {
  return KINDS.find((kind) => groups?.[kind] !== undefined)
}

function keywords(words: string): string {
  return String.raw`(?<keyword>(?<![\w.$-])(?:${words})(?![\w$-]))`
}

function patternOf(...parts: string[]): RegExp {
  return new RegExp(parts.join('|'), 'g')
}
