import { pick } from '@portal/contract/record-fields.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { type LeadRow, TYPED_LEAD_COLUMNS } from '../../platform/db/tables.ts'
import { defineJob, type Job } from '../../platform/jobs/define-job.ts'
import type { ArrivedRecord, LeadToPush } from '../../records/crm-records.ts'
import { markPushed } from '../../records/kinds/crm-rows.queries.ts'
import { isNotTaken, markNotTaken } from '../../records/kinds/not-taken.queries.ts'
import { LEAD_TABLE } from '../../records/leads/lead-table.ts'
import {
  clearLeadSent,
  findLeadToPush,
  findWaitingLeads,
  markLeadPushFailed,
  markLeadsSent,
} from '../../records/leads/leads.queries.ts'
import { appliedTime } from '../zoho/applied-time.ts'
import { clearingWhenRefused } from './clearing-when-refused.ts'
import { givePushUp } from './give-up-push.ts'
import { nameDeleted } from './name-deleted.ts'
import { letNotesFollow } from './notes-follow.ts'
import { PULL_QUEUE } from './pull-queue.ts'
import { pushForPartner } from './push-for-partner.ts'
import { pushAlone } from './push-lease.ts'
import { PUSHED_TOGETHER_MAX, pushOthersToo } from './push-others-too.ts'
import { NOT_REACHED, PUSH_RETRY } from './push-retry.ts'

/**
 * Pushes a lead to the CRM, and then other waiting leads of its partner. The job looks for the LOID in the CRM first,
 * so that a repeated push neither creates a second record nor changes the existing record (D23).
 */
export const pushLead: Job<{ partnerId: string; loid: string }> = defineJob({
  name: 'push-lead',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId, loid }, signal) {
    const { db, crm } = deps
    const find = () => findLeadToPush(db, partnerId, loid)
    if (!(await find())) return
    const partnerZohoId = await pushForPartner(deps, partnerId, {
      async push(id) {
        await pushAlone(db, { loid, signal }, find, async (lead, untilLeaseEnds) => {
          const [toSend] = await leadsToSend([lead], untilLeaseEnds)
          if (!toSend) return
          const pushed = crm.pushLead(leadToPush(toSend, id), untilLeaseEnds, markSent)
          const arrived = await clearingWhenRefused(pushed, () => clearLeadSent(db, partnerId, loid))
          await settle(new Map([[loid, arrived]]))
        })
        return id
      },
      markFailed: (problem) => giveUp(deps, { partnerId, loid }, problem),
      markNotTaken: () => markNotTaken(db, { on: 'leads', partnerId, loid }),
      signal,
    })
    if (partnerZohoId === undefined) return
    const findWaiting = () => findWaitingLeads(db, partnerId, PUSHED_TOGETHER_MAX)
    await pushOthersToo(deps, signal, findWaiting, async (waiting, untilLeaseEnds) => {
      const toSend = await leadsToSend(waiting, untilLeaseEnds)
      const pushed = await crm.pushLeads(
        toSend.map((one) => leadToPush(one, partnerZohoId)),
        untilLeaseEnds,
        markSent,
      )
      await settle(pushed)
      await deps.jobs.removeDone(db, pushLead, partnerId, [...pushed.keys()])
      // The CRM refused the other leads.
      for (const one of toSend) if (!pushed.has(one.loid)) await clearLeadSent(db, partnerId, one.loid)
    })

    async function settle(pushed: ReadonlyMap<string, ArrivedRecord>): Promise<void> {
      // The notification of a new lead then has nothing to write.
      const times = Array.from(pushed, ([one, { zoho_id, modified_time }]) => {
        return [one, { zoho_id, modified_time: modified_time && appliedTime(modified_time, crm.now()) }] as const
      })
      await markPushed(db, 'leads', partnerId, new Map(times))
      await letNotesFollow(deps, partnerId, [...pushed.keys()])
    }

    /**
     * Marks leads as pushed if an earlier push sent them without getting an answer. Has them pulled, because staff may
     * have given them to other partners in the meantime.
     */
    async function markArrived(there: ReadonlyMap<string, string>): Promise<void> {
      if (there.size === 0) return
      await db.transaction().execute(async (tx) => {
        const arrived = Array.from(there, ([loid, zoho_id]) => [loid, { zoho_id, modified_time: null }] as const)
        await markPushed(tx, 'leads', partnerId, new Map(arrived))
        await deps.jobs.enqueue(tx, PULL_QUEUE, { module: 'Leads', zohoIds: [...there.values()] })
      })
      await letNotesFollow(deps, partnerId, [...there.keys()])
    }

    function markSent(loids: readonly string[]): Promise<void> {
      return markLeadsSent(db, partnerId, loids, crm.now().toISOString())
    }

    /** Finds the leads that no earlier push has brought to the CRM. */
    async function leadsToSend(leads: readonly LeadRow[], untilLeaseEnds: AbortSignal): Promise<LeadRow[]> {
      const sent = leads.flatMap((one) => (one.crm_sent_at === null ? [] : { ...one, sent_at: one.crm_sent_at }))
      const { there, deleted } = await crm.findSentLeads(sent, untilLeaseEnds)
      await markArrived(there)
      const gone = await nameDeleted(deps, LEAD_TABLE, deleted)
      return leads.filter((one) => !there.has(one.loid) && !gone.has(one.loid))
    }
  },
  async giveUp(deps, payload) {
    if (await isNotTaken(deps.db, { on: 'leads', ...payload })) await deps.jobs.enqueue(deps.db, pushLead, payload)
    else await giveUp(deps, payload, NOT_REACHED)
  },
})

function giveUp(deps: Deps, { partnerId, loid }: { partnerId: string; loid: string }, problem: string): Promise<void> {
  return givePushUp(deps, partnerId, 'lead', (tx) => markLeadPushFailed(tx, partnerId, loid, problem))
}

function leadToPush(lead: LeadRow, partnerZohoId: string): LeadToPush {
  return {
    ...pick(lead, ['loid', ...TYPED_LEAD_COLUMNS, 'lead_status', 'lead_source', 'submitted_by']),
    partner_zoho_id: partnerZohoId,
    referral_consent: lead.consent_version && `${lead.consent_version}, confirmed ${lead.consent_at}`,
  }
}
