import * as z from 'zod/mini'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { findRequestOfAnyPartner } from '../../records/requests/requests.queries.ts'
import { readTasks } from '../pull/pull-tasks.ts'
import { TASK_IN_PROGRESS } from '../zoho/field-map.ts'
import { PUSH_RETRY } from './push-retry.ts'

/**
 * Sets the task of an answered request to 'In Progress', and nothing else of it (D105). Looks at the task first, so that
 * what staff have done since the answer stays.
 */
export const beginTask = defineJob({
  name: 'begin-task',
  payload: z.object({ requestId: z.string() }),
  key: ({ requestId }) => requestId,
  retry: PUSH_RETRY,
  async run(deps, { requestId }, signal) {
    const { db, crm } = deps
    const sent = async () => {
      const row = await findRequestOfAnyPartner(db, requestId)
      return row?.state === 'sent' ? row : undefined
    }
    const row = await sent()
    if (!row) return
    const before = await readTasks(deps, [row.zoho_id], signal)
    if (!(await sent()) || before.every((task) => task.status === TASK_IN_PROGRESS)) return
    await crm.beginTask(row.zoho_id, signal)
    await readTasks(deps, [row.zoho_id], signal)
  },
})
