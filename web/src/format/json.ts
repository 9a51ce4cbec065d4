const TOKENS = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Deeper levels stand as far in as this one: thousands of brackets would become megabytes of spaces. */
const INDENTED_LEVELS_MAX = 40

/**
 * JSON text over many lines; anything else as it is. Works on the text itself, since a number of more than 16 digits
 * and a key that stands twice would not survive being parsed.
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
