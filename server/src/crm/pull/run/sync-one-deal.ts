import type { SingleDealSyncResult } from '@portal/contract/sync.ts'
import type { Deps } from '../../../deps.ts'
import { Conflict, CrmUnavailable, NotFound } from '../../../platform/errors.ts'
import type { StoredDeal } from '../../../records/deals/deal-table.ts'
import { findDealLoid, findDealRow } from '../../../records/deals/deals.queries.ts'
import { findLeadKeys, findLeadRow } from '../../../records/leads/leads.queries.ts'
import { getPartner } from '../../../records/partners/partners.queries.ts'
import type { AppliedRecord, Pull } from '../pull.ts'
import { pullForAll } from '../pull-for-all.ts'
import { pullNotesOf, writtenSinceSeen } from '../pull-notes.ts'
import { pullPage } from '../pull-records.ts'

/** Shorter than API_TIMEOUT_MS, after which the caller gives up. */
const ANSWER_MS_MAX = 25_000

/**
 * Pulls one deal with its history and notes, for the Re-sync button. Also accepts a lead's id or LOID if the CRM has
 * converted the lead.
 */
export async function syncOneDeal(deps: Deps, partnerId: string, idOrLoid: string): Promise<SingleDealSyncResult> {
  const { db } = deps
  await getPartner(db, partnerId)
  const pull = pullForAll(deps, 'deals', AbortSignal.timeout(ANSWER_MS_MAX))
  const dealLoid = await findDealLoid(db, partnerId, idOrLoid)
  if (dealLoid !== undefined) return pullDeal(pull, partnerId, dealLoid)
  const [key] = await findLeadKeys(deps.reads, partnerId, idOrLoid)
  const lead = key && (await findLeadRow(db, partnerId, key.loid))
  if (!lead?.zoho_id) throw new NotFound('Deal not found')
  const [applied] = await pullOne(pull, 'Leads', lead.zoho_id)
  const now = await findLeadRow(db, partnerId, lead.loid)
  const deal = now?.deal_loid ? await findDealRow(db, partnerId, now.deal_loid) : undefined
  if (!deal?.zoho_id || deal.archived_at !== null) throw new NotFound('Deal not found')
  await pullNotes(pull, { ...deal, zoho_id: deal.zoho_id }, applied === undefined)
  return { operation: 'created', deal_name: deal.deal_name, stage: deal.stage, amount: deal.amount }
}

async function pullDeal(pull: Pull, partnerId: string, loid: string): Promise<SingleDealSyncResult> {
  const { db } = pull.deps
  const before = await findDealRow(db, partnerId, loid)
  if (!before?.zoho_id) throw new Conflict('CONFLICT', 'This deal has not reached the CRM yet')
  const [applied] = await pullOne(pull, 'Deals', before.zoho_id)
  const deal = (await findDealRow(db, partnerId, loid)) ?? before
  const { deal_name, stage, amount } = deal
  if (deal === before || deal.archived_at !== null) return { operation: 'removed', deal_name, stage, amount }
  await pullNotes(pull, { ...deal, zoho_id: before.zoho_id }, true)
  const operation = applied?.outcome === 'created' || applied?.outcome === 'updated' ? applied.outcome : 'unchanged'
  return { operation, deal_name, stage, amount }
}

async function pullNotes(pull: Pull, deal: StoredDeal & { zoho_id: string }, isNews: boolean): Promise<void> {
  const isSinceSeen = writtenSinceSeen(pull.deps)
  const untold = await pullNotesOf(pull, [{ ...deal, module: 'Deals' }], (record, note) => {
    return isNews && (!deal.notes_due || isSinceSeen(record, note))
  })
  if (untold.length > 0) throw new CrmUnavailable('The CRM does not return the deal’s notes at the moment.')
}

async function pullOne(pull: Pull, module: 'Leads' | 'Deals', zohoId: string): Promise<AppliedRecord[]> {
  const { records, problems } = await pullPage(pull, module, [zohoId])
  const [problem] = problems
  if (problem) throw new Conflict('CONFLICT', `The CRM’s record is invalid: ${problem.reason}`)
  return records.filter((record) => record.zoho_id === zohoId)
}
