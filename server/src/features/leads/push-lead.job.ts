import * as z from 'zod/mini'
import type { LeadRow } from '../../db/tables.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { pushForPartner } from '../../push/push-for-partner.ts'
import { PUSH_RETRY } from '../../push/push-retry.ts'
import type { LeadToPush } from '../../zoho/crm-records.ts'
import { findLeadRow, markLeadPushed, markLeadPushFailed } from './leads.queries.ts'

/** An upsert by LOID: a repeat makes no second record in the CRM (D23). */
export const pushLead = defineJob({
  name: 'push-lead',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId, loid }, signal) {
    const { db, crm } = deps
    const lead = await findLeadRow(db, partnerId, loid)
    // One whose place a deal took goes there too: it comes back should the deal go.
    if (!lead || lead.crm === 'synced') return
    const push = (partnerZohoId: string) => crm.upsertLead(leadToPush(lead, partnerZohoId), signal)
    const pushed = await pushForPartner(deps, partnerId, push, signal)
    if (pushed) await markLeadPushed(db, partnerId, loid, pushed.zoho_id)
  },
  giveUp: ({ db }, { partnerId, loid }) => markLeadPushFailed(db, partnerId, loid),
})

function leadToPush(lead: LeadRow, partnerZohoId: string): LeadToPush {
  return {
    ...lead,
    partner_zoho_id: partnerZohoId,
    referral_consent: lead.consent_version && `${lead.consent_version}, confirmed ${lead.consent_at}`,
  }
}
