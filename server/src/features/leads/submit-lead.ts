import { SUBMITTED_STATUS } from '@portal/contract/choices.ts'
import { LEAD_RECORD } from '@portal/contract/lead-fields.ts'
import { typedValues } from '@portal/contract/record-fields.ts'
import type { LeadSubmission } from '@portal/contract/submissions.ts'
import { pushLead } from '../../crm/push/push-lead.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import type { NewLeadRow } from '../../platform/db/tables.ts'
import { writeTogether } from '../../platform/db/write-together.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import type { JobQueue } from '../../platform/jobs/enqueue-job.ts'
import { insertOfCreation } from '../../records/events/events.ts'
import { insertOfFirstEntry } from '../../records/histories/history.queries.ts'
import { insertOfLead } from '../../records/leads/leads.queries.ts'
import { newLoid } from '../../records/loids/loids.queries.ts'
import { withUsualCountry } from '../accounts/usual-country.queries.ts'

/**
 * Prepares a submitted lead: the lead, its first status, the event and the push job are written together, so that none
 * exists without the others (D23).
 */
export async function prepareLead(
  { db, reads, clock, jobs }: Pick<Deps, 'db' | 'reads' | 'clock'> & { jobs: Pick<JobQueue, 'insertOf'> },
  partner: Caller,
  submitted: LeadSubmission,
) {
  const now = clock.now()
  const form = await withUsualCountry(db, partner.id, submitted)
  const lead = leadRow(partner, await newLoid(reads), form, now)
  const history = { kind: 'lead-status' as const, partnerId: partner.id, loid: lead.loid }
  const writes = [
    insertOfLead(lead),
    insertOfFirstEntry(history, {
      value: lead.lead_status,
      changed_time: lead.created_at,
      changed_by: partner.businessName,
      description: 'Submitted through the partner portal',
    }),
    insertOfCreation({
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
    }),
    await jobs.insertOf(pushLead, { partnerId: partner.id, loid: lead.loid }),
  ]
  return { answer: { id: lead.id, loid: lead.loid, lead_status: lead.lead_status, crm: lead.crm }, writes }
}

/** Stores a submitted lead in a transaction with more than it. */
export async function submitLead(
  tx: Tx,
  deps: Pick<Deps, 'reads' | 'clock' | 'jobs'>,
  partner: Caller,
  submitted: LeadSubmission,
) {
  const { answer, writes } = await prepareLead({ ...deps, db: tx }, partner, submitted)
  await writeTogether(tx, writes)
  return answer
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
