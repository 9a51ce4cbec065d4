import * as z from 'zod/mini'
import type { SweptList } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { CrmUnavailable } from '../../errors.ts'
import { defineJob } from '../../jobs/define-job.ts'
import type { CrmChange, CrmModule } from '../../zoho/crm-records.ts'
import { CrmForbidden, CrmRefused } from '../../zoho/errors.ts'
import { findPartnersByZohoId } from '../accounts/accounts.queries.ts'
import { hasChanged } from './has-changed.ts'
import { applyListedNotes, findRecordsInCrmOfAllPartners, pullRecords } from './pull-records.ts'
import { beginAtCursor, moveCursor } from './sweep-cursors.queries.ts'

/** Zoho may show a record a little after the time that it gives it, and tells whole seconds. */
const OVERLAP_MS = 60_000
/** A second that was over this long ago gets no more records. */
const SETTLED_MS = 5 * 60_000

/** Every five minutes, what changed in the CRM since the last time, for all partners in one pull (D32). */
export const sweep = defineJob({
  name: 'sweep',
  payload: z.object({}),
  schedule: '*/5 * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 30, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, _, signal) {
    try {
      await runSweep(deps, signal)
    } catch (error) {
      if (!(error instanceof CrmUnavailable || error instanceof CrmRefused)) throw error
      deps.log.warn({ err: error }, 'the sweep stopped; the next one goes on where it did')
    }
  },
})

/** One list after the other. What is wrong with one holds up none of the others, unless the CRM is away. */
export async function runSweep(deps: Deps, signal: AbortSignal): Promise<void> {
  const until = deps.clock.now().toISOString()
  const lists = [
    () => sweepChanges(deps, 'Leads', until, signal),
    () => sweepChanges(deps, 'Deals', until, signal),
    () => sweepDeletions(deps, 'Leads', until, signal),
    () => sweepDeletions(deps, 'Deals', until, signal),
    () => sweepNotes(deps, until, signal),
  ]
  const failures: unknown[] = []
  for (const sweepList of lists) {
    try {
      await sweepList()
    } catch (error) {
      const isAway = error instanceof CrmUnavailable && !(error instanceof CrmForbidden)
      if (isAway || signal.aborted) throw error
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function sweepChanges(deps: Deps, module: CrmModule, until: string, signal: AbortSignal): Promise<void> {
  const { db, crm } = deps
  const list: SweptList = module === 'Leads' ? 'leads' : 'deals'
  const from = await beginAtCursor(db, list, earlier(until, SETTLED_MS))
  let last: string | undefined
  for await (const changes of crm.changesOfAllPartners(module, { from, until }, signal)) {
    await pullRecords(deps, module, await findDiffering(deps, module, changes), signal)
    last = changes.at(-1)?.modified_time
    if (last !== undefined) await moveCursor(db, list, earlier(last))
  }
  await moveBehind(deps, list, last, until)
}

/** The others are as the CRM has them, or nobody's of the portal: comparing costs no call. */
async function findDiffering(deps: Deps, module: CrmModule, changes: readonly CrmChange[]): Promise<string[]> {
  const found = await findRecordsInCrmOfAllPartners(
    deps,
    module,
    changes.map((change) => change.zoho_id),
  )
  const rows = new Map(found.map((row) => [row.zoho_id, row]))
  const owners = await findPartnersByZohoId(
    deps.db,
    changes.flatMap((change) => change.partner_zoho_id ?? []),
  )
  const partnerIds = new Map(owners.map((owner) => [owner.zoho_id, owner.id]))
  const differing = changes.filter((change) => {
    const row = rows.get(change.zoho_id)
    const partnerId = partnerIds.get(change.partner_zoho_id ?? '')
    if (partnerId === undefined) return row?.archived_at === null
    return row?.partner_id !== partnerId || hasChanged(change, row)
  })
  return differing.map((change) => change.zoho_id)
}

/** What is listed as deleted is asked for once more: Zoho may list converted and merged leads there, too. */
async function sweepDeletions(deps: Deps, module: CrmModule, until: string, signal: AbortSignal): Promise<void> {
  const { db, crm } = deps
  const list: SweptList = module === 'Leads' ? 'deleted-leads' : 'deleted-deals'
  const from = await beginAtCursor(db, list, earlier(until, SETTLED_MS))
  const deletions = await crm.deletionsOfAllPartners(module, from, signal)
  const rows = await findRecordsInCrmOfAllPartners(
    deps,
    module,
    deletions.map((deletion) => deletion.zoho_id),
  )
  const present = rows.filter((row) => row.archived_at === null).map((row) => row.zoho_id)
  await pullRecords(deps, module, present, signal)
  await moveBehind(deps, list, latest(deletions.map((deletion) => deletion.deleted_time)), until)
}

/** A note may leave its record's time alone. Where only administrators may list notes, they come with changed records. */
async function sweepNotes(deps: Deps, until: string, signal: AbortSignal): Promise<void> {
  const { db, crm } = deps
  const from = await beginAtCursor(db, 'notes', earlier(until, SETTLED_MS))
  const listed = await crm.notesSince(earlier(from, 1_000), signal)
  await applyListedNotes(deps, listed ?? [], signal)
  await moveBehind(deps, 'notes', latest((listed ?? []).map(({ note }) => note.modified_time)), until)
}

/**
 * Only the CRM's own times move the cursor, so that the portal's clock may be wrong. The last second stays in the next
 * sweep as long as it may get more records, and then no longer, however many it has.
 */
async function moveBehind({ db }: Deps, list: SweptList, last: string | undefined, until: string): Promise<void> {
  if (last === undefined) return
  const isSettled = Date.parse(until) - Date.parse(last) > SETTLED_MS
  await moveCursor(db, list, isSettled ? earlier(last, -1_000) : earlier(last))
}

function earlier(instant: string, byMs = OVERLAP_MS): string {
  return new Date(Date.parse(instant) - byMs).toISOString()
}

function latest(instants: readonly string[]): string | undefined {
  return instants.toSorted().at(-1)
}
