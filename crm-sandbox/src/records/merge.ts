import type { FastifyInstance } from 'fastify'
import { queueNotices } from '../notifications/notices.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { allModules, findField, getModule, type Module } from '../settings/modules.ts'
import { storedInstant } from '../wire/times.ts'
import { ApiError, bodyItems, failure, type ItemResult, isObject, type JsonObject, sendItems } from '../wire/wire.ts'
import { isId, requireModule } from './addresses.ts'
import { changeRecord, deleteRecord } from './record-changes.ts'
import { API } from './records.ts'
import { type CrmRecord, findRecord, selectRecords, updateRow, type Values } from './records-table.ts'

const CHILDREN_MAX = 2

/** Merges up to two records into a third one, as Zoho's "Find and Merge Duplicates" does. */
export function mergeRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.post<{ Params: { module: string; id: string } }>('/crm/v8/:module/:id/actions/merge', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    const { id } = request.params
    const master = isId(id) ? findRecord(sandbox.store, module.name, id) : undefined
    if (!master) {
      throw new ApiError(400, 'INVALID_DATA', { resource_path_index: 1 }, 'Master record id is not available')
    }
    const [wanted = {}] = bodyItems(request.body, 'merge', 1)
    const result = sandbox.store.transaction(() => merge(sandbox, module, master, wanted))
    return sendItems(reply, [result], 200, 'merge')
  })
}

function merge(sandbox: Sandbox, module: Module, master: CrmRecord, wanted: JsonObject): ItemResult {
  const given = Array.isArray(wanted['data']) ? wanted['data'].filter(isObject) : []
  const listed = { api_name: 'data', json_path: '$.merge[0].data' }
  if (given.length === 0) {
    const details = { ...listed, minimum_length: 1 }
    return failure('INVALID_DATA', details, 'Atleast one child record id is required to be merged.')
  }
  if (given.length > CHILDREN_MAX) {
    const details = { ...listed, maximum_length: CHILDREN_MAX }
    return failure('INVALID_DATA', details, 'More than 2 child record ids cannot be merged.')
  }
  const children: CrmRecord[] = []
  const values: Values = {}
  for (const [index, item] of given.entries()) {
    const details = { api_name: 'id', json_path: `$.merge[0].data[${index}].id` }
    const child = typeof item['id'] === 'string' ? findRecord(sandbox.store, module.name, item['id']) : undefined
    if (!child) return failure('MANDATORY_NOT_FOUND', details, 'required id not found')
    if (child.id === master.id || children.some((one) => one.id === child.id)) {
      return failure('DUPLICATE_DATA', details, 'Valid record ids need to be given for merging')
    }
    if (child.converted || master.converted) {
      return failure('NOT_ALLOWED', details, 'This record id is not allowed to be merged')
    }
    children.push(child)
    Object.assign(values, takenFrom(module, child, item))
  }
  moveReferences(
    sandbox,
    children.map(({ id }) => id),
    master.id,
  )
  for (const child of children) deleteRecord(sandbox, child, API)
  const written = changeRecord(sandbox, master, { values }, API, '$.merge[0]')
  if (!written.ok) return written.failure
  const message = 'The records has been merged successfully'
  return { code: 'SUCCESS', details: { id: master.id }, message, status: 'success' }
}

/** The child's values that the merged record takes. */
function takenFrom(module: Module, child: CrmRecord, item: JsonObject): Values {
  const fields = Array.isArray(item['_fields']) ? item['_fields'].filter(isObject) : []
  const names = fields.flatMap((one) => findField(module, String(one['api_name']))?.apiName ?? [])
  return Object.fromEntries(names.map((name) => [name, child.values[name] ?? null]))
}

/** Everything that named one of the children names the master: lookups, notes, tasks and attachments. */
function moveReferences(sandbox: Sandbox, from: readonly string[], to: string) {
  const { store } = sandbox
  const isAnyOf = from.map(() => '?').join(', ')
  store.run(`UPDATE attachments SET parent_id = ? WHERE parent_id IN (${isAnyOf})`, to, ...from)
  const bumps = sandbox.behaviour().mergeBumpsReferring
  const at = storedInstant(sandbox.now())
  for (const { name: module } of allModules()) {
    const lookups = sandbox.fields.of(getModule(module)).fields.filter((field) => field.type === 'lookup')
    for (const { apiName } of lookups) {
      const referring = selectRecords(
        store,
        `WHERE r.module = ? AND (r.data ->> '$.${apiName}') IN (${isAnyOf}) ORDER BY r.id`,
        [module, ...from],
      )
      for (const record of referring) {
        const values = { ...record.values, [apiName]: to }
        updateRow(store, { ...record, values, ...(bumps ? { modifiedTime: at, modifiedBy: API.user.id } : {}) })
        if (bumps) queueNotices(sandbox, record, 'edit', { [apiName]: to })
      }
    }
  }
}
