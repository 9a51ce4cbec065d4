import type { SQLInputValue } from 'node:sqlite'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { type Field, findField, type Module } from '../settings/modules.ts'
import { type Actor, API_USER } from '../settings/people.ts'
import { pageInfo, pageTokens, readFields, readModifiedSince, readPage, type WalkPosition } from '../wire/paging.ts'
import { parseInstant, showInstant } from '../wire/times.ts'
import {
  ApiError,
  bodyItems,
  failure,
  type ItemResult,
  isObject,
  type JsonObject,
  type Query,
  sendItems,
} from '../wire/wire.ts'
import { invalidId, isId, requireModule, requireRecord } from './addresses.ts'
import { changeRecord, createRecord, deleteRecord, duplicateOf, type Written } from './record-changes.ts'
import { readInput } from './record-input.ts'
import { showRecord, showUser } from './record-view.ts'
import { type CrmRecord, findRecord, selectRecords, type Values } from './records-table.ts'

export const API: Actor = { user: API_USER, source: 'crm_api' }

const SORT_COLUMNS: { [name: string]: string } = {
  id: 'id',
  Created_Time: 'created_time',
  Modified_Time: 'modified_time',
}

type InModule = { Params: { module: string }; Querystring: Query }
type OneRecord = { Params: { module: string; id: string }; Querystring: Query }

export function recordRoutes(app: FastifyInstance, sandbox: Sandbox) {
  readingRoutes(app, sandbox)
  writingRoutes(app, sandbox)
}

function readingRoutes(app: FastifyInstance, sandbox: Sandbox) {
  const tokens = pageTokens(sandbox)

  app.get<InModule>('/crm/v8/:module', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    if (module.name === 'Notes' && !sandbox.behaviour().apiUserIsAdmin) {
      const details = { permissions: ['Crm_Implied_View_Notes'] }
      throw new ApiError(403, 'NO_PERMISSION', details, 'permission denied')
    }
    const list = readList(module, request.query, request.headers['if-modified-since'])
    const found = list.token === undefined ? findByPage(sandbox, list) : findByToken(sandbox, list, tokens)
    if (found.records.length === 0) return reply.code(list.since === undefined ? 204 : 304).send()
    const next = found.hasNext ? tokens.issue(positionAt(found, list, 'last'), list.bound) : null
    const previous = found.page > 1 ? tokens.issue(positionAt(found, list, 'first'), list.bound) : null
    return {
      data: found.records.map((record) => showRecord(sandbox, record, list.fields)),
      info: {
        ...pageInfo({ perPage: list.perPage, page: found.page, offset: 0 }, found.records.length, found.hasNext),
        ...(module.name === 'Notes'
          ? {}
          : { call: false, email: false, sort_by: list.sortBy, sort_order: list.sortOrder }),
        next_page_token: next,
        previous_page_token: previous,
        page_token_expiry: next ? tokens.expiry() : null,
      },
    }
  })

  app.get<OneRecord>('/crm/v8/:module/:id', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    if (!isId(request.params.id)) throw invalidId()
    const record = findRecord(sandbox.store, module.name, request.params.id)
    if (!record) {
      const missing = sandbox.behaviour().getMissing
      if (missing === '204') return reply.code(204).send()
      return reply.code(Number(missing)).send(invalidId().failure)
    }
    const fields = request.query['fields'] ? readFields(request.query) : undefined
    return { data: [showRecord(sandbox, record, fields)] }
  })
}

function writingRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.post<InModule>('/crm/v8/:module', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    const items = bodyItems(request.body)
    const results = sandbox.store.transaction(() =>
      items.map((item, index) => {
        const path = `$.data[${index}]`
        return toResult(sandbox, addRecord(sandbox, module, item, path, request.body), 'record added')
      }),
    )
    return sendItems(reply, results, 201)
  })

  app.put<InModule>('/crm/v8/:module', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    const items = bodyItems(request.body)
    const results = sandbox.store.transaction(() =>
      items.map((item, index) => {
        const path = `$.data[${index}]`
        const record = typeof item['id'] === 'string' ? findRecord(sandbox.store, module.name, item['id']) : undefined
        if (record) return toResult(sandbox, editRecord(sandbox, module, record, item, path), 'record updated')
        const details = { api_name: 'id', json_path: `${path}.id` }
        return item['id'] === undefined
          ? failure('MANDATORY_NOT_FOUND', details, 'required field not found')
          : failure('INVALID_DATA', details, 'the id given seems to be invalid')
      }),
    )
    return sendItems(reply, results, 200)
  })

  app.put<OneRecord>('/crm/v8/:module/:id', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    const { id } = request.params
    if (sandbox.behaviour().putMissing === 'item' && isId(id) && !findRecord(sandbox.store, module.name, id)) {
      return sendItems(reply, [failure('INVALID_DATA', { api_name: 'id' }, 'the id given seems to be invalid')], 200)
    }
    const record = requireRecord(sandbox, module, id)
    const [item] = bodyItems(request.body, 'data', 1)
    refuseWhenModifiedSince(request, record)
    const results = sandbox.store.transaction(() => [
      toResult(sandbox, editRecord(sandbox, module, record, item ?? {}, '$.data[0]'), 'record updated'),
    ])
    return sendItems(reply, results, 200)
  })

  app.post<InModule>('/crm/v8/:module/upsert', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    const items = bodyItems(request.body)
    const checks = readDuplicateChecks(module, request.body)
    const results = sandbox.store.transaction(() =>
      items.map((item, index) => upsert(sandbox, module, checks, item, `$.data[${index}]`, request.body)),
    )
    return sendItems(reply, results, 200)
  })

  app.delete<InModule>('/crm/v8/:module', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    const ids = request.query['ids']
    if (!ids)
      throw new ApiError(
        400,
        'REQUIRED_PARAM_MISSING',
        { param_name: 'ids' },
        'One of the expected parameter is missing',
      )
    const list = ids.split(',')
    if (list.length > 100) {
      throw new ApiError(
        400,
        'LIMIT_EXCEEDED',
        { limit: 100, param_name: 'ids' },
        'you have exceeded the maximum limit',
      )
    }
    const results = sandbox.store.transaction(() => list.map((id) => remove(sandbox, module, id.trim())))
    return sendItems(reply, results, 200)
  })

  app.delete<OneRecord>('/crm/v8/:module/:id', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    requireRecord(sandbox, module, request.params.id)
    const results = sandbox.store.transaction(() => [remove(sandbox, module, request.params.id)])
    return sendItems(reply, results, 200)
  })
}

/** The result for one record of a write. */
export function toResult(sandbox: Sandbox, written: Written, message: string): ItemResult {
  if (!written.ok) return written.failure
  return { code: 'SUCCESS', details: writtenDetails(sandbox, written.record), message, status: 'success' }
}

export function addRecord(sandbox: Sandbox, module: Module, item: JsonObject, path: string, body: unknown): Written {
  const input = readInput(sandbox, module, item, path, true)
  if (!input.ok) return input
  const { values, owner } = input
  const skipsWorkflows = !runsWorkflows(body)
  return createRecord(sandbox, { module: module.name, values, owner, skipsWorkflows }, API, path)
}

/** Whether workflows run. All automations run unless the request's `trigger` lists the automations to run. */
function runsWorkflows(body: unknown): boolean {
  const trigger = isObject(body) ? body['trigger'] : undefined
  return !Array.isArray(trigger) || trigger.includes('workflow')
}

function editRecord(sandbox: Sandbox, module: Module, record: CrmRecord, item: JsonObject, path: string): Written {
  const input = readInput(sandbox, module, item, path, false)
  if (!input.ok) return input
  return changeRecord(sandbox, record, { values: input.values, owner: input.owner }, API, path)
}

function upsert(
  sandbox: Sandbox,
  module: Module,
  checks: Field[],
  item: JsonObject,
  path: string,
  body: unknown,
): ItemResult {
  const input = readInput(sandbox, module, item, path, false)
  const match = input.ok ? findByFields(sandbox, module, checks, input.values) : undefined
  if (!match) {
    const result = toResult(sandbox, addRecord(sandbox, module, item, path, body), 'record added')
    return result.status === 'error' ? result : { ...result, duplicate_field: null, action: 'insert' }
  }
  const ofConverted = sandbox.behaviour().upsertOfConverted
  if (match.record.converted && ofConverted === 'duplicate') return duplicateOf(match.record, match.field.apiName, path)
  const result = toResult(sandbox, editRecord(sandbox, module, match.record, item, path), 'record updated')
  return result.status === 'error' ? result : { ...result, duplicate_field: match.field.apiName, action: 'update' }
}

function findByFields(sandbox: Sandbox, module: Module, checks: Field[], values: Values) {
  const skipsConverted = sandbox.behaviour().upsertOfConverted === 'insert' ? 'AND r.converted = 0' : ''
  for (const field of checks) {
    const value = values[field.apiName]
    if (value === null || value === undefined) continue
    const [record] = selectRecords(
      sandbox.store,
      `WHERE r.module = ? AND (r.data ->> '$.${field.apiName}') = ? COLLATE NOCASE ${skipsConverted} ORDER BY r.converted, r.id LIMIT 1`,
      [module.name, String(value)],
    )
    if (record) return { record, field }
  }
  return undefined
}

function readDuplicateChecks(module: Module, body: unknown): Field[] {
  const given = isObject(body) ? body['duplicate_check_fields'] : undefined
  const allowed = [
    ...module.systemDuplicateFields,
    ...module.fields.filter((field) => field.unique).map((field) => field.apiName),
  ]
  const names = given === undefined || given === null ? allowed : given
  const invalid = (index: number) => {
    const json_path = `$.duplicate_check_fields[${index}]`
    return new ApiError(400, 'INVALID_DATA', { api_name: 'duplicate_check_fields', json_path }, 'invalid data')
  }
  if (!Array.isArray(names)) throw invalid(0)
  return names.map((name, index) => {
    const field = typeof name === 'string' && allowed.includes(name) ? findField(module, name) : undefined
    if (!field) throw invalid(index)
    return field
  })
}

function remove(sandbox: Sandbox, module: Module, id: string): ItemResult {
  const record = findRecord(sandbox.store, module.name, id)
  if (!record) return failure('INVALID_DATA', { id }, 'the id given seems to be invalid')
  deleteRecord(sandbox, record, API)
  return { code: 'SUCCESS', details: { id }, message: 'record deleted', status: 'success' }
}

function writtenDetails(sandbox: Sandbox, record: CrmRecord): JsonObject {
  const { timesOffset } = sandbox.behaviour()
  return {
    id: record.id,
    Created_Time: showInstant(record.createdTime, timesOffset),
    Modified_Time: showInstant(record.modifiedTime, timesOffset),
    Created_By: showUser(record.createdBy, false),
    Modified_By: showUser(record.modifiedBy, false),
    ...(record.module === 'Notes' ? {} : { $approval_state: 'approved' }),
  }
}

function refuseWhenModifiedSince(request: FastifyRequest, record: CrmRecord) {
  const header = request.headers['if-unmodified-since']
  const instant = typeof header === 'string' ? parseInstant(header) : undefined
  if (instant && record.modifiedTime > instant) {
    throw new ApiError(412, 'ALREADY_MODIFIED', {}, 'The record has been modified since the given time')
  }
}

type List = {
  module: Module
  fields: string[]
  perPage: number
  offset: number
  page: number
  token: string | undefined
  since: string | undefined
  sortBy: string
  sortOrder: 'asc' | 'desc'
  converted: 'true' | 'false' | 'both'
  ids: string[] | undefined
  bound: string
}

type Found = { records: CrmRecord[]; page: number; hasNext: boolean }

function readList(module: Module, query: Query, modifiedSince: string | string[] | undefined): List {
  const fields = readFields(query)
  const token = query['page_token']
  if (token !== undefined && query['page'] !== undefined) {
    const details = { ambiguity_due_to: [{ param_name: 'page' }, { param_name: 'page_token' }] }
    throw new ApiError(400, 'AMBIGUITY_DURING_PROCESSING', details, 'page and page_token cannot go together')
  }
  const sortBy = query['sort_by'] ?? 'id'
  const sortOrder = query['sort_order'] ?? 'desc'
  const converted = query['converted'] ?? 'false'
  if (!Object.hasOwn(SORT_COLUMNS, sortBy)) throw unsupported('sort_by', Object.keys(SORT_COLUMNS))
  if (sortOrder !== 'asc' && sortOrder !== 'desc') throw unsupported('sort_order', ['asc', 'desc'])
  if (converted !== 'true' && converted !== 'false' && converted !== 'both') {
    throw unsupported('converted', ['true', 'false', 'both'])
  }
  const since = readModifiedSince(modifiedSince)
  const others = Object.entries(query).filter(([name]) => name !== 'page_token' && name !== 'page')
  return {
    module,
    fields,
    ...readPage({ ...query, page: token === undefined ? (query['page'] ?? '1') : '1' }),
    token,
    since,
    sortBy,
    sortOrder,
    converted,
    ids: query['ids']?.split(',').map((id) => id.trim()),
    bound: JSON.stringify([module.name, since ?? null, others.sort()]),
  }
}

function unsupported(name: string, values: string[]): ApiError {
  return new ApiError(400, 'INVALID_DATA', { param_name: name, supported_values: values }, 'invalid data')
}

function findByPage(sandbox: Sandbox, list: List): Found {
  const { where, params } = filters(sandbox, list)
  const column = SORT_COLUMNS[list.sortBy] ?? 'id'
  const rows = selectRecords(
    sandbox.store,
    `WHERE ${where} ORDER BY r.${column} ${list.sortOrder}, r.id ${list.sortOrder} LIMIT ? OFFSET ?`,
    [...params, list.perPage + 1, list.offset],
  )
  return { records: rows.slice(0, list.perPage), page: list.page, hasNext: rows.length > list.perPage }
}

/**
 * Continues from the token's position. If a record is added or deleted between two pages, no other record appears twice
 * or goes missing.
 */
function findByToken(sandbox: Sandbox, list: List, tokens: ReturnType<typeof pageTokens>): Found {
  const position = tokens.read(list.token ?? '', list.bound, list.perPage)
  const { where, params } = filters(sandbox, list)
  const column = SORT_COLUMNS[list.sortBy] ?? 'id'
  const ascends = (list.sortOrder === 'asc') !== position.backwards
  const order = ascends ? 'ASC' : 'DESC'
  const rows = selectRecords(
    sandbox.store,
    `WHERE ${where} AND (r.${column}, r.id) ${ascends ? '>' : '<'} (?, ?)
     ORDER BY r.${column} ${order}, r.id ${order} LIMIT ?`,
    [...params, position.sortValue, position.id, list.perPage + 1],
  )
  const records = rows.slice(0, list.perPage)
  if (position.backwards) return { records: records.reverse(), page: position.page, hasNext: true }
  return { records, page: position.page, hasNext: rows.length > list.perPage }
}

function filters(sandbox: Sandbox, list: List): { where: string; params: SQLInputValue[] } {
  const where = ['r.module = ?']
  const params: SQLInputValue[] = [list.module.name]
  if (list.module.name === 'Leads' && list.converted !== 'both') {
    where.push(`r.converted = ${list.converted === 'true' ? 1 : 0}`)
  }
  if (list.since !== undefined) {
    where.push(`r.modified_time ${sandbox.behaviour().ifModifiedSinceInclusive ? '>=' : '>'} ?`)
    params.push(list.since)
  }
  if (list.ids) {
    where.push(`r.id IN (${list.ids.map(() => '?').join(', ')})`)
    params.push(...list.ids)
  }
  return { where: where.join(' AND '), params }
}

function positionAt(found: Found, list: List, end: 'first' | 'last'): WalkPosition {
  const record = end === 'last' ? found.records.at(-1) : found.records[0]
  if (!record) throw new Error('an empty page has no position')
  const sortValue =
    list.sortBy === 'Created_Time'
      ? record.createdTime
      : list.sortBy === 'Modified_Time'
        ? record.modifiedTime
        : record.id
  const backwards = end === 'first'
  return { backwards, page: found.page + (backwards ? -1 : 1), sortValue, id: record.id }
}
