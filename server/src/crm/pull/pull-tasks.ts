import type { Deps } from '../../deps.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import {
  findOpenRequestsOfAllPartners,
  removeUnnamedRequestsOfAllPartners,
} from '../../records/requests/requests.queries.ts'
import { applyTasks } from '../apply/apply-tasks.ts'
import { CrmForbidden, CrmRefused } from '../zoho/errors.ts'
import { beginAtCursor, endCursor, findCursor, moveCursor } from './sweep/sweep-cursors.queries.ts'

const OPEN_AT_ONCE = 100
/** As for other lists, Zoho may show a task a little later than its time says. */
const OVERLAP_MS = 60_000

/** Reads tasks that a notification has named. Those that the CRM does not have any more are withdrawn. */
export async function pullTasks(deps: Deps, zohoIds: readonly string[], signal: AbortSignal): Promise<void> {
  const tasks = await deps.crm.getTasks(zohoIds, signal)
  const there = new Set(tasks.map((task) => task.zoho_id))
  await applyTasks(deps, tasks, { isNews: true, gone: zohoIds.filter((zohoId) => !there.has(zohoId)) })
}

/**
 * Applies the tasks that have changed since the last sweep, and looks whether the open ones are still there. The first
 * sweep reads all open tasks, which are no news (D105). An organisation that does not give its tasks has no requests.
 */
export async function sweepTasks(deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    await sweepGivenTasks(deps, signal)
  } catch (error) {
    if (!(error instanceof CrmRefused || error instanceof CrmForbidden)) throw error
    deps.log.warn({ err: error }, 'the CRM does not give its tasks, so partners do not see what the lender asks')
  }
}

async function sweepGivenTasks(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db, crm, config } = deps
  const list = `tasks-${config.crmTasks}` as const
  const begun = crm.now().toISOString()
  if ((await findCursor(db, list)) === undefined) {
    if (config.crmTasks === 'partner') await removeUnnamedRequestsOfAllPartners(db)
    for await (const tasks of crm.openTaskPages(signal)) await applyTasks(deps, tasks, { isNews: false })
    await endCursor(db, list === 'tasks-all' ? 'tasks-partner' : 'tasks-all')
  }
  const from = Date.parse(await beginAtCursor(db, list, begun)) - OVERLAP_MS
  for await (const tasks of crm.taskPagesSince(new Date(from).toISOString(), signal)) {
    await applyTasks(deps, tasks, { isNews: true })
  }
  for (let after = ''; ; ) {
    const open = await findOpenRequestsOfAllPartners(db, after, OPEN_AT_ONCE)
    const last = open.at(-1)
    if (last === undefined) break
    await pullTasks(deps, open, signal)
    after = last
  }
  if (signal.aborted) throw new CrmUnavailable('The sweep was stopped.')
  await moveCursor(db, list, begun)
}
