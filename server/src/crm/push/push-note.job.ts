import type { Deps } from '../../deps.ts'
import { underLease } from '../../platform/db/lease.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { defineJob, GiveUp, NotYet } from '../../platform/jobs/define-job.ts'
import { isNotTaken, markNotTaken, NOT_TAKEN } from '../../records/kinds/not-taken.queries.ts'
import { WITHDRAWN } from '../../records/leads/lead-changes.queries.ts'
import { isWithdrawn } from '../../records/leads/leads.queries.ts'
import {
  clearNoteSent,
  findNote,
  findNotedRecordsOfAnyPartner,
  findOtherNotesOfAnyPartner,
  findRecordStateOfAnyPartner,
  markNotePushed,
  markNotePushFailed,
  markNoteSent,
} from '../../records/notes/notes.queries.ts'
import { withSignature } from '../../records/notes/signature.ts'
import { findPartnerToPush } from '../../records/partners/partners-in-crm.queries.ts'
import { CrmUnanswered } from '../zoho/errors.ts'
import { givePushUp } from './give-up-push.ts'
import { givingUpWhenRefused } from './giving-up-when-refused.ts'
import { NOTE_QUEUE } from './notes-follow.ts'
import { letOthersGo, waitForTry } from './one-tries-for-all.ts'
import { PUSH_LEASE } from './push-lease.ts'
import { NOT_REACHED, PUSH_RETRY, RECORD_REMOVED } from './push-retry.ts'
import { noteRefused } from './refused-pushes.queries.ts'
import { waitForOthers } from './wait-for-others.ts'

/** How soon the CRM is asked again whether it has a note that was sent without an answer. */
const LOOK_AFTER_SECONDS = 10

/** The note was sent a short while ago, and the CRM does not have it yet. */
class SentBefore extends Error {}

/**
 * Pushes a note to the CRM under a lease. A note has no field that is unique in the CRM, so two pushes at once would
 * create two notes. After a push without an answer, only looks for the note every ten seconds until the CRM can no
 * longer carry out that call.
 */
export const pushNote = defineJob({
  ...NOTE_QUEUE,
  retry: PUSH_RETRY,
  async run(deps, { partnerId, noteId }, signal) {
    const { db, crm, jobs } = deps
    const lease = { name: `push-note ${noteId}`, ...PUSH_LEASE, signal }
    if (!(await underLease(db, lease, look, push))) throw new CrmUnavailable('Another push of the note is under way.')

    async function look(): Promise<object | undefined> {
      const note = await findNote(db, partnerId, noteId)
      return note && note.crm !== 'synced' ? undefined : {}
    }

    async function push(untilLeaseEnds: AbortSignal): Promise<object> {
      const note = await findNote(db, partnerId, noteId)
      if (!note || note.crm === 'synced') return {} // the note has since been removed or reached the CRM
      const partner = await findPartnerToPush(db, partnerId)
      // The account is closed, or another push will be queued when its address is confirmed (D52).
      if (!partner || partner.crm === 'held') return {}
      await waitForOthers(deps, partnerId)
      const refused = { partnerId, kind: 'notes', record: noteId } as const
      const isRefused = note.crm_problem === NOT_TAKEN
      if (isRefused) await waitForTry(deps, refused)
      if (await isWithdrawn(db, partnerId, note.loid)) {
        await db.transaction().execute((tx) => markNotePushFailed(tx, partnerId, noteId, WITHDRAWN))
        return {}
      }
      // The CRM refuses notes on a converted lead, so the note goes to the lead's deal.
      const [record, lead] = await findNotedRecordsOfAnyPartner(db, note.loid)
      if (!record) throw new NotYet('the note’s record has not reached the CRM yet')
      let isSent = false
      const toPush = {
        ...note,
        content: withSignature(note),
        lead_zoho_id: lead?.zoho_id,
        findOthers: (zohoIds: readonly string[]) => findOtherNotesOfAnyPartner(db, noteId, zohoIds),
        async beforeSending() {
          isSent = await markNoteSent(db, noteId)
          if (!isSent) throw new SentBefore()
        },
      }
      const created = crm.createNote(record.module, record.zoho_id, toPush, untilLeaseEnds)
      try {
        const zohoId = await givingUpWhenRefused(created, {
          markFailed: (problem) => giveUp(deps, { partnerId, noteId }, problem),
          async markNotTaken(cause) {
            await markNotTaken(db, { on: 'notes', partnerId, noteId })
            await noteRefused(db, refused, cause, deps.clock.now())
          },
        })
        await markNotePushed(db, partnerId, noteId, zohoId)
        if (isRefused) await letOthersGo(deps, partnerId, 'notes', [noteId])
      } catch (error) {
        if (isSent && isAnswered(error)) await clearNoteSent(db, noteId)
        if (!(error instanceof SentBefore)) throw error
        await jobs.enqueue(db, NOTE_QUEUE, { partnerId, noteId }, LOOK_AFTER_SECONDS)
      }
      return {}
    }
  },
  async giveUp(deps, payload) {
    const { db, jobs } = deps
    const note = await findNote(db, payload.partnerId, payload.noteId)
    if (note?.crm !== 'pending') return
    const state = await findRecordStateOfAnyPartner(db, note.loid)
    if (state === 'awaited' || (await isNotTaken(db, { on: 'notes', ...payload }))) {
      await jobs.enqueue(db, NOTE_QUEUE, payload)
    } else await giveUp(deps, payload, state === 'gone' ? RECORD_REMOVED : NOT_REACHED)
  },
})

/** Whether the error says that the CRM has not taken the note. If the push was stopped, nobody knows. */
function isAnswered(error: unknown): boolean {
  return error instanceof GiveUp || (error instanceof CrmUnavailable && !(error instanceof CrmUnanswered))
}

function giveUp(
  deps: Deps,
  { partnerId, noteId }: { partnerId: string; noteId: string },
  problem: string,
): Promise<void> {
  return givePushUp(deps, partnerId, 'note', (tx) => markNotePushFailed(tx, partnerId, noteId, problem))
}
