import type { SQLInputValue } from 'node:sqlite'
import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { type Row, text, textOrNull } from '../store.ts'
import { pageTokens, readModifiedSince, readPage } from '../wire/paging.ts'
import { showInstant, storedInstant } from '../wire/times.ts'
import { ApiError, type JsonObject, type Query } from '../wire/wire.ts'
import { requireModule } from './addresses.ts'
import { showUser } from './record-view.ts'

const DAY_MS = 86_400_000
const RECYCLE_DAYS = 60
const LISTED_DAYS = 120

export function deletedRoutes(app: FastifyInstance, sandbox: Sandbox) {
  const tokens = pageTokens(sandbox)

  app.get<{ Params: { module: string }; Querystring: Query }>('/crm/v8/:module/deleted', (request, reply) => {
    const module = requireModule(sandbox, request.params.module)
    if (module.name === 'Tasks' && !sandbox.behaviour().tasksDeletedListed) {
      throw new ApiError(400, 'INVALID_MODULE', { resource_path_index: 0 }, 'the module name given seems to be invalid')
    }
    const type = request.query['type'] ?? 'all'
    if (type !== 'all' && type !== 'recycle' && type !== 'permanent') {
      const details = { param_name: 'type', supported_values: ['all', 'recycle', 'permanent'] }
      throw new ApiError(400, 'PATTERN_NOT_MATCHED', details, 'Please check whether the input values are correct')
    }
    const { deletedListsConverted, deletedListMax, deletedOrder, deletedPages, ifModifiedSinceInclusive } =
      sandbox.behaviour()
    const since = readModifiedSince(request.headers['if-modified-since'])
    const token = deletedPages === 'tokens' ? request.query['page_token'] : undefined
    const { perPage, page, offset } =
      token === undefined
        ? readPage(request.query, deletedListMax)
        : { ...readPage({ ...request.query, page: '1' }), page: undefined }
    const bound = JSON.stringify(['deleted', module.name, type, since ?? null, perPage])
    const position = token === undefined ? undefined : tokens.read(token, bound, perPage)
    emptyRecycleBin(sandbox)

    const params: SQLInputValue[] = [module.name, type, type, since ?? '']
    let source = 'SELECT id, display_name, type, deleted_time, deleted_by, module FROM deleted'
    if (deletedListsConverted) {
      source += ` UNION ALL SELECT id, name, 'permanent', data ->> '$.Converted_Date_Time', modified_by, module
                  FROM records WHERE converted = 1`
    }
    const order = deletedOrder === 'newest-first' ? 'DESC' : 'ASC'
    if (position) params.push(position.sortValue, position.id)
    const rows = sandbox.store.all(
      `SELECT * FROM (${source})
       WHERE module = ? AND (? = 'all' OR type = ?) AND deleted_time ${ifModifiedSinceInclusive ? '>=' : '>'} ?
         ${position ? `AND (deleted_time, id) ${order === 'DESC' ? '<' : '>'} (?, ?)` : ''}
       ORDER BY deleted_time ${order}, id ${order} LIMIT ? OFFSET ?`,
      ...params,
      perPage + 1,
      offset,
    )
    if (rows.length === 0) return reply.code(since === undefined ? 204 : 304).send()
    const shown = rows.slice(0, perPage)
    const hasMore = rows.length > perPage
    const number = position?.page ?? page ?? 1
    const last = shown.at(-1)
    const next = { backwards: false, page: number + 1, sortValue: text(last?.['deleted_time']), id: text(last?.['id']) }
    return {
      data: shown.map((row) => showDeleted(sandbox, row)),
      info: {
        per_page: perPage,
        count: shown.length,
        page: number,
        more_records: hasMore,
        ...(deletedPages === 'tokens' && { next_page_token: hasMore ? tokens.issue(next, bound) : null }),
      },
    }
  })
}

/** Removes records from the bin for good after 60 days, and from the list of deleted records after 120 days. */
function emptyRecycleBin(sandbox: Sandbox) {
  const before = (days: number) => storedInstant(sandbox.now() - days * DAY_MS)
  const { store } = sandbox
  const isDue = store.get(
    "SELECT 1 AS due FROM deleted WHERE (type = 'recycle' AND deleted_time < ?) OR deleted_time < ? LIMIT 1",
    before(RECYCLE_DAYS),
    before(LISTED_DAYS),
  )
  if (!isDue) return
  store.transaction(() => {
    store.run("UPDATE deleted SET type = 'permanent' WHERE deleted_time < ?", before(RECYCLE_DAYS))
    store.run('DELETE FROM deleted WHERE deleted_time < ?', before(LISTED_DAYS))
  })
}

function showDeleted(sandbox: Sandbox, row: Row): JsonObject {
  return {
    id: text(row['id']),
    display_name: textOrNull(row['display_name']),
    type: text(row['type']),
    deleted_time: showInstant(text(row['deleted_time']), sandbox.behaviour().timesOffset),
    deleted_by: showUser(text(row['deleted_by']), false),
    created_by: null,
  }
}
