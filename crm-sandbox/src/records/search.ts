import type { SQLInputValue } from 'node:sqlite'
import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import type { Module } from '../settings/modules.ts'
import { readFields, readPerPage } from '../wire/paging.ts'
import { storedInstant } from '../wire/times.ts'
import { ApiError, type Query } from '../wire/wire.ts'
import { requireModule } from './addresses.ts'
import { type Condition, conditionSql, countTests, type Operator, type Sql, WrongColumn } from './conditions.ts'
import { showRecord } from './record-view.ts'
import { selectRecords } from './records-table.ts'

const RESULTS_MAX = 2_000
const CONDITIONS_MAX = 10
const IN_VALUES_MAX = 100

const OPERATORS: { [name: string]: Operator } = {
  equals: '=',
  not_equal: '!=',
  greater_than: '>',
  greater_equal: '>=',
  less_than: '<',
  less_equal: '<=',
  between: 'between',
  in: 'in',
  starts_with: 'starts with',
}

export function searchRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.get<{ Params: { module: string }; Querystring: Query }>('/crm/v8/:module/search', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    const query = request.query
    const filter = searchFilter(sandbox, module, query)
    if (!filter) {
      const details = { param_names: ['criteria', 'email', 'phone', 'word'] }
      throw new ApiError(400, 'EXPECTED_PARAM_MISSING', details, 'One of the expected parameter is missing')
    }
    const fields = query['fields'] ? readFields(query) : undefined
    const perPage = readPerPage(query)
    const page = Number(query['page'] ?? '1')
    if (!Number.isInteger(page) || page < 1)
      throw new ApiError(400, 'INVALID_DATA', { param_name: 'page' }, 'invalid data')
    if (page * perPage > RESULTS_MAX) {
      throw new ApiError(
        400,
        'LIMIT_REACHED',
        { limit: String(RESULTS_MAX) },
        'maximum response iteration limit reached',
      )
    }
    const found = selectRecords(sandbox.store, `WHERE ${filter.sql} ORDER BY r.id DESC LIMIT ? OFFSET ?`, [
      ...filter.params,
      perPage + 1,
      (page - 1) * perPage,
    ])
    if (found.length === 0) return reply.code(204).send()
    const data = found.slice(0, perPage).map((record) => showRecord(sandbox, record, fields))
    return { data, info: { per_page: perPage, count: data.length, page, more_records: found.length > perPage } }
  })
}

/**
 * The filter for the first of `criteria`, `email`, `phone` and `word` that the query has. Undefined if the query has no
 * such parameter.
 */
export function searchFilter(sandbox: Sandbox, module: Module, query: Query): Sql | undefined {
  const found = readSearch(module, query)
  if (!found) return undefined
  const params: SQLInputValue[] = [module.name]
  let sql = 'r.module = ?'
  const converted = query['converted'] ?? 'false'
  if (module.name === 'Leads' && converted !== 'both') {
    sql += ` AND r.converted = ${converted === 'true' ? 1 : 0}`
  }
  const lagSeconds = sandbox.behaviour().searchLagSeconds
  if (lagSeconds > 0) {
    sql += ' AND r.modified_time <= ?'
    params.push(storedInstant(sandbox.now() - lagSeconds * 1_000))
  }
  return { sql: `${sql} AND ${found.sql}`, params: [...params, ...found.params] }
}

function readSearch(module: Module, query: Query): Sql | undefined {
  if (query['criteria']) return criteriaSql(module, query['criteria'])
  if (query['email']) {
    const test = (column: string): Condition => ({
      kind: 'test',
      column,
      operator: '=',
      values: [query['email'] ?? ''],
    })
    return anyOf(module, ['email'], test)
  }
  if (query['phone']) {
    const digits = query['phone'].replace(/\D/g, '')
    if (digits.length < 3) throw new ApiError(400, 'INVALID_DATA', { param_name: 'phone' }, 'invalid data')
    const columns = module.fields.filter((field) => field.type === 'phone').map((field) => field.apiName)
    const strip = (sql: string) =>
      [' ', '-', '+', '(', ')', '.'].reduce((inner, mark) => `replace(${inner}, '${mark}', '')`, sql)
    const tests = columns.map((column) => `${strip(`r.data ->> '$.${column}'`)} LIKE ?`)
    return tests.length === 0
      ? { sql: '0', params: [] }
      : { sql: `(${tests.join(' OR ')})`, params: tests.map(() => `%${digits}%`) }
  }
  if (query['word']) {
    const word = query['word']
    if (word.trim().length < 2) throw new ApiError(400, 'INVALID_DATA', { param_name: 'word' }, 'invalid data')
    const types = ['text', 'textarea', 'email', 'phone', 'website', 'picklist']
    return anyOf(module, types, (column) => ({ kind: 'test', column, operator: 'contains', values: [word] }))
  }
  return undefined
}

function anyOf(module: Module, types: string[], test: (column: string) => Condition): Sql {
  const columns = module.fields.filter((field) => types.includes(field.type)).map((field) => field.apiName)
  if (columns.length === 0) return { sql: '0', params: [] }
  return conditionSql(module, { kind: 'or', parts: columns.map(test) })
}

function criteriaSql(module: Module, criteria: string): Sql {
  try {
    const condition = parseCriteria(criteria)
    if (countTests(condition) > CONDITIONS_MAX) {
      throw new ApiError(400, 'CRITERIA_LIMIT_EXCEEDED', { limit: CONDITIONS_MAX }, 'criteria limit exceeded')
    }
    return conditionSql(module, fuzzy(module, condition))
  } catch (error) {
    if (!(error instanceof WrongColumn)) throw error
    const details = { reason: error.message, api_name: error.column, operator: error.operator ?? null }
    throw new ApiError(400, 'INVALID_QUERY', details, 'Invalid query formed')
  }
}

/**
 * For text fields, `equals` finds every text that contains the value, as Zoho's index does. For other fields `equals`
 * compares the whole value.
 */
function fuzzy(module: Module, condition: Condition): Condition {
  if (condition.kind !== 'test') return { ...condition, parts: condition.parts.map((part) => fuzzy(module, part)) }
  const field = module.fields.find((one) => one.apiName === condition.column)
  const isText = field?.type === 'text' || field?.type === 'textarea'
  return isText && condition.operator === '=' ? { ...condition, operator: 'contains' } : condition
}

/**
 * Parses criteria such as `((Last_Name:starts_with:Oka)and(Amount:between:1,9))`. A backslash makes the next character
 * part of the value.
 */
function parseCriteria(criteria: string): Condition {
  let at = 0
  const invalid = (reason: string) => new ApiError(400, 'INVALID_QUERY', { reason }, 'Invalid query formed')

  function group(): Condition {
    const parts = [part()]
    let joined: 'and' | 'or' | undefined
    for (;;) {
      const word = /^\s*(and|or)\s*(?=\()/i.exec(criteria.slice(at))
      if (!word) break
      const kind = word[1]?.toLowerCase() === 'and' ? 'and' : 'or'
      if (joined && joined !== kind) throw invalid("'and' and 'or' are mixed without brackets")
      joined = kind
      at += word[0].length
      parts.push(part())
    }
    return joined ? { kind: joined, parts } : (parts[0] ?? { kind: 'and', parts: [] })
  }

  function part(): Condition {
    if (criteria[at] !== '(') return test()
    at++
    const inner = criteria[at] === '(' ? group() : test()
    if (criteria[at] !== ')') throw invalid('a bracket is not closed')
    at++
    return inner
  }

  function test(): Condition {
    const column = until(':')
    const name = until(':')
    const operator = OPERATORS[name]
    if (!operator) throw new WrongColumn(column, 'operator given seems to be invalid', name)
    const isList = operator === 'in' || operator === 'between'
    const values = [until(isList ? '),' : ')', true)]
    while (isList && criteria[at] === ',') {
      at++
      values.push(until('),', true))
    }
    if (values.length > IN_VALUES_MAX)
      throw new ApiError(400, 'LIMIT_EXCEEDED', { limit: IN_VALUES_MAX }, 'limit exceeded')
    if (operator === 'between' && values.length !== 2) throw invalid('between needs two values')
    return { kind: 'test', column, operator, values }
  }

  /** Reads up to one of the marks. It skips the mark after a name, and leaves the mark after a value to the caller. */
  function until(marks: string, isValue = false): string {
    let text = ''
    while (at < criteria.length && !marks.includes(criteria[at] ?? '')) {
      if (criteria[at] === '\\') at++
      text += criteria[at] ?? ''
      at++
    }
    if (!isValue) {
      if (at >= criteria.length) throw invalid('a condition must have the form field:operator:value')
      at++
    }
    return text.trim()
  }

  const condition = group()
  if (at < criteria.trimEnd().length) throw invalid(`not understood: "${criteria.slice(at, at + 20)}"`)
  return condition
}
