import type { RequestState } from '@portal/contract/requests.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { insertSet, updateSet } from '../../platform/db/row-sets.ts'
import type { RequestRow } from '../../platform/db/tables.ts'
import type { CrmTask } from '../../records/crm-records.ts'
import type { AnyEvent } from '../../records/events/event-data.ts'
import { recordEvents } from '../../records/events/events.ts'
import { requestEvent } from '../../records/requests/request-event.ts'
import {
  findRequestOwnersOfAllPartners,
  lockRequestsOfAllPartners,
  type RequestOwner,
} from '../../records/requests/requests.queries.ts'
import { TASK_IN_PROGRESS } from '../zoho/field-map.ts'

/** The CRM's times are in whole seconds. */
const ROUNDING_MS = 1_000
const UNANSWERED = { answered_at: null, answered_before: null }
const PARTNER = /^partner\s*:\s*/i

/** Whether a task asks the partner (D105). */
function isForPartner(config: Pick<Deps['config'], 'crmTasks'>, subject: string): boolean {
  return config.crmTasks === 'all' || PARTNER.test(subject)
}

/**
 * Applies tasks that were read from the CRM, and tells of what is new in them if they are news (D105, D106). A task whose
 * record the portal does not have yet is stored too: it is shown with the record, and is no news then. `gone` are the
 * tasks that the CRM no longer has.
 */
export async function applyTasks(
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
  read: readonly CrmTask[],
  { isNews, gone = [] }: { isNews: boolean; gone?: readonly string[] },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const rows = await lockRequestsOfAllPartners(tx, [...read.map((task) => task.zoho_id), ...gone])
    const known = new Map(rows.map((row) => [row.zoho_id, row]))
    const tasks = read.filter((task) => known.has(task.zoho_id) || isForPartner(config, task.subject))
    if (tasks.length === 0 && rows.length === 0) return
    const records = [...tasks, ...rows].flatMap((one) => one.record_zoho_id ?? [])
    const owners = new Map(
      (await findRequestOwnersOfAllPartners(tx, [...new Set(records)])).map((owner) => [owner.record_zoho_id, owner]),
    )
    const now = clock.now()
    const added: RequestRow[] = []
    const changed: RequestRow[] = []
    const told: { id: string; event: AnyEvent }[] = []

    const tell = (row: RequestRow, before: RequestState | undefined) => {
      const owner = owners.get(row.record_zoho_id)
      const event = owner && isTellable(owner) && requestEvent(row, owner, before, now.toISOString())
      if (isNews && event) told.push({ id: row.id, event })
    }

    const withdraw = (row: RequestRow) => {
      const next = { ...row, state: 'withdrawn' as const }
      changed.push(next)
      tell(next, row.state)
    }

    for (const task of tasks) {
      const row = known.get(task.zoho_id)
      const owner = row && owners.get(row.record_zoho_id)
      const isStaying = row && !owners.has(task.record_zoho_id ?? '') && staysWith(owner, task)
      const record_zoho_id = isStaying ? row.record_zoho_id : task.record_zoho_id
      if (record_zoho_id === null) continue
      const isErased = owners.get(record_zoho_id)?.is_erased === true
      if (!row) {
        if (isErased) continue
        const { is_completed, created_at, modified_time, names_person: _, ...asked } = task
        const state = is_completed ? ('accepted' as const) : ('asked' as const)
        const times = { asked_at: created_at, crm_modified_time: modified_time }
        const request = { id: newId(now), ...asked, ...subjectOf(task), record_zoho_id, state, ...times, ...UNANSWERED }
        added.push(request)
        tell(request, undefined)
      } else if (task.modified_time >= row.crm_modified_time) {
        const seen = { ...row, crm_modified_time: task.modified_time }
        // The partner may not read what staff write in such a task.
        if (isErased || !isForPartner(config, task.subject)) {
          withdraw(seen)
          continue
        }
        const isMoved = record_zoho_id !== row.record_zoho_id && !isOneRecord(owner, owners.get(record_zoho_id))
        if (isMoved) tell({ ...row, state: 'withdrawn' }, row.state)
        const asked = isMoved ? { ...seen, ...UNANSWERED } : seen
        const state = stateOf(asked, task)
        const isAskedNow = isMoved || (state === 'again' && row.state !== 'again')
        const next = {
          ...asked,
          ...subjectOf(task),
          reason: task.reason,
          due_on: task.due_on,
          status: task.status,
          state,
          asked_at: isAskedNow ? task.modified_time : row.asked_at,
          record_zoho_id,
        }
        changed.push(next)
        tell(next, isMoved ? undefined : row.state)
      }
    }
    for (const row of rows) if (gone.includes(row.zoho_id) && row.state !== 'withdrawn') withdraw(row)
    const ids = await insertSet(tx, 'requests', added)
    await updateSet(tx, 'requests', changed)
    const isWritten = (id: string) => ids.has(id) || changed.some((row) => row.id === id)
    await recordEvents(
      tx,
      told.filter(({ id }) => isWritten(id)).map(({ event }) => event),
    )
  })
}

function subjectOf({ subject }: CrmTask) {
  return { subject: subject.replace(PARTNER, '').trim() || subject, is_named: PARTNER.test(subject) }
}

/**
 * Whether a task stays with its record although it names none, or one that the portal does not have: the record may be in
 * the recycle bin, and a conversion may have moved the task to the contact or to a deal that is not read yet.
 */
function staysWith(owner: RequestOwner | undefined, task: CrmTask): boolean {
  if (task.record_zoho_id === null) return true
  return owner?.about === 'deal' ? task.names_person : owner?.awaits_deal === true
}

/** Whether people see both as one record: a lead that became a deal is that deal. */
function isOneRecord(one: RequestOwner | undefined, other: RequestOwner | undefined): boolean {
  return one !== undefined && one.loid === other?.loid && one.partner_id === other.partner_id
}

function isTellable(owner: RequestOwner): boolean {
  return owner.is_shown && !owner.is_erased
}

/**
 * The state of a request after this version of its task. After an answer, a change of the description or the status asks
 * again, unless it was made before the answer or is the portal's own.
 */
function stateOf(row: RequestRow, task: CrmTask): RequestState {
  if (task.is_completed) return 'accepted'
  if (row.answered_at === null) return 'asked'
  if (row.state !== 'sent') return 'again'
  const isAfter = Date.parse(task.modified_time) + ROUNDING_MS > Date.parse(row.answered_at)
  const isOtherStatus = task.status !== row.status && task.status !== TASK_IN_PROGRESS
  return isAfter && (task.reason !== row.reason || isOtherStatus) ? 'again' : 'sent'
}
