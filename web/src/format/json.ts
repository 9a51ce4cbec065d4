const TOKENS = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Deeper levels are not indented further, because thousands of nested brackets would become megabytes of spaces. */
const INDENTED_LEVELS_MAX = 40

/**
 * Breaks JSON text into lines, and leaves other text unchanged. It works on the text itself, because parsing would
 * change long numbers and lose keys that occur twice.
 */
export function prettyJson(text: string): string {
  if (!isJson(text)) return text
  const tokens = text.match(TOKENS) ?? []
  let level = 0
  const pieces = tokens.map((token, position) => {
    if (isOpening(token)) {
      level += 1
      return isClosing(tokens[position + 1]) ? token : token + newLine(level)
    }
    if (isClosing(token)) {
      level -= 1
      return isOpening(tokens[position - 1]) ? token : newLine(level) + token
    }
    if (token === ',') return token + newLine(level)
    return token === ':' ? ': ' : token
  })
  return pieces.join('')
}

function newLine(level: number): string {
  return `\n${'  '.repeat(Math.min(level, INDENTED_LEVELS_MAX))}`
}

function isOpening(token: string | undefined): boolean {
  return token === '{' || token === '['
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
