import * as z from 'zod/mini'
import type { Deps } from '../../../deps.ts'
import type { SweptList } from '../../../platform/db/tables.ts'
import { CrmUnavailable } from '../../../platform/errors.ts'
import { defineJob } from '../../../platform/jobs/define-job.ts'
import type { CrmChange, CrmModule } from '../../../records/crm-records.ts'
import {
  findDifferingOfAllPartners,
  findPresentOfAllPartners,
  markNotesDueOfAllPartners,
} from '../../../records/kinds/crm-rows.queries.ts'
import { drawHiddenOfAllPartners } from '../../../records/kinds/hidden-records.queries.ts'
import { findPartnersWithoutRecord } from '../../../records/partners/partners-in-crm.queries.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { asSweep } from '../../zoho/call-order.ts'
import { CrmForbidden, CrmRefused, isOfCrm } from '../../zoho/errors.ts'
import { NotesNotListed } from '../../zoho/read-notes.ts'
import { findRowsOf } from '../find-rows-of.ts'
import type { Pull } from '../pull.ts'
import { sweepDocuments } from '../pull-documents.ts'
import { pullForAll } from '../pull-for-all.ts'
import { applyListedNotes } from '../pull-notes.ts'
import { pullPartners, sweepPartners } from '../pull-partners.ts'
import { pullRecords } from '../pull-records.ts'
import { sweepTasks } from '../pull-tasks.ts'
import { beginAtCursor, markSwept, moveCursor } from './sweep-cursors.queries.ts'

/** Zoho may show a record a little later than its Modified_Time says, and Modified_Time is in whole seconds. */
const OVERLAP_MS = 60_000
/** A record appears in Zoho's lists at most this long after its time. */
const SETTLED_MS = 5 * 60_000
/** One query lists at most this many rows. */
const PRESENT_AT_ONCE = 2_000
/** A sweep looks for at most this many of the records that the CRM does not show. */
const HIDDEN_AT_ONCE = 500

/** Pulls all changes in the CRM since the last sweep, every five minutes and for all partners at once (D32). */
export const sweep = defineJob({
  name: 'sweep',
  payload: z.object({}),
  schedule: '*/5 * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 30, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, _, signal) {
    try {
      await asSweep(() => runSweep(deps, signal))
    } catch (error) {
      if (!isOfCrm(error)) throw error
      deps.log.warn({ err: error }, 'the sweep stopped; the next sweep continues from there')
    }
  },
})

/** Sweeps one list after another. If a list fails, the other lists are still swept, unless the CRM is unavailable. */
export async function runSweep(deps: Deps, signal: AbortSignal): Promise<void> {
  if (deps.crm.listsNotes() === undefined) await tryNotes(deps, signal)
  const lists = [
    // Who may use the portal comes first.
    () => sweepPartners(deps, signal),
    () => sweepDeletedPartners(deps, signal),
    () => connectRestored(deps, signal),
    () => sweepChanges(deps, 'Leads', signal),
    () => sweepChanges(deps, 'Deals', signal),
    () => sweepDeletions(deps, 'Leads', signal),
    () => sweepDeletions(deps, 'Deals', signal),
    () => sweepHidden(deps, signal),
    // Notes, tasks and documents come last, when each record is with its current partner.
    () => sweepNotes(deps, signal),
    () => sweepTasks(deps, signal),
    () => sweepDocuments(deps, signal),
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
  await markSwept(deps.db)
}

/** Finds partners whose own record was deleted or merged, even if none of their leads and deals shows it (D123). */
async function sweepDeletedPartners(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db, crm } = deps
  const from = await beginAtCursor(db, 'deleted-partners', firstPosition(deps))
  let listedAt: Date | undefined
  let last: string | undefined
  for await (const deletions of crm.deletionsOfAllPartners('Partners', from, signal)) {
    listedAt ??= crm.now()
    await pullPartners(
      deps,
      deletions.map((deletion) => deletion.zoho_id),
      signal,
    )
    last = latest([last ?? [], deletions.map((deletion) => deletion.deleted_time)].flat(2))
  }
  await moveBehind(deps, 'deleted-partners', listedAt, last)
}

/** Connects partners again whose own record was gone and is in the CRM again (D123). */
async function connectRestored({ db, crm, jobs }: Deps, signal: AbortSignal): Promise<void> {
  const gone = await findPartnersWithoutRecord(db)
  if (gone.length === 0) return
  const there = await crm.partnersThere(
    gone.map((partner) => partner.zoho_id),
    signal,
  )
  for (const { id, zoho_id } of gone) if (there.has(zoho_id)) await jobs.enqueue(db, pushPartner, { partnerId: id })
}

/** Compares listed records with the portal's rows in SQL, which costs no call, and pulls the records that differ. */
async function sweepChanges(deps: Deps, module: CrmModule, signal: AbortSignal): Promise<void> {
  const { db, crm } = deps
  const list = module === 'Leads' ? 'leads' : 'deals'
  const pull = pullForAll(deps, list, signal)
  const from = await beginAtCursor(db, list, firstPosition(deps))
  let listedAt: Date | undefined
  let last: string | undefined
  for await (const changes of crm.changesOfAllPartners(module, from, signal)) {
    listedAt ??= crm.now()
    await pullRecords(pull, module, await findDifferingOfAllPartners(db, list, changes))
    if (module === 'Deals') await pullUnmapped(deps, changes, signal)
    last = changes.at(-1)?.modified_time
    if (last !== undefined) await moveCursor(db, list, earlier(last))
  }
  await moveBehind(deps, list, listedAt, last)
}

/**
 * Pulls the leads of new deals that name no partner. If a conversion copies neither LOID nor partner and leaves the
 * lead's time unchanged, only the deal shows the conversion. One query finds the leads of fifty deals.
 */
async function pullUnmapped(deps: Deps, changes: readonly CrmChange[], signal: AbortSignal): Promise<void> {
  const nobodys = changes.filter((change) => change.partner_zoho_id === null).map((change) => change.zoho_id)
  if (nobodys.length === 0) return
  const known = new Set((await findRowsOf(deps, 'Deals', nobodys)).map((row) => row.zoho_id))
  const leads = await deps.crm.leadsOfDeals(
    nobodys.filter((zohoId) => !known.has(zohoId)),
    signal,
  )
  await pullRecords(pullForAll(deps, 'leads', signal), 'Leads', leads)
}

/**
 * Pulls the records that Zoho lists as deleted. They are not simply removed, because this list may also contain
 * converted and merged leads.
 */
async function sweepDeletions(deps: Deps, module: CrmModule, signal: AbortSignal): Promise<void> {
  const { db, crm, log } = deps
  const list = module === 'Leads' ? 'deleted-leads' : 'deleted-deals'
  const pull = pullForAll(deps, module === 'Leads' ? 'leads' : 'deals', signal)
  const from = await beginAtCursor(db, list, firstPosition(deps))
  let listedAt: Date | undefined
  let last: string | undefined
  try {
    for await (const deletions of crm.deletionsOfAllPartners(module, from, signal)) {
      listedAt ??= crm.now()
      const ids = deletions.map((deletion) => deletion.zoho_id)
      const rows = await findRowsOf(deps, module, ids)
      const present = rows.filter((row) => row.archived_at === null)
      await pullRecords(
        pull,
        module,
        present.flatMap((row) => row.zoho_id ?? []),
      )
      last = latest([last ?? [], deletions.map((deletion) => deletion.deleted_time)].flat(2))
    }
  } catch (error) {
    // Zoho lists a limited number of deletions, in no documented order. To find the other deletions, the portal looks
    // for each of its records in the CRM.
    if (!(error instanceof CrmRefused) || last === undefined) throw error
    log.warn(
      { err: error, module },
      'the CRM does not list all deletions, so the portal looks for every record in the CRM',
    )
    await pullMissing(pull, module)
  }
  await moveBehind(deps, list, listedAt, last)
}

/**
 * Reads each record of the portal that the CRM's queries do not return. The queries cost at least three credits for
 * every 2,000 records.
 */
async function pullMissing(pull: Pull, module: CrmModule): Promise<void> {
  const { deps, signal } = pull
  const name = module === 'Leads' ? 'leads' : 'deals'
  for (let after = ''; ; ) {
    const present = await findPresentOfAllPartners(deps.db, name, after, PRESENT_AT_ONCE)
    const last = present.at(-1)
    if (last === undefined) return
    after = last
    const missing = new Set(present)
    const inOrder = present.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    const range = { first: inOrder[0] ?? last, last: inOrder.at(-1) ?? last }
    for await (const ids of deps.crm.idsOfAllPartners(module, range, signal)) for (const id of ids) missing.delete(id)
    await pullRecords(pull, module, [...missing])
  }
}

/** Looks again at records that the CRM did not show (D123). */
async function sweepHidden(deps: Deps, signal: AbortSignal): Promise<void> {
  for (const module of ['Leads', 'Deals'] as const) {
    const hidden = await drawHiddenOfAllPartners(deps.db, module, HIDDEN_AT_ONCE)
    const pull = pullForAll(deps, module === 'Leads' ? 'leads' : 'deals', signal)
    await pullRecords(pull, module, hidden)
  }
}

/** Finds out whether Zoho lists notes. If it does, the changed records do not need a call each for their notes. */
async function tryNotes({ crm }: Deps, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of crm.notePagesSince(crm.now().toISOString(), signal)) break
  } catch (error) {
    if (!(error instanceof NotesNotListed)) throw error
  }
}

/**
 * Applies new notes from Zoho's list, because a note may leave its record's time unchanged. If Zoho does not let the
 * portal list all notes, notes are read with changed records instead.
 */
async function sweepNotes(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db, crm } = deps
  const from = await beginAtCursor(db, 'notes', firstPosition(deps))
  const wasListed = crm.listsNotes() === true
  let listedAt: Date | undefined
  let last: string | undefined
  try {
    for await (const listed of crm.notePagesSince(earlier(from, 1_000), signal)) {
      listedAt ??= crm.now()
      await applyListedNotes({ deps, signal }, listed, () => true)
      last = latest([last ?? [], listed.map(({ note }) => note.modified_time)].flat(2))
      if (last !== undefined) await moveCursor(db, 'notes', earlier(last))
    }
  } catch (error) {
    if (!(error instanceof NotesNotListed)) throw error
    // The notes of records pulled since `from` were not read, because they were expected in this list.
    if (wasListed) await markNotesDueOfAllPartners(db, from)
  }
  await moveBehind(deps, 'notes', listedAt, last)
}

/**
 * Moves the cursor past the last change in the list. If Zoho may still show more records with nearby times, moves the
 * cursor to a minute before that change instead. Uses only the CRM's own times and clock, so it works even if the
 * portal's clock is wrong.
 */
async function moveBehind(
  { db }: Deps,
  list: SweptList,
  listedAt: Date | undefined,
  last: string | undefined,
): Promise<void> {
  if (listedAt === undefined || last === undefined) return
  const isSettled = listedAt.getTime() - Date.parse(last) > SETTLED_MS
  await moveCursor(db, list, isSettled ? earlier(last, -1_000) : earlier(last))
}

/** The position at which the very first sweep begins. */
function firstPosition({ crm }: Deps): string {
  return new Date(crm.now().getTime() - SETTLED_MS).toISOString()
}

function earlier(instant: string, byMs = OVERLAP_MS): string {
  return new Date(Date.parse(instant) - byMs).toISOString()
}

function latest(instants: readonly string[]): string | undefined {
  return instants.toSorted().at(-1)
}
