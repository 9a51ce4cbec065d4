import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { findField, getModule } from '../settings/modules.ts'
import type { Actor } from '../settings/people.ts'
import { type Row, text, textOrNull } from '../store.ts'
import { readPerPage } from '../wire/paging.ts'
import { parseInstant, showInstant, storedInstant } from '../wire/times.ts'
import { ApiError, isObject, type JsonObject, type Query } from '../wire/wire.ts'
import { requireModule, requireRecord } from './addresses.ts'
import { showUser, showValue } from './record-view.ts'
import { type CrmRecord, findRecordName, parseValues, type Value, type Values } from './records-table.ts'

export type FieldChange = { field: string; old: Value; new: Value }

type Happening = {
  action: 'added' | 'updated' | 'converted' | 'restored'
  changes?: FieldChange[]
  relatedRecord?: { module: string; id: string; name: string | null }
  /** The time of the entry. If absent, the entry gets the present time. */
  at?: string
}

const WORKFLOW = { type: 'workflow', rule: { name: 'On creation', id: '5400000000000290001' } }

export function recordInTimeline(sandbox: Sandbox, record: CrmRecord, actor: Actor, what: Happening) {
  sandbox.store.run(
    `INSERT INTO timeline
       (id, module, record_id, record_name, audited_time, action, source, done_by, field_history, related_record)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    sandbox.store.nextId(),
    record.module,
    record.id,
    record.name,
    what.at ?? storedInstant(sandbox.now()),
    what.action,
    actor.source,
    actor.user.id,
    what.changes?.length ? JSON.stringify(what.changes.map((one) => ({ ...one }))) : null,
    what.relatedRecord ? JSON.stringify(what.relatedRecord) : null,
  )
}

export function timelineRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.get<{ Params: { module: string; id: string }; Querystring: Query }>(
    '/crm/v8/:module/:id/__timeline',
    (request, reply) => {
      const module = requireModule(sandbox, request.params.module)
      const record = requireRecord(sandbox, module, request.params.id)
      const query = request.query
      if (query['page_token'] !== undefined && query['per_page'] !== undefined) {
        const details = { ambiguity_due_to: [{ param_name: 'per_page' }, { param_name: 'page_token' }] }
        throw new ApiError(400, 'AMBIGUITY_DURING_PROCESSING', details, 'per_page and page_token cannot go together')
      }
      const position = readPosition(query)
      const rows = findTimeline(sandbox, record.id, query, position.perPage + 1, position.offset)
      if (rows.length === 0) return reply.code(204).send()

      const hasMore = rows.length > position.perPage
      const shown = rows.slice(0, position.perPage).map((row) => showRow(sandbox, record, row, query))
      return {
        __timeline: shown,
        info: {
          per_page: position.perPage,
          page: Math.floor(position.offset / position.perPage) + 1,
          count: shown.length,
          more_records: hasMore,
          next_page_token: hasMore ? positionToken(position.perPage, position.offset + position.perPage) : null,
          previous_page_token:
            position.offset > 0
              ? positionToken(position.perPage, Math.max(0, position.offset - position.perPage))
              : null,
        },
      }
    },
  )
}

/** Finds the timeline entries of a record, the newest first unless the query says otherwise. */
export function findTimeline(sandbox: Sandbox, recordId: string, query: Query, limit: number, offset: number): Row[] {
  const order = query['sort_order'] === 'asc' ? 'ASC' : 'DESC'
  const [from, to] = auditedBetween(query['filters'])
  return sandbox.store.all(
    `SELECT * FROM timeline WHERE record_id = ? AND audited_time >= ? AND audited_time <= ?
     ORDER BY audited_time ${order}, id ${order} LIMIT ? OFFSET ?`,
    recordId,
    from,
    to,
    limit,
    offset,
  )
}

export function parseChanges(json: string | null): FieldChange[] {
  const parsed: unknown = json === null ? [] : JSON.parse(json)
  if (!Array.isArray(parsed)) throw new TypeError('a stored field history is not a list')
  return parsed.map((one) => {
    const change: Values = parseValues(JSON.stringify(one))
    return { field: String(change['field']), old: change['old'] ?? null, new: change['new'] ?? null }
  })
}

function showRow(sandbox: Sandbox, record: CrmRecord, row: Row, query: Query): JsonObject {
  const module = getModule(record.module)
  const changes = parseChanges(textOrNull(row['field_history']))
  const related = textOrNull(row['related_record'])
  return {
    audited_time: showInstant(text(row['audited_time']), sandbox.behaviour().timesOffset),
    action: text(row['action']),
    id: text(row['id']),
    source: text(row['source']),
    extension: null,
    type: 'timeline',
    done_by: showUser(text(row['done_by']), false),
    related_record: related === null ? null : JSON.parse(related),
    automation_details: text(row['source']) === 'workflow' ? WORKFLOW : null,
    record: { name: record.name, id: record.id, module: { api_name: module.name, id: module.id } },
    field_history: changes.length === 0 ? null : changes.map((change) => showChange(sandbox, record, change, query)),
  }
}

function showChange(sandbox: Sandbox, record: CrmRecord, change: FieldChange, query: Query): JsonObject {
  const field = findField(sandbox.fields.of(getModule(record.module)), change.field)
  const details = query['include_inner_details'] ?? ''
  const emptyOld = sandbox.behaviour().timelineEmptyOldValue === 'blank' ? 'blank' : null
  return {
    api_name: change.field,
    id: field?.id ?? null,
    _value: {
      old: showChanged(sandbox, record, change.field, change.old) ?? emptyOld,
      new: showChanged(sandbox, record, change.field, change.new),
    },
    ...(details.includes('field_history.data_type') ? { data_type: field?.type ?? null } : {}),
    ...(details.includes('field_history.field_label') ? { field_label: field?.label ?? null } : {}),
    ...(details.includes('field_history.pick_list_values')
      ? {
          pick_list_values: (field?.choices ?? []).map((one) => ({
            display_value: one.display,
            actual_value: one.actual,
          })),
        }
      : {}),
  }
}

function showChanged(sandbox: Sandbox, record: CrmRecord, name: string, value: Value): unknown {
  const field = findField(getModule(record.module), name)
  if (!field || value === null) return value
  if (field.type === 'lookup') return findRecordName(sandbox.store, String(value))
  // The timeline shows every value as text, even numbers and booleans.
  const shown = showValue(sandbox, field, value)
  return isObject(shown) ? shown['name'] : String(shown)
}

function auditedBetween(filters: string | undefined): [string, string] {
  const everything: [string, string] = ['0', '9']
  if (filters === undefined) return everything
  const invalid = new ApiError(400, 'INVALID_DATA', { param_name: 'filters' }, 'the filters given seem to be invalid')
  let parsed: unknown
  try {
    parsed = JSON.parse(filters)
  } catch {
    throw invalid
  }
  const value = isObject(parsed) && parsed['comparator'] === 'between' ? parsed['value'] : undefined
  if (!Array.isArray(value) || value.length !== 2) throw invalid
  const [from, to] = value.map((one) => (typeof one === 'string' ? parseInstant(one) : undefined))
  if (!from || !to) throw invalid
  return [from, to]
}

function positionToken(perPage: number, offset: number): string {
  return Buffer.from(`${perPage}:${offset}`).toString('base64url')
}

function readPosition(query: Query): { perPage: number; offset: number } {
  const token = query['page_token']
  if (token === undefined) return { perPage: readPerPage(query), offset: 0 }
  const match = /^(\d{1,3}):(\d{1,6})$/.exec(Buffer.from(token, 'base64url').toString())
  if (!match) throw new ApiError(400, 'INVALID_DATA', { param_name: 'page_token' }, 'invalid data')
  return { perPage: Math.max(1, Number(match[1])), offset: Number(match[2]) }
}
