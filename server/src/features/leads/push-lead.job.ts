import * as z from 'zod/mini'
import type { LeadRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { clearingWhenRefused } from '../../push/clearing-when-refused.ts'
import { givePushUp } from '../../push/give-up-push.ts'
import { nameDeleted } from '../../push/name-deleted.ts'
import { letNotesFollow } from '../../push/notes-follow.ts'
import { pushForPartner } from '../../push/push-for-partner.ts'
import { PUSHED_TOGETHER_MAX, pushOthersToo } from '../../push/push-others-too.ts'
import { NOT_REACHED, PUSH_RETRY } from '../../push/push-retry.ts'
import type { LeadToPush } from '../../zoho/crm-records.ts'
import { LEAD_TABLE } from './lead-table.ts'
import {
  clearLeadSent,
  findLeadRow,
  findWaitingLeads,
  markLeadPushed,
  markLeadPushFailed,
  markLeadsSent,
} from './leads.queries.ts'

/** Found by its LOID, so that a repeat makes no second record in the CRM and changes nothing of the first (D23). */
export const pushLead = defineJob({
  name: 'push-lead',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId, loid }, signal) {
    const { db, crm } = deps
    const lead = await findLeadRow(db, partnerId, loid)
    // A lead that a deal has replaced is pushed, too: it is restored if the deal leaves.
    if (!lead || lead.crm === 'synced' || lead.erased_at) return
    const markPushed = async (pushedLoid: string, zohoId: string) => {
      await markLeadPushed(db, partnerId, pushedLoid, zohoId)
      await letNotesFollow(deps, partnerId, pushedLoid)
    }
    const partnerZohoId = await pushForPartner(deps, partnerId, {
      async push(id) {
        const [toSend] = await leadsToSend([lead])
        if (!toSend) return id
        const pushed = crm.pushLead(leadToPush(toSend, id), signal)
        const { zoho_id } = await clearingWhenRefused(pushed, () => clearLeadSent(db, partnerId, loid))
        await markPushed(loid, zoho_id)
        return id
      },
      markFailed: (problem) => giveUp(deps, { partnerId, loid }, problem),
      signal,
    })
    if (partnerZohoId === undefined) return
    const waiting = await findWaitingLeads(db, partnerId, PUSHED_TOGETHER_MAX)
    const push = async (leads: readonly LeadRow[]) =>
      crm.pushLeads(
        (await leadsToSend(leads)).map((one) => leadToPush(one, partnerZohoId)),
        signal,
      )
    await pushOthersToo(deps, waiting, push, markPushed)

    /** Those that staff did not delete after an earlier push, each with a mark that it is sent. */
    async function leadsToSend(leads: readonly LeadRow[]): Promise<LeadRow[]> {
      const sent = leads.flatMap((one) => (one.crm_sent_at === null ? [] : { ...one, sent_at: one.crm_sent_at }))
      const deleted = await nameDeleted(deps, LEAD_TABLE, await crm.findDeletedLeads(sent, signal))
      const remaining = leads.filter((one) => !deleted.has(one.loid))
      const loids = remaining.map((one) => one.loid)
      await markLeadsSent(db, partnerId, loids, crm.now().toISOString())
      return remaining
    }
  },
  giveUp: (deps, payload) => giveUp(deps, payload, NOT_REACHED),
})

function giveUp(deps: Deps, { partnerId, loid }: { partnerId: string; loid: string }, problem: string): Promise<void> {
  return givePushUp(deps, partnerId, 'lead', (tx) => markLeadPushFailed(tx, partnerId, loid, problem))
}

function leadToPush(lead: LeadRow, partnerZohoId: string): LeadToPush {
  return {
    ...lead,
    partner_zoho_id: partnerZohoId,
    referral_consent: lead.consent_version && `${lead.consent_version}, confirmed ${lead.consent_at}`,
  }
}
