import type { Deps } from '../../deps.ts'
import { recordEvent } from '../../events/events.ts'
import type { CrmHistoryEntry } from '../../zoho/crm-records.ts'
import { type AppliedDeal, applyCrmDeal, type NamedCrmDeal } from '../deals/apply-crm-deal.ts'
import { type AppliedLead, applyCrmLead, type NamedCrmLead } from '../leads/apply-crm-lead.ts'
import { markLeadConverted } from '../leads/leads.queries.ts'
import { applyInTransaction } from './apply-in-transaction.ts'

interface Conversion {
  lead: NamedCrmLead
  statuses: readonly CrmHistoryEntry[]
  /** The CRM's deal, if conversion made one and it is this partner's. */
  deal: NamedCrmDeal | null
  stages: readonly CrmHistoryEntry[]
}

export interface Converted {
  outcome: 'converted' | Exclude<AppliedLead['outcome'], 'created'>
  loid: string
  deal: AppliedDeal | null
}

/**
 * Lead and deal change in one transaction, so that the partner sees the one or the other and never neither. A lead
 * counts as converted once; that it is converted, the CRM alone says (D29).
 */
export async function convertLead(
  deps: Pick<Deps, 'db' | 'clock'>,
  scope: { partnerId: string; isNews: boolean },
  { lead, statuses, deal, stages }: Conversion,
): Promise<Converted> {
  const now = deps.clock.now()
  return applyInTransaction(deps, lead.zoho_id, async (tx) => {
    const applied = await applyCrmLead(tx, { ...scope, now }, lead, statuses)
    const appliedDeal = deal && (await applyCrmDeal(tx, { ...scope, now }, deal, stages))
    const first = await markLeadConverted(tx, scope.partnerId, applied.loid, {
      converted_at: lead.converted_at ?? lead.modified_time,
      deal_loid: appliedDeal?.loid ?? null,
    })
    // A lead that the portal meets converted is no news in a partner's first sync; one that it knew always is (D35).
    if (first && (scope.isNews || applied.outcome !== 'created')) {
      await recordEvent(tx, {
        partnerId: scope.partnerId,
        loid: applied.loid,
        type: 'lead.converted',
        data: { business_name: first.business_name, amount: first.loan_amount },
        at: now.toISOString(),
      })
    }
    const outcome = first ? 'converted' : applied.outcome === 'created' ? 'updated' : applied.outcome
    return { outcome, loid: applied.loid, deal: appliedDeal }
  })
}
