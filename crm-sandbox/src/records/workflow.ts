import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { API_USER } from '../settings/people.ts'
import { ApiError, isObject } from '../wire/wire.ts'
import { requireModule } from './addresses.ts'
import { changeRecord } from './record-changes.ts'
import { readInput } from './record-input.ts'
import { selectRecords } from './records-table.ts'

/** Runs a workflow of the lender's over the `count` oldest records of a module, or over all of them, and sets the given values. */
export function workflowRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.post('/sandbox/workflow', (request) => {
    const body = isObject(request.body) ? request.body : {}
    const module = requireModule(sandbox, String(body['module']))
    const count = typeof body['count'] === 'number' ? body['count'] : -1
    const input = readInput(sandbox, module, isObject(body['values']) ? body['values'] : {}, '$.values', false)
    if (!input.ok) throw new ApiError(400, input.failure.code, input.failure.details, input.failure.message)
    return sandbox.store.transaction(() => {
      const records = selectRecords(sandbox.store, 'WHERE r.module = ? AND r.converted = 0 ORDER BY r.id LIMIT ?', [
        module.name,
        count,
      ])
      for (const record of records) {
        changeRecord(sandbox, record, { values: input.values }, { user: API_USER, source: 'workflow' }, '$.values')
      }
      return { count: records.length }
    })
  })
}
