import * as z from 'zod/mini'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { CrmTask } from '../../records/crm-records.ts'
import { readResults, writtenId } from './answers.ts'
import { itemsById } from './api.ts'
import { TASK_IN_PROGRESS } from './field-map.ts'
import { usedChoices } from './metadata.ts'
import type { ZohoParts } from './parts.ts'
import { readLookupId, zohoTime } from './wire.ts'
import { LINE_LENGTH_MAX, LongText, text, ZohoId, ZohoInstant } from './wire-values.ts'

export interface TaskReader {
  /** Pages of the organisation's tasks that have changed since this time, the oldest change first. */
  taskPagesSince(since: string, signal?: AbortSignal): AsyncIterable<CrmTask[]>
  /** Pages of the tasks that are not completed, in no particular order. */
  openTaskPages(signal?: AbortSignal): AsyncIterable<CrmTask[]>
  /** Deleted tasks are not among the results. */
  getTasks(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmTask[]>
  /**
   * Sets a task to the status for answers that were sent, and nothing else of it (D105). An organisation without such a
   * status keeps the one that the task has.
   */
  beginTask(zohoId: string, signal?: AbortSignal): Promise<void>
}

const FIELDS = 'Subject,Description,Due_Date,Status,What_Id,Who_Id,Created_Time,Modified_Time'

const WireTask = z.object({
  id: ZohoId,
  Subject: text(LINE_LENGTH_MAX),
  Description: LongText,
  Due_Date: z.catch(z.nullish(z.iso.date()), null),
  Status: z.catch(z.nullish(z.string()), null),
  Created_Time: ZohoInstant,
  Modified_Time: ZohoInstant,
})

export function openTaskReader({
  api,
  metadata,
  fieldMap,
}: Pick<ZohoParts, 'api' | 'metadata' | 'fieldMap'>): TaskReader {
  const { sent, accepted } = fieldMap.tasks.statuses

  /** An organisation may show Zoho's own statuses under other names. */
  async function read(rows: readonly unknown[], signal?: AbortSignal): Promise<CrmTask[]> {
    if (rows.length === 0) return []
    const displayed = await metadata.displayedOf('Tasks', signal)
    const isStatus = (status: string, wanted: string) => displayed('Status', status) === displayed('Status', wanted)
    return rows.flatMap((raw) =>
      readTask(raw).map(({ status, ...task }) => ({
        ...task,
        status: status !== null && isStatus(status, sent) ? TASK_IN_PROGRESS : status,
        is_completed: status !== null && isStatus(status, accepted),
      })),
    )
  }

  async function getTasks(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmTask[]> {
    return read(await itemsById(api, 'Tasks', zohoIds, { fields: FIELDS }, signal), signal)
  }

  return {
    getTasks,

    async *taskPagesSince(since, signal) {
      const headers = { 'if-modified-since': zohoTime(since) }
      const query = { fields: FIELDS, sort_by: 'Modified_Time', sort_order: 'asc' }
      for await (const rows of api.pages('Tasks', query, { signal, headers })) yield read(rows, signal)
    },

    async *openTaskPages(signal) {
      for await (const rows of api.pages('Tasks', { fields: FIELDS }, { signal })) {
        yield (await read(rows, signal)).filter((task) => !task.is_completed)
      }
    },

    async beginTask(zohoId, signal) {
      const status = (await metadata.displayedOf('Tasks', signal))('Status', sent)
      const choices = usedChoices((await metadata.fieldsOf('Tasks', signal))?.get('Status'))
      if (choices.length > 0 && !choices.includes(status)) return
      const body = { data: [{ id: zohoId, Status: status }] }
      const answer = await api.write({ method: 'PUT', path: 'Tasks', body, isRepeatable: true, signal })
      const [result] = readResults(answer)
      if (result === undefined) throw new CrmUnavailable('The CRM’s answer cannot be read.')
      writtenId(result)
    },
  }
}

/** Nothing for a task that cannot be read, so that one bad task does not hide the others. */
function readTask(raw: unknown): Omit<CrmTask, 'is_completed'>[] {
  const task = WireTask.safeParse(raw).data
  // Organisations differ in which of the two fields names a lead.
  const what = readLookupId(raw, 'What_Id')
  const who = readLookupId(raw, 'Who_Id')
  if (!task || task.Subject === null) return []
  return [
    {
      zoho_id: task.id,
      record_zoho_id: what ?? who,
      names_person: what === null && who !== null,
      subject: task.Subject,
      reason: task.Description,
      due_on: task.Due_Date ?? null,
      status: task.Status ?? null,
      created_at: task.Created_Time,
      modified_time: task.Modified_Time,
    },
  ]
}
