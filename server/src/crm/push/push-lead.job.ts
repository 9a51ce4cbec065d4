import { pick } from '@portal/contract/record-fields.ts'
import { type LeadRow, TYPED_LEAD_COLUMNS } from '../../platform/db/tables.ts'
import type { LeadToPush } from '../../records/crm-records.ts'
import { LEAD_TABLE } from '../../records/leads/lead-table.ts'
import { appliedTime } from '../zoho/applied-time.ts'
import { pushJobOf } from './push-record.ts'

export const pushLead = pushJobOf({
  name: 'push-lead',
  on: 'leads',
  table: LEAD_TABLE,
  pushOne: (crm, lead, { partnerZohoId, untilLeaseEnds, beforeSending }) =>
    crm.pushLead(leadToPush(lead, partnerZohoId), untilLeaseEnds, beforeSending),
  pushMany(crm, leads, { partnerZohoId, untilLeaseEnds, beforeSending }) {
    const toPush = leads.map((lead) => leadToPush(lead, partnerZohoId))
    return crm.pushLeads(toPush, untilLeaseEnds, beforeSending)
  },
  findSent: (crm, sent, untilLeaseEnds) => crm.findSentLeads(sent, untilLeaseEnds),
  // The notification of a new lead then has nothing to write.
  readUntil: (crm, { modified_time }) => modified_time && appliedTime(modified_time, crm.now()),
})

function leadToPush(lead: LeadRow, partnerZohoId: string): LeadToPush {
  return {
    ...pick(lead, ['loid', ...TYPED_LEAD_COLUMNS, 'lead_status', 'lead_source', 'submitted_by']),
    partner_zoho_id: partnerZohoId,
    referral_consent: lead.consent_version && `${lead.consent_version}, confirmed ${lead.consent_at}`,
  }
}
