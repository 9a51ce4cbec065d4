import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { TASK_STATUS_AT, TASK_STATUSES } from '../settings/choices.ts'
import { pageInfo, readFields, readPage } from '../wire/paging.ts'
import type { Query } from '../wire/wire.ts'
import { requireModule, requireRecord } from './addresses.ts'
import { showRecord } from './record-view.ts'
import { type CrmRecord, selectRecords, updateRow, type Values } from './records-table.ts'

const OF_RECORD = "r.module = 'Tasks' AND ? IN (r.data ->> '$.What_Id', r.data ->> '$.Who_Id')"

/** Lists the tasks of a record. A single task is added, read, changed and deleted like any other record. */
export function taskRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.get<{ Params: { module: string; id: string }; Querystring: Query }>(
    '/crm/v8/:module/:id/Tasks',
    (request, reply) => {
      const parent = requireRecord(sandbox, requireModule(sandbox, request.params.module), request.params.id)
      const fields = readFields(request.query)
      const page = readPage(request.query)
      const tasks = selectRecords(sandbox.store, `WHERE ${OF_RECORD} ORDER BY r.created_time, r.id LIMIT ? OFFSET ?`, [
        parent.id,
        page.perPage + 1,
        page.offset,
      ])
      if (tasks.length === 0) return reply.code(204).send()
      const shown = tasks.slice(0, page.perPage).map((task) => showRecord(sandbox, task, fields))
      return { data: shown, info: pageInfo(page, shown.length, tasks.length > page.perPage) }
    },
  )
}

/** The newest first. */
export function findTasksOf(sandbox: Sandbox, parent: CrmRecord): CrmRecord[] {
  return selectRecords(sandbox.store, `WHERE ${OF_RECORD} ORDER BY r.id DESC`, [parent.id])
}

/** The status with which staff ask, accept an answer or ask again. */
export function taskStatus(sandbox: Sandbox, meaning: keyof typeof TASK_STATUS_AT): string {
  return TASK_STATUSES[sandbox.behaviour().taskStatuses][TASK_STATUS_AT[meaning]]?.actual ?? ''
}

/** The lookup of a task that names this record. */
export function taskParent(sandbox: Sandbox, { module, id }: CrmRecord): Values {
  const isUnderWho = module === 'Contacts' || (module === 'Leads' && sandbox.behaviour().tasksOfLeadsUnder === 'Who_Id')
  return isUnderWho ? { What_Id: null, Who_Id: id } : { What_Id: id, Who_Id: null }
}

/** Moves a converted lead's open tasks without changing their times. Call it within the conversion's transaction. */
export function moveTasks(
  sandbox: Sandbox,
  lead: CrmRecord,
  { deal, contact }: { deal: CrmRecord | null; contact: CrmRecord },
) {
  const to = sandbox.behaviour().conversionMovesTasks
  if (to === 'no') return
  const parent = to === 'deal' && deal ? deal : contact
  for (const task of findTasksOf(sandbox, lead)) {
    if (task.values['Status'] === taskStatus(sandbox, 'accepted')) continue
    updateRow(sandbox.store, { ...task, values: { ...task.values, ...taskParent(sandbox, parent) } })
  }
}
