import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { findModule, getModule, type Module } from '../settings/modules.ts'
import { type Row, text } from '../store.ts'
import { ApiError, isObject, type JsonObject } from '../wire/wire.ts'
import {
  type Column,
  type Condition,
  conditionSql,
  countTests,
  mentions,
  resolveColumn,
  WrongColumn,
} from './conditions.ts'
import { type CoqlQuery, CoqlSyntaxError, parseCoql, type Selected } from './coql-parser.ts'
import { showValue } from './record-view.ts'

const ROWS_MAX = 2_000
const OFFSET_MAX = 100_000
const COLUMNS_MAX = 50
const CONDITIONS_MAX = 25
const IN_VALUES_MAX = 50
const ORDER_MAX = 10
const GROUP_MAX = 4

export function coqlRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.post('/crm/v8/coql', (request, reply) => {
    const query = isObject(request.body) ? request.body['select_query'] : undefined
    if (query === undefined) {
      const details = { api_name: 'select_query', json_path: '$.select_query' }
      throw new ApiError(400, 'MANDATORY_NOT_FOUND', details, 'required field not found')
    }
    if (typeof query !== 'string') {
      const details = { expected_data_type: 'text', api_name: 'select_query', json_path: '$.select_query' }
      throw new ApiError(400, 'INVALID_DATA', details, 'invalid data')
    }
    const answer = runCoql(sandbox, query)
    if (answer.data.length === 0) return reply.code(204).send()
    return answer
  })
}

function runCoql(sandbox: Sandbox, query: string): { data: JsonObject[]; info: JsonObject } {
  try {
    const parsed = parseCoql(query, sandbox.behaviour().coqlNeedsBracketsBeyondTwo)
    const isOfStages = parsed.module === 'DealHistory' && sandbox.behaviour().coqlKnowsDealHistory
    const module = isOfStages ? stageModule(sandbox) : findModule(parsed.module)
    if (!module || (parsed.module === 'Tasks' && !sandbox.behaviour().coqlKnowsTasks)) {
      throw new ApiError(400, 'INVALID_MODULE', { module: parsed.module }, 'the module name given seems to be invalid')
    }
    if (parsed.module === 'Tasks' && !sandbox.behaviour().coqlFindsTasksByRecord && mentions(parsed.where, 'What_Id')) {
      throw new WrongColumn('What_Id', 'column given seems to be invalid')
    }
    checkLimits(parsed)
    return isOfStages
      ? select(sandbox, module, parsed, stageRows(sandbox))
      : select(sandbox, columnsOf(sandbox, module), parsed)
  } catch (error) {
    if (error instanceof CoqlSyntaxError) {
      throw new ApiError(400, 'SYNTAX_ERROR', { clause: error.clause }, error.message)
    }
    if (error instanceof WrongColumn) {
      const operator = error.operator === undefined ? {} : { operator: error.operator }
      throw new ApiError(400, 'INVALID_QUERY', { column_name: error.column, ...operator }, error.message)
    }
    throw error
  }
}

/** The module with only the fields that COQL knows. */
function columnsOf(sandbox: Sandbox, module: Module): Module {
  const known = sandbox.fields.of(module)
  if (sandbox.behaviour().coqlKnowsConverted) return known
  return { ...known, fields: known.fields.filter((field) => field.apiName !== 'Converted__s') }
}

/** The module behind the deals' stage histories, as far as it is known. */
function stageModule(sandbox: Sandbox): Module {
  const deals = sandbox.fields.of(getModule('Deals'))
  const own = deals.fields.filter(({ apiName }) => ['Stage', 'Modified_Time', 'Modified_By'].includes(apiName))
  const lookups = deals.fields.filter(({ apiName }) => apiName === 'Account_Name')
  return {
    ...deals,
    fields: [...own, ...lookups.map((field) => ({ ...field, apiName: 'Potential_Name', lookup: deals.name }))],
  }
}

function stageRows(sandbox: Sandbox): string {
  const time = sandbox.behaviour().stageHistoryTime === 'entry' ? 'entered_time' : 'coalesce(left_time, entered_time)'
  return `(SELECT id, 'Deals' AS module, 0 AS converted, ${time} AS modified_time, modified_by,
                  json_object('Stage', stage, 'Potential_Name', deal_id) AS data FROM stage_history)`
}

function select(
  sandbox: Sandbox,
  module: Module,
  query: CoqlQuery,
  source = 'records',
): { data: JsonObject[]; info: JsonObject } {
  const columns = query.select.map((one) => ({ ...one, ...resolveColumn(module, one.column) }))
  const isGrouped = query.groupBy.length > 0 || columns.some((one) => one.aggregate)
  const hidesConverted = module.name === 'Leads' && !sandbox.behaviour().coqlReturnsConverted
  const where = conditionSql(module, query.where)

  const selected = [
    ...(isGrouped ? [] : ['r.id AS id']),
    ...columns.map((one, index) => `${one.aggregate ? `${one.aggregate}(${one.sql})` : one.sql} AS c${index}`),
  ]
  const order = query.orderBy.map((one) => `${orderSql(module, columns, one.column)} ${one.descends ? 'DESC' : 'ASC'}`)
  const grouped = query.groupBy.map((column) => resolveColumn(module, column).sql)
  const rows = sandbox.store.all(
    `SELECT ${selected.join(', ')} FROM ${source} r
     WHERE r.module = ? AND ${where.sql}${hidesConverted ? ' AND r.converted = 0' : ''}
     ${grouped.length > 0 ? `GROUP BY ${grouped.join(', ')}` : ''}
     ${order.length > 0 ? `ORDER BY ${order.join(', ')}` : isGrouped ? '' : 'ORDER BY r.id'}
     LIMIT ? OFFSET ?`,
    module.name,
    ...where.params,
    query.limit + 1,
    query.offset,
  )
  const data = rows.slice(0, query.limit).map((row) => showRow(sandbox, columns, row, isGrouped))
  return { data, info: { count: data.length, more_records: rows.length > query.limit } }
}

function showRow(sandbox: Sandbox, columns: (Selected & Column)[], row: Row, isGrouped: boolean): JsonObject {
  const shown: JsonObject = isGrouped ? {} : { id: text(row['id']) }
  for (const [index, column] of columns.entries()) {
    const key =
      column.alias ?? (column.aggregate ? `${column.aggregate.toUpperCase()}(${column.column})` : column.column)
    shown[key] = showCell(sandbox, column, row[`c${index}`])
  }
  return shown
}

function showCell(sandbox: Sandbox, column: Selected & Column, cell: Row[string] | undefined): unknown {
  if (cell === null || cell === undefined)
    return column.field !== 'id' && column.field.type === 'boolean' ? false : null
  if (typeof cell !== 'string' && typeof cell !== 'number') throw new TypeError('a cell is neither text nor number')
  if (column.field === 'id' || (column.aggregate && column.aggregate !== 'min' && column.aggregate !== 'max'))
    return cell
  if (column.field.type === 'boolean') return cell === 1
  const shown = showValue(sandbox, column.field, cell)
  const isLookup = column.field.type === 'lookup'
  return isLookup && !sandbox.behaviour().coqlLookupHasName && isObject(shown) ? { id: cell } : shown
}

function orderSql(module: Module, columns: (Selected & Column)[], name: string): string {
  const index = columns.findIndex((one) => one.alias === name)
  return index >= 0 ? `c${index}` : resolveColumn(module, name).sql
}

function checkLimits(query: CoqlQuery) {
  const exceeded = (clause: string, limit: number) =>
    new ApiError(400, 'LIMIT_EXCEEDED', { clause, limit }, `the ${clause} clause exceeds its limit`)
  if (query.limit > ROWS_MAX || query.limit < 1) throw exceeded('limit', ROWS_MAX)
  if (query.offset > OFFSET_MAX) throw exceeded('offset', OFFSET_MAX)
  if (query.select.length > COLUMNS_MAX) throw exceeded('select', COLUMNS_MAX)
  if (query.orderBy.length > ORDER_MAX) throw exceeded('order by', ORDER_MAX)
  if (query.groupBy.length > GROUP_MAX) throw exceeded('group by', GROUP_MAX)
  if (countTests(query.where) > CONDITIONS_MAX) throw exceeded('where', CONDITIONS_MAX)
  if (mostValues(query.where) > IN_VALUES_MAX) throw exceeded('in', IN_VALUES_MAX)
}

function mostValues(condition: Condition): number {
  return condition.kind === 'test' ? condition.values.length : Math.max(...condition.parts.map(mostValues))
}
