import type { SingleDealSyncResult } from '@portal/contract/sync.ts'
import type { Deps } from '../../deps.ts'
import { Conflict, NotFound } from '../../errors.ts'
import { CrmConflict } from '../../zoho/errors.ts'
import { getPartner } from '../accounts/accounts.queries.ts'
import { findDealRow, getDealLoid } from '../deals/deals.queries.ts'
import { findLeadRow, getLeadLoid } from '../leads/leads.queries.ts'
import { contextWithoutRun, type SyncContext } from './sync-context.ts'
import { openDealApplier, removeGoneDeal } from './sync-deals.ts'
import { openLeadApplier } from './sync-leads.ts'
import { asPulled, pullNotesOf } from './sync-notes.ts'

/** Before the caller's own limit of 30 s. */
const ANSWER_MS_MAX = 25_000

/** The Re-sync button: one deal with its history and notes. A lead's LOID serves once the CRM has made it a deal. */
export async function syncOneDeal(deps: Deps, partnerId: string, idOrLoid: string): Promise<SingleDealSyncResult> {
  const partner = await getPartner(deps.db, partnerId)
  const sync = contextWithoutRun(deps, partner, AbortSignal.timeout(ANSWER_MS_MAX))
  const dealLoid = await orUndefined(getDealLoid(deps.db, partnerId, idOrLoid))
  if (dealLoid !== undefined) return pullDeal(sync, dealLoid)
  const leadLoid = await orUndefined(getLeadLoid(deps.db, partnerId, idOrLoid))
  if (leadLoid !== undefined) await convertLeadOf(sync, leadLoid)
  const deal = leadLoid === undefined ? undefined : await findDealRow(deps.db, partnerId, leadLoid)
  if (!deal || deal.archived_at !== null) throw new NotFound('Deal not found')
  await pullNotesOf(sync, 'Deals', asPulled({ ...deal, zoho_id: deal.zoho_id ?? '' }, deal.loid, true), true)
  return { operation: 'created', deal_name: deal.deal_name, stage: deal.stage, amount: deal.amount }
}

async function pullDeal(sync: SyncContext, loid: string): Promise<SingleDealSyncResult> {
  const { deps, partnerId, signal } = sync
  const row = await findDealRow(deps.db, partnerId, loid)
  if (!row?.zoho_id) throw new Conflict('CONFLICT', 'This deal has not reached the CRM yet')
  const known = { ...row, zoho_id: row.zoho_id }

  const record = await deps.crm.findDeal(known.zoho_id, signal)
  if (!record || record.partner_zoho_id !== sync.partnerZohoId) {
    await removeGoneDeal(sync, known)
    return { operation: 'removed', deal_name: row.deal_name, stage: row.stage, amount: row.amount }
  }
  const applier = openDealApplier(sync, new Map([[known.zoho_id, known]]), () => true)
  const [named] = await applier.name([record])
  if (!named) throw new NotFound('Deal not found')
  const { outcome } = await applier.apply(named).catch(refuse)
  await pullNotesOf(sync, 'Deals', asPulled(named, loid, false), true)
  const operation = outcome === 'skipped' ? 'unchanged' : outcome
  return { operation, deal_name: named.deal_name, stage: named.stage, amount: named.amount }
}

async function convertLeadOf(sync: SyncContext, loid: string): Promise<void> {
  const { deps, partnerId, signal } = sync
  const row = await findLeadRow(deps.db, partnerId, loid)
  if (!row?.zoho_id) return
  const known = { ...row, zoho_id: row.zoho_id }
  const lead = await deps.crm.findLead(known.zoho_id, signal)
  if (!lead?.is_converted || lead.partner_zoho_id !== sync.partnerZohoId) return
  const applier = openLeadApplier(sync, new Map([[known.zoho_id, known]]), () => true)
  const named = await applier.name([lead])
  const deals = await applier.dealsOf(named)
  for (const one of named) await applier.apply(one, deals).catch(refuse)
}

function refuse(error: unknown): never {
  if (error instanceof CrmConflict) throw new Conflict('CONFLICT', `The CRM’s record does not fit: ${error.message}`)
  throw error
}

async function orUndefined(loid: Promise<string>): Promise<string | undefined> {
  try {
    return await loid
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
