import type { Deps } from '../../deps.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { CrmTask } from '../../records/crm-records.ts'
import {
  findLeftLeadsOfAllPartners,
  findOpenRequestsOfAllPartners,
  removeUnnamedRequestsOfAllPartners,
} from '../../records/requests/requests.queries.ts'
import { applyTasks } from '../apply/apply-tasks.ts'
import { CrmForbidden, CrmRefused } from '../zoho/errors.ts'
import { findDeleted, ORDINARY_MAX, ORDINARY_SHARE } from './hold-hidden.ts'
import { pullForAll } from './pull-for-all.ts'
import { pullRecords } from './pull-records.ts'
import { beginAtCursor, endCursor, findCursor, moveCursor } from './sweep/sweep-cursors.queries.ts'

const OPEN_AT_ONCE = 100
/** As for other lists, Zoho may show a task a little later than its time says. */
const OVERLAP_MS = 60_000

/** Reads tasks that a notification has named. Those that the CRM does not have any more are withdrawn. */
export async function pullTasks(deps: Deps, zohoIds: readonly string[], signal: AbortSignal): Promise<void> {
  const missing = await applyThere(deps, zohoIds, signal)
  await withdrawGone(deps, missing, { asked: zohoIds.length, signal })
}

/** Applies those of these tasks that the CRM shows. Returns the ids of the others. */
async function applyThere(deps: Deps, zohoIds: readonly string[], signal: AbortSignal): Promise<string[]> {
  const tasks = await readTasks(deps, zohoIds, signal)
  const there = new Set(tasks.map((task) => task.zoho_id))
  return zohoIds.filter((zohoId) => !there.has(zohoId))
}

/** Reads these tasks from the CRM, applies them and returns them. */
export async function readTasks(deps: Deps, zohoIds: readonly string[], signal: AbortSignal): Promise<CrmTask[]> {
  const tasks = await deps.crm.getTasks(zohoIds, signal)
  await applyRead(deps, tasks, { isNews: true, signal })
  return tasks
}

/** Applies tasks. If some have left their lead, that lead is pulled first, because a conversion moves tasks. */
async function applyRead(
  deps: Deps,
  tasks: readonly CrmTask[],
  { isNews, signal }: { isNews: boolean; signal: AbortSignal },
): Promise<void> {
  const left = await findLeftLeadsOfAllPartners(deps.db, tasks)
  await pullRecords(pullForAll(deps, 'leads', signal), 'Leads', left)
  await applyTasks(deps, tasks, { isNews })
}

/**
 * Withdraws what was asked with tasks that the CRM does not show any more. If suspiciously many of the tasks are missing,
 * the API user may have lost a right: then only those are gone that the CRM names as deleted (D123).
 */
async function withdrawGone(
  deps: Deps,
  missing: readonly string[],
  { asked, signal }: { asked: number; signal: AbortSignal },
): Promise<void> {
  if (missing.length === 0) return
  const isMass =
    (missing.length > 1 && missing.length === asked) ||
    (missing.length > ORDINARY_MAX && missing.length > asked * ORDINARY_SHARE)
  const gone = isMass ? await findGone(deps, missing, signal) : missing
  if (gone.length < missing.length) {
    const tasks = missing.length - gone.length
    deps.log.warn(
      { tasks },
      'the CRM does not show these tasks and does not name them as deleted; the portal keeps them',
    )
  }
  await applyTasks(deps, [], { isNews: true, gone })
}

/**
 * The tasks of these that the CRM names as deleted. Where an organisation does not list its deleted tasks, all of them are
 * gone if the CRM shows any other task.
 */
async function findGone(deps: Deps, missing: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const deleted = await findDeleted({ deps, signal }, 'Tasks')
  if (deleted !== undefined) return missing.filter((zohoId) => deleted.has(zohoId))
  for await (const tasks of deps.crm.openTaskPages(signal)) return tasks.length > 0 ? missing : []
  return []
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
    for await (const tasks of crm.openTaskPages(signal)) await applyRead(deps, tasks, { isNews: false, signal })
    await endCursor(db, list === 'tasks-all' ? 'tasks-partner' : 'tasks-all')
  }
  const from = Date.parse(await beginAtCursor(db, list, begun)) - OVERLAP_MS
  for await (const tasks of crm.taskPagesSince(new Date(from).toISOString(), signal)) {
    await applyRead(deps, tasks, { isNews: true, signal })
  }
  const missing: string[] = []
  let asked = 0
  for (let after = ''; ; ) {
    const open = await findOpenRequestsOfAllPartners(db, after, OPEN_AT_ONCE)
    const last = open.at(-1)
    if (last === undefined) break
    missing.push(...(await applyThere(deps, open, signal)))
    asked += open.length
    after = last
  }
  await withdrawGone(deps, missing, { asked, signal })
  if (signal.aborted) throw new CrmUnavailable('The sweep was stopped.')
  await moveCursor(db, list, begun)
}
