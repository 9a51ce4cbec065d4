import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { getModule } from '../settings/modules.ts'
import { pageInfo, readFields, readPage } from '../wire/paging.ts'
import { bodyItems, failure, isObject, type JsonObject, type Query, sendItems } from '../wire/wire.ts'
import { requireModule, requireRecord } from './addresses.ts'
import type { Written } from './record-changes.ts'
import { showRecord } from './record-view.ts'
import { addRecord, toResult } from './records.ts'
import { selectRecords } from './records-table.ts'

type OfRecord = { Params: { module: string; id: string }; Querystring: Query }

/** Creates notes, and lists the notes of a record. A single note is read, changed and deleted like any other record. */
export function noteRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.post('/crm/v8/Notes', (request, reply) => {
    const items = bodyItems(request.body)
    const results = sandbox.store.transaction(() =>
      items.map((item, index) => toResult(sandbox, addNote(sandbox, item, `$.data[${index}]`), 'record added')),
    )
    return sendItems(reply, results, 201)
  })

  app.post<OfRecord>('/crm/v8/:module/:id/Notes', (request, reply) => {
    const parent = requireRecord(sandbox, requireModule(sandbox, request.params.module), request.params.id)
    const items = bodyItems(request.body)
    const results = sandbox.store.transaction(() =>
      items.map((item, index) => {
        const note = { ...item, Parent_Id: { id: parent.id } }
        return toResult(sandbox, addNote(sandbox, note, `$.data[${index}]`), 'record added')
      }),
    )
    return sendItems(reply, results, 201)
  })

  app.get<OfRecord>('/crm/v8/:module/:id/Notes', (request, reply) => {
    const parent = requireRecord(sandbox, requireModule(sandbox, request.params.module), request.params.id)
    const fields = readFields(request.query)
    const page = readPage(request.query)
    const notes = selectRecords(
      sandbox.store,
      "WHERE r.module = 'Notes' AND r.data ->> '$.Parent_Id' = ? ORDER BY r.created_time, r.id LIMIT ? OFFSET ?",
      [parent.id, page.perPage + 1, page.offset],
    )
    if (notes.length === 0) return reply.code(204).send()
    const shown = notes.slice(0, page.perPage).map((note) => showRecord(sandbox, note, fields))
    return { data: shown, info: pageInfo(page, shown.length, notes.length > page.perPage) }
  })
}

function addNote(sandbox: Sandbox, item: JsonObject, path: string): Written {
  const isEmpty = (value: unknown) => value === undefined || value === null || value === ''
  if (isEmpty(item['Note_Title']) && isEmpty(item['Note_Content'])) {
    const expected_fields = ['Note_Title', 'Note_Content'].map((api_name) => ({
      api_name,
      json_path: `${path}.${api_name}`,
    }))
    const message = 'one of the expected fields is missing'
    return { ok: false, failure: failure('EXPECTED_FIELD_MISSING', { expected_fields }, message) }
  }
  const parent = item['Parent_Id']
  if (!isObject(parent) || parent['id'] === undefined) {
    const details = { api_name: 'Parent_Id', json_path: `${path}.Parent_Id` }
    return { ok: false, failure: failure('MANDATORY_NOT_FOUND', details, 'required field not found') }
  }
  return addRecord(sandbox, getModule('Notes'), item, path, undefined)
}
