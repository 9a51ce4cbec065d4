import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { cutText } from '../../platform/cut-text.ts'
import type { Correction, LeadChangeRow, LeadRow } from '../../platform/db/tables.ts'
import { defineJob, type Job, NotYet } from '../../platform/jobs/define-job.ts'
import type { CrmLead } from '../../records/crm-records.ts'
import { findWaitingChange, markChangeSent, refuseChange } from '../../records/leads/lead-changes.queries.ts'
import { isNamed, isTouched, LEAD_TABLE, type StoredLead } from '../../records/leads/lead-table.ts'
import { findLeadRow } from '../../records/leads/leads.queries.ts'
import { findOwnNotes } from '../../records/notes/notes.queries.ts'
import { findPartnerToPush } from '../../records/partners/partners-in-crm.queries.ts'
import { PULL_QUEUE } from '../queues.ts'
import { CrmRefused } from '../zoho/errors.ts'
import { pushAlone } from './push-lease.ts'
import { PUSH_RETRY } from './push-retry.ts'
import { settleChange } from './settle-change.ts'

export const TOUCHED = 'The lender has begun to work on this lead. A note tells the lender what to change.'
export const GONE = 'The lender has removed this lead.'
export const NOT_ANSWERED = `The CRM did not answer within ${PUSH_RETRY.giveUpAfterDays} days.`

/** The CRM's times are whole seconds, so a second change in the second of the look would not be noticed. */
const SETTLED_MS = 2_000

class JustChanged extends NotYet {}

/**
 * Corrects or withdraws a lead (D86). Looks at the CRM's record first, and changes it only while the lender has not touched
 * it. A record that has just changed is looked at once more as soon as it has settled, because the partner waits. After a
 * lost answer, the repeated job sees by the record whether the change was made. Runs under the lease of the lead's push, so
 * that what is pushed is never an older text.
 */
export const changeLead: Job<{ partnerId: string; loid: string }> = defineJob({
  name: 'change-lead',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId, loid }, signal) {
    const { db } = deps
    const find = () => findWaitingChange(db, partnerId, loid)
    await pushAlone(db, { loid, signal }, find, async (change, untilLeaseEnds) => {
      const look = async (waiting: LeadChangeRow) => {
        const lead = await findLeadRow(db, partnerId, loid)
        const problem = lead ? await carryOut(deps, waiting, lead, untilLeaseEnds) : GONE
        if (problem !== undefined) await refuseChange(db, partnerId, loid, problem)
      }
      try {
        await look(change)
      } catch (error) {
        if (!(error instanceof JustChanged)) throw error
        await sleep(SETTLED_MS, undefined, { signal: untilLeaseEnds })
        const waiting = await find()
        if (waiting) await look(waiting)
      }
    })
  },
  async giveUp({ db }, { partnerId, loid }) {
    await refuseChange(db, partnerId, loid, NOT_ANSWERED)
  },
})

/** Returns why the change cannot be made; undefined if it was made. */
async function carryOut(
  deps: Deps,
  change: LeadChangeRow,
  lead: LeadRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { db, crm, clock, jobs } = deps
  if (lead.archived_at !== null) return GONE
  if (lead.crm !== 'synced' || lead.zoho_id === null) {
    if (lead.crm_sent_at !== null) throw new NotYet('the lead was sent, and nobody knows yet whether it arrived')
    await settleChange(deps, change, lead)
    return undefined
  }
  const { zoho_id } = lead
  const { records, problems } = await crm.getLeads([zoho_id], signal)
  if (problems.length > 0) throw new NotYet('the CRM’s record cannot be read')
  const [there] = records
  if (!there) {
    if (change.kind === 'correct' || change.sent_at === null) return GONE
    await settleChange(deps, change, lead)
    return undefined
  }
  if (there.is_converted) return TOUCHED
  if ((await findPartnerToPush(db, lead.partner_id))?.zoho_id !== there.partner_zoho_id) {
    // Staff gave the lead away, or merged or deleted the partner's own record. A pull finds out, and follows a merge.
    await jobs.enqueue(db, PULL_QUEUE, { module: 'Leads', zohoIds: [zoho_id] })
    throw new NotYet('the record names another partner')
  }
  const { nameNow } = there
  const present = asRow(there, lead)
  if (change.sent_at !== null && change.corrected && hasAll(present, change.corrected, nameNow)) {
    await settleChange(deps, change, lead, nameNow)
    return undefined
  }
  const ownNotes = await findOwnNotes(db, lead.partner_id, lead.loid)
  if (ownNotes.some((note) => note.crm === 'pending' && note.crm_sent_at !== null)) {
    throw new NotYet('nobody knows yet whether a note arrived')
  }
  const ownIds = new Set(ownNotes.flatMap((note) => note.zoho_id ?? []))
  const isPartners = lead.touched_at === null && !isTouched(present, lead, nameNow)
  if (!isPartners || (await crm.hasItemsOfStaff(zoho_id, ownIds, signal))) return TOUCHED
  if (crm.now().getTime() - Date.parse(there.modified_time) < SETTLED_MS)
    throw new JustChanged('the record just changed')
  await markChangeSent(db, lead, clock.now().toISOString())
  try {
    if (change.kind === 'withdraw') await crm.removeLead(zoho_id, signal)
    else if (!(await crm.correctLead(zoho_id, change.corrected ?? {}, there.modified_time, signal))) {
      // By the lender, or by an earlier try that arrived late.
      throw new JustChanged('the record was changed after the look')
    }
  } catch (error) {
    if (!(error instanceof CrmRefused)) throw error
    return error.message
  }
  await settleChange(deps, change, lead, nameNow)
  return undefined
}

/** The CRM's record as a pull would write it into the row. */
function asRow(there: CrmLead, lead: LeadRow): StoredLead {
  const { crm_problem: _, crm_sent_at: __, search_fold: ___, search_keys: ____, ...before } = lead
  const { id, partner_id, loid, created_at, modified_time, zoho_id, crm, crm_modified_time, crm_read_at } = before
  const { archived_at, archived_reason, history_due, history_told_until, notes_due } = before
  const times = { created_at, modified_time, crm_modified_time, crm_read_at, archived_at, history_told_until }
  const own = { ...times, id, partner_id, loid, zoho_id, crm, archived_reason, history_due, notes_due }
  return LEAD_TABLE.toRow({ ...there, loid }, own, before)
}

/** Whether the record has what the correction wrote. The CRM may have cut a long text. */
function hasAll(present: Correction, corrected: Correction, nameNow: CrmLead['nameNow']): boolean {
  return Object.entries(corrected).every(([column, wanted]) => {
    const found: unknown = Reflect.get(present, column)
    const isCut = typeof wanted === 'string' && typeof found === 'string' && found !== ''
    return isNamed(present, column, wanted, nameNow) || (isCut && cutText(wanted, found.length) === found)
  })
}
