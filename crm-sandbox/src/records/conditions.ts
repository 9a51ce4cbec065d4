import type { SQLInputValue } from 'node:sqlite'
import { actualValue } from '../settings/choices.ts'
import { type Field, findField, getModule, type Module } from '../settings/modules.ts'
import { parseInstant, parsePlainDate } from '../wire/times.ts'

/** The part that COQL and search criteria have in common: a tree of tests on fields. */
export type Condition =
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'test'; column: string; operator: Operator; values: string[] }

export type Operator =
  | '='
  | '!='
  | '>'
  | '>='
  | '<'
  | '<='
  | 'in'
  | 'not in'
  | 'like'
  | 'not like'
  | 'between'
  | 'not between'
  | 'is null'
  | 'is not null'
  | 'contains'
  | 'starts with'

export type Sql = { sql: string; params: SQLInputValue[] }

/** Thrown if a query uses a column wrongly. The error names the column. */
export class WrongColumn extends Error {
  readonly column: string
  readonly operator: string | undefined

  constructor(column: string, message: string, operator?: string) {
    super(message)
    this.column = column
    this.operator = operator
  }
}

export type Column = { sql: string; field: Field | 'id' }

/**
 * Finds a field, directly or through up to two lookups: `Stage`, `Partner.id`, `Partner.Name`,
 * `Account_Name.Partner.Name`.
 */
export function resolveColumn(module: Module, path: string): Column {
  const steps = path.split('.')
  if (steps.length > 3) throw new WrongColumn(path, 'column given seems to be invalid')
  return resolveSteps(module, steps, 'r', path)
}

function resolveSteps(module: Module, steps: string[], alias: string, path: string): Column {
  const [name = '', ...rest] = steps
  if (name === 'id' && rest.length === 0) return { sql: `${alias}.id`, field: 'id' }
  const field = findField(module, name)
  if (!field) throw new WrongColumn(path, 'column given seems to be invalid')
  const sql = field.column ? `${alias}.${field.column}` : `(${alias}.data ->> '$.${field.apiName}')`
  if (rest.length === 0) return { sql, field }
  if (rest.length === 1 && rest[0] === 'id' && (field.type === 'lookup' || field.type === 'ownerlookup')) {
    return { sql, field: 'id' }
  }
  if (!field.lookup) throw new WrongColumn(path, 'column given seems to be invalid')
  const inner = `${alias}x`
  const target = resolveSteps(getModule(field.lookup), rest, inner, path)
  return { sql: `(SELECT ${target.sql} FROM records ${inner} WHERE ${inner}.id = ${sql})`, field: target.field }
}

export function conditionSql(module: Module, condition: Condition): Sql {
  if (condition.kind === 'test') return testSql(module, condition)
  const parts = condition.parts.map((part) => conditionSql(module, part))
  return {
    sql: `(${parts.map((part) => part.sql).join(condition.kind === 'and' ? ' AND ' : ' OR ')})`,
    params: parts.flatMap((part) => part.params),
  }
}

export function mentions(condition: Condition, column: string): boolean {
  if (condition.kind !== 'test') return condition.parts.some((part) => mentions(part, column))
  return condition.column.split('.')[0] === column
}

export function countTests(condition: Condition): number {
  return condition.kind === 'test' ? 1 : condition.parts.reduce((sum, part) => sum + countTests(part), 0)
}

function testSql(module: Module, test: Condition & { kind: 'test' }): Sql {
  const { sql, field } = resolveColumn(module, test.column)
  const { operator } = test
  if (operator === 'is null' || operator === 'is not null')
    return { sql: `${sql} ${operator.toUpperCase()}`, params: [] }

  const isText =
    field === 'id' || !['currency', 'percent', 'boolean', 'date', 'datetime', 'bigint', 'integer'].includes(field.type)
  if (!isText && ['like', 'not like', 'contains', 'starts with'].includes(operator)) {
    throw new WrongColumn(test.column, 'operator given seems to be invalid', operator)
  }
  const collate = isText && field !== 'id' && field.type !== 'lookup' && field.type !== 'ownerlookup'
  const compared = collate ? `${sql} COLLATE NOCASE` : sql
  const params = test.values.map((value) => comparable(field, value, test.column, operator))

  switch (operator) {
    case 'in':
    case 'not in':
      return { sql: `${compared} ${operator.toUpperCase()} (${params.map(() => '?').join(', ')})`, params }
    case 'between':
    case 'not between':
      return { sql: `${compared} ${operator.toUpperCase()} ? AND ?`, params }
    case 'like':
    case 'not like':
      return { sql: `${displayed(sql, field)} ${operator.toUpperCase()} ? ESCAPE '\\'`, params: test.values }
    case 'contains':
      return {
        sql: `${displayed(sql, field)} LIKE ? ESCAPE '\\'`,
        params: test.values.map((one) => `%${literal(one)}%`),
      }
    case 'starts with':
      return {
        sql: `${displayed(sql, field)} LIKE ? ESCAPE '\\'`,
        params: test.values.map((one) => `${literal(one)}%`),
      }
    default:
      return { sql: `${compared} ${operator} ?`, params }
  }
}

/** Converts a value of the query to the form in which the field is stored. */
function comparable(field: Field | 'id', value: string, column: string, operator: string): SQLInputValue {
  if (field === 'id') return value
  const invalid = () => new WrongColumn(column, 'value given seems to be invalid', operator)
  switch (field.type) {
    case 'currency':
    case 'percent':
    case 'bigint':
    case 'integer': {
      const number = value.trim() === '' ? Number.NaN : Number(value)
      if (Number.isNaN(number)) throw invalid()
      return number
    }
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw invalid()
      return value === 'true' ? 1 : 0
    case 'datetime': {
      const instant = parseInstant(value)
      if (!instant) throw invalid()
      return instant
    }
    case 'date': {
      const date = parsePlainDate(value)
      if (!date) throw invalid()
      return date
    }
    case 'picklist':
      return operator.includes('like') ? value : actualValue(field.choices ?? [], value)
    default:
      return value
  }
}

/**
 * Patterns are matched against the displayed text. The displayed text of a renamed picklist value differs from the
 * stored value.
 */
function displayed(sql: string, field: Field | 'id'): string {
  const renamed = field === 'id' ? [] : (field.choices ?? []).filter((one) => one.actual !== one.display)
  if (renamed.length === 0) return sql
  const cases = renamed.map((one) => `WHEN '${quoted(one.actual)}' THEN '${quoted(one.display)}'`)
  return `(CASE ${sql} ${cases.join(' ')} ELSE ${sql} END)`
}

function quoted(value: string): string {
  return value.replaceAll("'", "''")
}

function literal(value: string): string {
  return value.replace(/[\\%_]/g, '\\$&')
}
