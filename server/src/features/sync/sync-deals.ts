import type { DealSyncResult } from '@portal/contract/sync.ts'
import { chunksOf } from '../../chunks-of.ts'
import { recordEvent } from '../../events/events.ts'
import type { CrmDeal } from '../../zoho/crm-records.ts'
import { applyCrmDeal, type NamedCrmDeal, removeCrmDeal } from '../deals/apply-crm-deal.ts'
import { findDealsInCrm, findDealsToPush, findMatchableDeals } from '../deals/deals.queries.ts'
import { pushDeal } from '../deals/push-deal.job.ts'
import {
  archiveLead,
  findLeadsInCrmOfAllPartners,
  findMatchableLeads,
  findOpenLeadsByLoid,
  findPossibleMatches,
  restoreMatchedLeads,
} from '../leads/leads.queries.ts'
import { applyInTransaction } from './apply-in-transaction.ts'
import { hasChanged } from './has-changed.ts'
import { matchLeadsToDeals } from './match-lead-to-deal.ts'
import { nameRecords } from './name-records.ts'
import { pushWaiting } from './push-waiting.ts'
import {
  emptyWhenRefused,
  type IsNews,
  inParallel,
  leavingOutProblems,
  problemOf,
  type SyncContext,
} from './sync-context.ts'
import { openLeadApplier } from './sync-leads.ts'
import { asPulled, type Pulled, pullNotes } from './sync-notes.ts'
import { findLastSuccess } from './sync-runs.queries.ts'

const RECORDS_A_CALL = 100
const APPLIED_AT_ONCE = 4

export type KnownDeal = Awaited<ReturnType<typeof findDealsInCrm>>[number]

/** Brings the partner's deals up to what the CRM says, then takes the leads away that match one (D28–D30). */
export async function syncDeals(begun: SyncContext): Promise<DealSyncResult> {
  const { deps, partnerId, signal, progress, convertedDeals } = begun
  const { db, crm } = deps
  const lastSuccess = await findLastSuccess(db, partnerId, 'deals')
  const sync = await pushWaiting(begun, 'Sending new deals', pushDeal, await findDealsToPush(db, partnerId))
  const { partnerZohoId } = sync

  await progress.begin('Comparing deals', 0)
  const versions = await crm.dealVersions(partnerZohoId, signal)
  const rows = await findDealsInCrm(db, partnerId)
  const known = new Map(rows.map((row) => [row.zoho_id, row]))
  const listed = new Set(versions.map((version) => version.zoho_id))
  const changed = versions.filter((version) => hasChanged(version, known.get(version.zoho_id)))
  const unlisted = rows.filter((row) => !listed.has(row.zoho_id) && row.archived_at === null)

  const tally = sync.tallies.deals
  let total = versions.length
  const problems: DealSyncResult['problems'] = []
  const pulled: Pulled[] = rows.flatMap((row) => {
    return convertedDeals.get(row.zoho_id) === 'created' ? [asPulled(row, row.loid, true)] : []
  })
  const toPull = [...changed, ...unlisted].map((one) => one.zoho_id)
  const applier = openDealApplier(sync, known, () => lastSuccess !== undefined)

  await progress.begin('Updating deals', toPull.length)
  await inParallel(chunksOf(toPull, RECORDS_A_CALL), 2, async (zohoIds) => {
    const batch = await crm.getDeals(zohoIds, signal)
    for (const problem of batch.problems) problems.push(problem)

    const own = batch.records.filter((record) => record.partner_zoho_id === partnerZohoId)
    const named = await applier.name(own)
    await applier.convertLeadsOf(named)
    await inParallel(named, APPLIED_AT_ONCE, async (record) => {
      signal.throwIfAborted()
      try {
        const { outcome, loid } = await applier.apply(record)
        const isCounted = convertedDeals.has(record.zoho_id)
        if (outcome !== 'skipped' && !isCounted) tally[outcome]++
        if (outcome !== 'skipped' || isCounted) {
          const row = known.get(record.zoho_id)
          pulled.push(asPulled(record, loid, row === undefined || row.archived_at !== null))
        }
      } catch (error) {
        const problem = problemOf(record.zoho_id, error)
        if (!problem) throw error
        problems.push(problem)
      }
      await progress.add(1)
    })

    const there = new Set([...own, ...batch.problems].map((one) => one.zoho_id))
    for (const zohoId of zohoIds) {
      if (there.has(zohoId) !== listed.has(zohoId)) total += there.has(zohoId) ? 1 : -1
      const row = there.has(zohoId) ? undefined : known.get(zohoId)
      if (row && (await removeGoneDeal(sync, row)).isRemoved) tally.removed++
    }
  })

  await pullNotes(sync, 'Deals', { pulled, known: rows, since: lastSuccess })
  await progress.begin('Matching leads with deals', 0)
  await archiveMatchingLeads(sync)
  const { created, updated, removed, matching_leads_removed } = tally
  // A record that left again while the run went on is no longer among them.
  const total_zoho_deals = Math.max(total, created + updated)
  const skipped = total_zoho_deals - created - updated
  return { total_zoho_deals, created, updated, matching_leads_removed, skipped, removed, problems }
}

/** How one deal is applied: the same for a whole sync and for a single record. */
export function openDealApplier(sync: SyncContext, known: ReadonlyMap<string, KnownDeal>, isNews: IsNews) {
  const { deps, partnerId, signal } = sync
  const { db, crm, clock } = deps
  const knownLoids = new Map([...known.values()].map((row) => [row.zoho_id, row.loid]))

  function name(records: readonly CrmDeal[]): Promise<NamedCrmDeal[]> {
    const readAgain = (zohoIds: string[]) => crm.getDeals(zohoIds, signal)
    return nameRecords(deps, 'Deals', records, { knownLoids, readAgain, signal })
  }

  /**
   * A deal that carries an open lead's LOID is what the CRM made of that lead, if the CRM says so: the lead is
   * converted together with it.
   */
  async function convertLeadsOf(deals: readonly NamedCrmDeal[]): Promise<void> {
    const loids = deals.filter((deal) => !known.has(deal.zoho_id)).map((deal) => deal.loid)
    if (loids.length === 0) return
    const open = await findOpenLeadsByLoid(db, partnerId, loids)
    if (open.length === 0) return
    const leads = await crm.getLeads(
      open.map((row) => row.zoho_id),
      signal,
    )
    const converted = leads.records.filter((lead) => lead.is_converted && lead.partner_zoho_id === sync.partnerZohoId)
    if (converted.length === 0) return
    const rows = await findLeadsInCrmOfAllPartners(
      db,
      converted.map((lead) => lead.zoho_id),
    )
    const knownLeads = new Map(rows.filter((row) => row.partner_id === partnerId).map((row) => [row.zoho_id, row]))
    const applier = openLeadApplier(sync, knownLeads, () => true)
    const named = await applier.name(converted)
    const theirDeals = await applier.dealsOf(named)
    for (const lead of named) {
      await leavingOutProblems(sync, { module: 'Leads', zohoId: lead.zoho_id }, async () => {
        await applier.apply(lead, theirDeals)
      })
    }
  }

  async function apply(record: NamedCrmDeal) {
    const row = known.get(record.zoho_id)
    const tellsMore = row ? row.archived_at !== null || row.stage !== record.stage : !record.is_untouched
    const stages = tellsMore ? await emptyWhenRefused(crm.dealStageHistory(record, signal)) : []
    const scope = { partnerId, isNews: isNews(record), now: clock.now() }
    return applyInTransaction(deps, record.zoho_id, (tx) => applyCrmDeal(tx, scope, record, stages))
  }

  return { name, convertLeadsOf, apply }
}

/** The leads whose place the deal had taken come back with the deal's going. */
export function removeGoneDeal(
  { deps, partnerId }: Pick<SyncContext, 'deps' | 'partnerId'>,
  row: { zoho_id: string; loid: string },
): Promise<{ isRemoved: boolean; leadsBack: string[] }> {
  const now = deps.clock.now()
  return applyInTransaction(deps, row.zoho_id, async (tx) => {
    const isRemoved = await removeCrmDeal(tx, { partnerId, now }, row.loid)
    return { isRemoved, leadsBack: isRemoved ? await restoreMatchedLeads(tx, partnerId, row.loid) : [] }
  })
}

/**
 * D29, for all of the partner's leads and deals, or for what the leads and deals of these LOIDs may match. A run and a
 * sweep may come to it at once; the lock keeps one deal from taking two leads.
 */
export function archiveMatchingLeads(
  { deps, partnerId, tallies }: Pick<SyncContext, 'deps' | 'partnerId' | 'tallies'>,
  loids?: readonly string[],
): Promise<void> {
  const { clock } = deps
  return applyInTransaction(deps, `matches of ${partnerId}`, async (tx) => {
    const possible = loids && (await findPossibleMatches(tx, partnerId, loids))
    if (possible?.length === 0) return
    const leadLoids = possible?.map((one) => one.lead)
    const dealLoids = possible?.map((one) => one.deal)
    const matches = matchLeadsToDeals(
      await findMatchableLeads(tx, partnerId, leadLoids),
      await findMatchableDeals(tx, partnerId, dealLoids),
    )
    const at = clock.now().toISOString()
    for (const { lead: loid, deal: deal_loid } of matches) {
      const lead = await archiveLead(tx, partnerId, loid, {
        archived_at: at,
        archived_reason: 'matches-deal',
        deal_loid,
      })
      if (!lead) continue
      tallies.deals.matching_leads_removed++
      const data = { business_name: lead.business_name, amount: lead.loan_amount, reason: 'matches-deal' as const }
      await recordEvent(tx, { partnerId, loid, type: 'lead.removed', data, at })
    }
  })
}
