import type { FastifyInstance } from 'fastify'
import { requireModule } from '../records/addresses.ts'
import { buildRecord } from '../records/record-changes.ts'
import { readInput } from '../records/record-input.ts'
import { API } from '../records/records.ts'
import type { CrmRecord } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { idSql } from '../store.ts'
import { parseInstant } from '../wire/times.ts'
import { ApiError, isObject, type JsonObject } from '../wire/wire.ts'

const RECORDS_MAX = 100_000
const NUMBERED = '#n#'

/**
 * Creates leads or deals for benchmarks, up to 100,000 a call and faster than any API. It makes `count` copies of
 * `record`, which has the form of a record in Zoho's own create call. `#n#` in its texts becomes the copy's number in
 * eight digits, counted from `from`. `created` is the time of the first copy; each further copy is a second later.
 * Histories begin as for any record, nobody is notified, and unique fields are not checked.
 */
export function fillRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.post('/sandbox/fill', (request) => {
    const body = isObject(request.body) ? request.body : {}
    const { from = 1, count } = body
    if (typeof from !== 'number' || typeof count !== 'number' || count < 1 || count > RECORDS_MAX) {
      const text = `from and count must be numbers, and count must be from 1 to ${RECORDS_MAX}`
      throw new ApiError(400, 'INVALID_DATA', { maximum: RECORDS_MAX }, text)
    }
    const record = readModel(sandbox, body)
    return sandbox.store.transaction(() => {
      const number = sandbox.store.takeIds(count * 2)
      insertCopies(sandbox, record, { from, count, number })
      return { count }
    })
  })
}

function readModel(sandbox: Sandbox, body: JsonObject): CrmRecord {
  const module = requireModule(sandbox, String(body['module']))
  if (module.name !== 'Leads' && module.name !== 'Deals') {
    throw new ApiError(400, 'INVALID_MODULE', {}, 'only leads and deals can be copied')
  }
  const input = readInput(sandbox, module, isObject(body['record']) ? body['record'] : {}, '$.record', true)
  if (!input.ok) throw new ApiError(400, input.failure.code, input.failure.details, input.failure.message)
  const at = typeof body['created'] === 'string' ? parseInstant(body['created']) : undefined
  return buildRecord(sandbox, module, { module: module.name, ...input, ...(at !== undefined && { at }) }, API)
}

/**
 * `i` counts the copies from 0. A copy's record has the id number `:number + 2 * i`, and the copy's history line has
 * the next number.
 */
const COPIES = 'WITH RECURSIVE copies (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM copies WHERE i + 1 < :count)'
const ID = idSql(':number + 2 * i')
const HISTORY_ID = idSql(':number + 2 * i + 1')
const CREATED = `strftime('%Y-%m-%dT%H:%M:%SZ', unixepoch(:created) + i, 'unixepoch')`
const numbered = (parameter: string) => `replace(${parameter}, '${NUMBERED}', printf('%08d', :from + i))`

function insertCopies(sandbox: Sandbox, record: CrmRecord, copies: { from: number; count: number; number: number }) {
  const { store } = sandbox
  const { from, count, number } = copies
  const { module, name, owner, createdBy: user, createdTime: created, values } = record
  const common = { from, count, number, module, name, user, created }
  store.runNamed(
    `INSERT INTO records
       (id, module, name, owner, created_by, created_time, modified_by, modified_time, converted, data)
     ${COPIES} SELECT ${ID}, :module, ${numbered(':name')}, :owner, :user, ${CREATED}, :user, ${CREATED}, 0, ${numbered(':data')} FROM copies`,
    { ...common, owner, data: JSON.stringify(values) },
  )
  store.runNamed(
    `INSERT INTO timeline (id, module, record_id, record_name, audited_time, action, source, done_by)
     ${COPIES} SELECT ${HISTORY_ID}, :module, ${ID}, ${numbered(':name')}, ${CREATED}, 'added', 'crm_api', :user FROM copies`,
    common,
  )
  if (module !== 'Deals') return
  store.runNamed(
    `INSERT INTO stage_history (id, deal_id, stage, entered_time, amount, probability, modified_by)
     ${COPIES} SELECT ${HISTORY_ID}, ${ID}, :data ->> '$.Stage', ${CREATED}, :data ->> '$.Amount', :data ->> '$.Probability', :user FROM copies`,
    { count, number, created, user, data: JSON.stringify(values) },
  )
}
