import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { type LeadChangeRow, type LeadRow, TYPED_LEAD_COLUMNS } from '../../platform/db/tables.ts'
import type { CrmLead } from '../../records/crm-records.ts'
import { recordEvent } from '../../records/events/events.ts'
import {
  findAsker,
  lockLead,
  reviveCorrected,
  takeChange,
  updateCorrected,
  updateWithdrawn,
} from '../../records/leads/lead-changes.queries.ts'
import { PULL_QUEUE } from '../queues.ts'
import { pushLead } from './push-lead.job.ts'

/**
 * Writes a change that the CRM has, or that it need not have because it does not have the lead yet. Afterwards the lead is
 * pulled, because staff may have changed the record again.
 */
export async function settleChange(
  { db, clock, jobs }: Pick<Deps, 'db' | 'clock' | 'jobs'>,
  { partner_id: partnerId, loid }: LeadChangeRow,
  { zoho_id }: LeadRow,
  nameNow: CrmLead['nameNow'] = (_, value) => value,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    // A pull locks leads first, too.
    const lead = await lockLead(tx, partnerId, loid)
    const change = lead && (await takeChange(tx, partnerId, loid))
    if (!lead || !change) return
    const at = clock.now().toISOString()
    const about = { business_name: lead.business_name, amount: lead.loan_amount }
    const submitted_by = await findAsker(tx, change.person_id)
    const event = { partnerId, loid, personId: change.person_id, at }
    if (change.kind === 'withdraw') {
      await updateWithdrawn(tx, lead, at)
      await recordEvent(tx, {
        ...event,
        type: 'lead.withdrawn',
        data: { ...about, reason: change.reason, submitted_by },
      })
      return
    }
    const corrected = change.corrected ?? {}
    await updateCorrected(tx, lead, change, at, nameNow)
    const data = {
      business_name: corrected.business_name ?? about.business_name,
      amount: corrected.loan_amount === undefined ? about.amount : corrected.loan_amount,
      fields: TYPED_LEAD_COLUMNS.filter((column) => column in corrected),
      submitted_by,
    }
    await recordEvent(tx, { ...event, type: 'lead.corrected', data })
    if (zoho_id !== null) await jobs.enqueue(tx, PULL_QUEUE, { module: 'Leads', zohoIds: [zoho_id] })
    else if (await reviveCorrected(tx, lead)) await jobs.enqueue(tx, pushLead, { partnerId, loid })
  })
}
