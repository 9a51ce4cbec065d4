import { SUBMITTED_STATUS } from '@portal/contract/choices.ts'
import { LEAD_RECORD } from '@portal/contract/lead-fields.ts'
import { typedValues } from '@portal/contract/record-fields.ts'
import type { LeadSubmission } from '@portal/contract/submissions.ts'
import { pushLead } from '../../crm/push/push-lead.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import type { NewLeadRow } from '../../platform/db/tables.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import { recordEvent } from '../../records/events/events.ts'
import { insertFirstEntry } from '../../records/histories/history.queries.ts'
import { insertLead } from '../../records/leads/leads.queries.ts'
import { newLoid } from '../../records/loids/new-loid.ts'
import { withUsualCountry } from '../accounts/usual-country.queries.ts'

/**
 * Stores a submitted lead, its first status, the event and the push job in one transaction, so that none exists without
 * the others (D23).
 */
export async function submitLead(
  tx: Tx,
  { clock, jobs }: Pick<Deps, 'clock' | 'jobs'>,
  partner: Caller,
  submitted: LeadSubmission,
) {
  const now = clock.now()
  const form = await withUsualCountry(tx, partner.id, submitted)
  const lead = leadRow(partner, await newLoid(tx), form, now)
  await insertLead(tx, lead)
  const history = { kind: 'lead-status' as const, partnerId: partner.id, loid: lead.loid }
  await insertFirstEntry(tx, history, {
    value: lead.lead_status,
    changed_time: lead.created_at,
    changed_by: partner.businessName,
    description: 'Submitted through the partner portal',
  })
  await recordEvent(tx, {
    partnerId: partner.id,
    loid: lead.loid,
    type: 'lead.created',
    data: {
      business_name: form.businessName,
      amount: form.loanAmount,
      status: lead.lead_status,
      submitted_by: lead.submitted_by,
    },
    personId: lead.submitter_id,
    at: lead.created_at,
  })
  await jobs.enqueue(tx, pushLead, { partnerId: partner.id, loid: lead.loid })
  return { id: lead.id, loid: lead.loid, lead_status: lead.lead_status, crm: lead.crm }
}

function leadRow(partner: Caller, loid: string, form: LeadSubmission, now: Date): NewLeadRow {
  const at = now.toISOString()
  return {
    id: newId(now),
    partner_id: partner.id,
    loid,
    ...typedValues(LEAD_RECORD, form),
    lead_status: SUBMITTED_STATUS,
    lead_source: form.leadSource,
    // Only the lender sets the next two fields.
    brand: null,
    permit_link: null,
    consent_version: form.consentVersion,
    consent_at: form.consentVersion === null ? null : at,
    submitter_id: partner.submitter.id,
    submitted_by: partner.submitter.name,
    created_at: at,
    modified_time: at,
    crm: 'pending',
  }
}
