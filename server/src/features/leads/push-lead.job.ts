import * as z from 'zod/mini'
import type { LeadRow } from '../../db/tables.ts'
import { defineJob } from '../../jobs/define-job.ts'
import type { LeadToPush } from '../../zoho/crm-records.ts'
import { CrmPartnerGone } from '../../zoho/errors.ts'
import { findPartner } from '../accounts/accounts.queries.ts'
import { PUSH_RETRY, pushPartnerNow, renewPartnerRecord } from '../accounts/push-partner.job.ts'
import { givingUpWhenRefused } from '../accounts/refused.ts'
import { findLeadRow, markLeadPushed, markLeadPushFailed } from './leads.queries.ts'

/** An upsert by LOID: a repeat makes no second record in the CRM (D23). */
export const pushLead = defineJob({
  name: 'push-lead',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run({ db, crm, jobs }, { partnerId, loid }, signal) {
    const lead = await findLeadRow(db, partnerId, loid)
    if (!lead || lead.archived_at || lead.crm === 'synced') return
    const partner = await findPartner(db, partnerId)
    const partnerZohoId =
      partner?.zoho_id ?? (await givingUpWhenRefused(pushPartnerNow({ db, crm }, partnerId, signal)))
    if (partnerZohoId === undefined) return
    const pushFor = (partnerRecord: string) => crm.upsertLead(leadToPush(lead, partnerRecord), signal)
    const push = pushFor(partnerZohoId).catch(async (error: unknown) => {
      if (!(error instanceof CrmPartnerGone)) throw error
      return pushFor(await renewPartnerRecord({ db, jobs }, partnerId, partnerZohoId))
    })
    const { zoho_id } = await givingUpWhenRefused(push)
    await markLeadPushed(db, partnerId, loid, zoho_id)
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
