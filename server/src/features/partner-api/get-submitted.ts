import type { SubmittedStatus } from '@portal/contract/partner-api.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { NotFound } from '../../platform/errors.ts'
import { findDeal } from '../../records/deals/deals.queries.ts'
import { findLead } from '../../records/leads/leads.queries.ts'

/**
 * Finds a lead or deal by the LOID or the id that the portal returned for its submission. For a converted lead, the
 * answer has the deal's stage, but the lead's id and LOID, which the caller knows (D18).
 */
export async function getSubmitted(
  reads: Reads,
  owner: { id: string; businessName: string },
  idOrLoid: string,
): Promise<SubmittedStatus> {
  const lead = await findLead(reads, owner, idOrLoid)
  const dealLoid = lead ? lead.converted_to_deal?.loid : idOrLoid
  const deal = dealLoid === undefined ? undefined : await findDeal(reads, owner.id, dealLoid)
  const latest = deal ?? lead
  if (!latest) throw new NotFound('There is no such lead or deal')
  const { id, loid, created_at } = lead ?? latest
  const status = 'stage' in latest ? latest.stage : latest.lead_status
  return { id, loid, status, crm: latest.crm, created_at, updated_at: latest.modified_time }
}
