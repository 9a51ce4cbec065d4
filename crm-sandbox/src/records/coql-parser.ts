import type { Condition, Operator } from './conditions.ts'

type Aggregate = 'count' | 'sum' | 'avg' | 'min' | 'max'

export type Selected = { column: string; aggregate?: Aggregate; alias?: string }

export type CoqlQuery = {
  select: Selected[]
  module: string
  where: Condition
  groupBy: string[]
  orderBy: { column: string; descends: boolean }[]
  limit: number
  offset: number
}

/** Thrown if a query does not parse. Names the clause that is wrong or missing. */
export class CoqlSyntaxError extends Error {
  readonly clause: string

  constructor(clause: string, message: string) {
    super(message)
    this.clause = clause
  }
}

type Token = { kind: 'word' | 'text' | 'number' | 'symbol' | 'end'; text: string }

/*
 * Matches one token at a time: quoted text (a quote inside it is doubled), a number with an optional sign, a name that
 * may contain dots, a comparison sign, or punctuation. Example: `Amount >= 5000` gives a word, a symbol and a number.
 */
const TOKEN =
  /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|([+-]?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)|(!=|<>|>=|<=|[=<>(),*]))/y

const AGGREGATES: { [name: string]: Aggregate } = { count: 'count', sum: 'sum', avg: 'avg', min: 'min', max: 'max' }

const COMPARISONS: { [symbol: string]: Operator } = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
}

/**
 * Parses a query. Without a limit, a query gives at most 200 rows. With `needsPairs`, more than two conditions must be
 * bracketed in pairs.
 */
export function parseCoql(query: string, needsPairs: boolean): CoqlQuery {
  const { since, place, peek, take, skipWord, skipSymbol, needWord, needSymbol, needName } = openTokens(query)

  function selected(): Selected {
    const name = needName('select')
    const aggregate = AGGREGATES[name.toLowerCase()]
    let item: Selected = { column: name }
    if (aggregate && skipSymbol('(')) {
      item = { column: skipSymbol('*') ? 'id' : needName('select'), aggregate }
      needSymbol(')', 'select')
    }
    return skipWord('as') ? { ...item, alias: needName('select') } : item
  }

  function listOf<T>(one: () => T): T[] {
    const items = [one()]
    while (skipSymbol(',')) items.push(one())
    return items
  }

  function value(): string {
    const token = take()
    if (token.kind === 'text' || token.kind === 'number') return token.text
    if (token.kind === 'word' && /^(true|false)$/i.test(token.text)) return token.text.toLowerCase()
    throw new CoqlSyntaxError('where', `value expected near "${token.text}"`)
  }

  function test(): Condition {
    const column = needName('where')
    const make = (operator: Operator, values: string[]): Condition => ({ kind: 'test', column, operator, values })
    if (skipWord('is')) {
      const negated = skipWord('not')
      needWord('null')
      return make(negated ? 'is not null' : 'is null', [])
    }
    const negated = skipWord('not')
    if (skipWord('in')) {
      needSymbol('(', 'where')
      const values = listOf(value)
      needSymbol(')', 'where')
      return make(negated ? 'not in' : 'in', values)
    }
    if (skipWord('like')) return make(negated ? 'not like' : 'like', [value()])
    if (skipWord('between')) {
      const from = value()
      needWord('and')
      return make(negated ? 'not between' : 'between', [from, value()])
    }
    const comparison = peek().kind === 'symbol' ? COMPARISONS[peek().text] : undefined
    if (negated || !comparison) throw new CoqlSyntaxError('where', `operator expected near "${peek().text}"`)
    take()
    return make(comparison, [value()])
  }

  function single(): Condition {
    if (!skipSymbol('(')) return test()
    const inner = either()
    needSymbol(')', 'where')
    return inner
  }

  function joined(word: 'and' | 'or', part: () => Condition): Condition {
    const first = part()
    const parts = [first]
    while (skipWord(word)) parts.push(part())
    if (parts.length === 1) return first
    if (needsPairs && parts.length > 2) {
      throw new CoqlSyntaxError('where', 'more than two criteria have to be grouped in pairs')
    }
    return { kind: word, parts }
  }

  function both(): Condition {
    return joined('and', single)
  }

  function either(): Condition {
    const before = place()
    const condition = joined('or', both)
    const mixes = condition.kind === 'or' && condition.parts.some((part) => part.kind === 'and')
    if (needsPairs && mixes && !bracketed(since(before))) {
      throw new CoqlSyntaxError('where', 'more than two criteria have to be grouped in pairs')
    }
    return condition
  }

  needWord('select')
  const select = listOf(selected)
  needWord('from')
  const module = needName('from')
  needWord('where')
  const where = either()
  const groupBy = skipWord('group') ? (needWord('by'), listOf(() => needName('group by'))) : []
  const orderBy = skipWord('order')
    ? (needWord('by'),
      listOf(() => {
        const column = needName('order by')
        return { column, descends: skipWord('desc') || (skipWord('asc'), false) }
      }))
    : []
  const { limit, offset } = readLimit()
  if (peek().kind !== 'end') throw new CoqlSyntaxError('where', `unexpected "${peek().text}"`)
  return { select, module, where, groupBy, orderBy, limit, offset }

  /** `limit 200`, `limit 400, 200` (offset first) or `limit 200 offset 400`. */
  function readLimit(): { limit: number; offset: number } {
    if (!skipWord('limit')) return { limit: 200, offset: skipWord('offset') ? whole('offset') : 0 }
    const first = whole('limit')
    if (skipSymbol(',')) return { offset: first, limit: whole('limit') }
    return { limit: first, offset: skipWord('offset') ? whole('offset') : 0 }
  }

  function whole(clause: string): number {
    const token = take()
    if (token.kind === 'number' && /^\d+$/.test(token.text)) return Number(token.text)
    throw new CoqlSyntaxError(clause, `number expected near "${token.text}"`)
  }
}

/** The query's tokens, taken one after another. */
function openTokens(query: string) {
  const tokens = tokenize(query)
  let at = 0
  const peek = (): Token => tokens[at] ?? { kind: 'end', text: '' }
  const take = (): Token => {
    const token = peek()
    at++
    return token
  }
  const isWord = (word: string) => peek().kind === 'word' && peek().text.toLowerCase() === word
  const isSymbol = (symbol: string) => peek().kind === 'symbol' && peek().text === symbol
  const skipWord = (word: string) => isWord(word) && Boolean(take())
  const skipSymbol = (symbol: string) => isSymbol(symbol) && Boolean(take())
  const needWord = (word: string) => {
    if (!skipWord(word)) throw new CoqlSyntaxError(word, 'missing clause')
  }
  const needSymbol = (symbol: string, clause: string) => {
    if (!skipSymbol(symbol)) throw new CoqlSyntaxError(clause, `"${symbol}" expected near "${peek().text}"`)
  }
  const needName = (clause: string): string => {
    const token = take()
    // In the select clause, a column whose name is a keyword of COQL can be quoted.
    if (token.kind === 'word' || (token.kind === 'text' && clause === 'select')) return token.text
    throw new CoqlSyntaxError(clause, `name expected near "${token.text}"`)
  }
  const since = (from: number) => tokens.slice(from, at)
  return { since, place: () => at, peek, take, skipWord, skipSymbol, needWord, needSymbol, needName }
}

/** Whether the conditions are bracketed in pairs: at most one `and` or `or` is outside all brackets. */
function bracketed(tokens: Token[]): boolean {
  let depth = 0
  let joins = 0
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'symbol' && token.text === '(') depth++
    if (token.kind === 'symbol' && token.text === ')') depth--
    const isBetween = tokens[index - 2]?.text.toLowerCase() === 'between'
    if (depth === 0 && token.kind === 'word' && /^(and|or)$/i.test(token.text) && !isBetween) joins++
  }
  return joins <= 1
}

function tokenize(query: string): Token[] {
  const tokens: Token[] = []
  const text = query.trim().replace(/;$/, '').trimEnd()
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (!match) throw new CoqlSyntaxError('where', `not understood: "${text.slice(from, from + 20)}"`)
    const [, single, double, numeral, word, symbol] = match
    if (single !== undefined) tokens.push({ kind: 'text', text: single.replaceAll("''", "'") })
    else if (double !== undefined) tokens.push({ kind: 'text', text: double.replaceAll('""', '"') })
    else if (numeral !== undefined) tokens.push({ kind: 'number', text: numeral })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else tokens.push({ kind: 'symbol', text: symbol ?? '' })
  }
  return tokens
}
