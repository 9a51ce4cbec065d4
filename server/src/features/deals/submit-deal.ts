import { DEAL_STAGES, DEFAULT_LEAD_SOURCE, SUBMITTED_STAGE } from '@portal/contract/choices.ts'
import type { DealSubmission } from '@portal/contract/submissions.ts'
import { pushDeal } from '../../crm/push/push-deal.job.ts'
import { crmChoices } from '../../crm/zoho/choices.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import type { NewDealRow } from '../../platform/db/tables.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import { insertOfDeal } from '../../records/deals/deals.queries.ts'
import { insertOfCreation } from '../../records/events/events.ts'
import { insertOfFirstEntry } from '../../records/histories/history.queries.ts'
import { newLoid } from '../../records/loids/loids.queries.ts'
import { withUsualCountry } from '../accounts/usual-country.queries.ts'

/**
 * Finds the first stage of a submitted deal. Do not call it in a transaction, because it may ask the CRM for the
 * stages.
 */
export async function findFirstStage(deps: Pick<Deps, 'db' | 'crm' | 'clock' | 'log'>): Promise<string> {
  const stages = await crmChoices(deps, 'deal-stage', DEAL_STAGES)
  return stages.find((stage) => stage === SUBMITTED_STAGE) ?? stages[0] ?? SUBMITTED_STAGE
}

/** Prepares a submitted deal: the deal, its first stage, the event and the push job, as for a lead (D23). */
export async function prepareDeal(
  { db, reads, clock, jobs }: Pick<Deps, 'db' | 'reads' | 'clock' | 'jobs'>,
  partner: Caller,
  stage: string,
  submitted: DealSubmission,
) {
  const form = await withUsualCountry(db, partner.id, submitted)
  const loid = await newLoid(reads)
  const deal = dealRow(partner, loid, stage, form, clock.now())
  const writes = [
    insertOfDeal(deal),
    insertOfFirstEntry(
      { kind: 'deal-stage', partnerId: partner.id, loid },
      {
        value: stage,
        changed_time: deal.created_at,
        changed_by: partner.businessName,
        description: 'Submitted through the partner API',
      },
    ),
    insertOfCreation({
      partnerId: partner.id,
      loid,
      type: 'deal.created',
      data: {
        deal_name: form.dealName,
        business_name: form.businessName,
        amount: form.amount,
        stage,
        submitted_by: deal.submitted_by,
      },
      personId: deal.submitter_id,
      at: deal.created_at,
    }),
    await jobs.insertOf(pushDeal, { partnerId: partner.id, loid }),
  ]
  return { answer: { id: deal.id, loid, status: stage }, writes }
}

function dealRow(partner: Caller, loid: string, stage: string, form: DealSubmission, now: Date): NewDealRow {
  const at = now.toISOString()
  // In the CRM, a deal's contact is a separate record, which the lender creates. So the description names the contact.
  const contact = form.contactName && `Contact: ${form.contactName}`
  return {
    id: newId(now),
    partner_id: partner.id,
    loid,
    deal_name: form.dealName,
    business_name: form.businessName,
    contact_name: form.contactName,
    email: form.email,
    phone: form.phone,
    amount: form.amount,
    loan_type: form.loanType,
    loan_purpose: form.loanPurpose,
    loan_term: form.loanTerm,
    stage,
    lead_source: DEFAULT_LEAD_SOURCE,
    closing_date: form.closingDate,
    // The CRM sets the probability with the stage.
    probability: null,
    description: [form.description, contact].filter(Boolean).join('\n\n') || null,
    partner_iso: form.iso,
    submitter_id: partner.submitter.id,
    submitted_by: partner.submitter.name,
    created_at: at,
    modified_time: at,
    crm: 'pending',
  }
}
