import type { LeadSyncResult } from '@portal/contract/sync.ts'
import { chunksOf } from '../../chunks-of.ts'
import type { CrmDeal, CrmLead } from '../../zoho/crm-records.ts'
import type { NamedCrmDeal } from '../deals/apply-crm-deal.ts'
import { findDealsInCrmOfAllPartners } from '../deals/deals.queries.ts'
import { applyCrmLead, type NamedCrmLead, removeCrmLead } from '../leads/apply-crm-lead.ts'
import { findLeadsInCrm, findLeadsToPush } from '../leads/leads.queries.ts'
import { pushLead } from '../leads/push-lead.job.ts'
import { applyInTransaction } from './apply-in-transaction.ts'
import { convertLead } from './convert-lead.ts'
import { hasChanged } from './has-changed.ts'
import { nameRecords } from './name-records.ts'
import { pushWaiting } from './push-waiting.ts'
import { emptyWhenRefused, type IsNews, inParallel, problemOf, type SyncContext } from './sync-context.ts'
import { asPulled, type Pulled, pullNotes } from './sync-notes.ts'
import { findLastSuccess } from './sync-runs.queries.ts'

const RECORDS_A_CALL = 100
const APPLIED_AT_ONCE = 4

type KnownDeal = Awaited<ReturnType<typeof findDealsInCrmOfAllPartners>>[number]
type KnownLead = Awaited<ReturnType<typeof findLeadsInCrm>>[number]

/** Brings the partner's leads up to what the CRM says (D28–D30). */
export async function syncLeads(begun: SyncContext): Promise<LeadSyncResult> {
  const { deps, partnerId, signal, progress } = begun
  const { db, crm } = deps
  const lastSuccess = await findLastSuccess(db, partnerId, 'leads')
  const sync = await pushWaiting(begun, 'Sending new leads', pushLead, await findLeadsToPush(db, partnerId))
  const { partnerZohoId } = sync

  await progress.begin('Comparing leads', 0)
  const versions = await crm.leadVersions(partnerZohoId, signal)
  const rows = await findLeadsInCrm(db, partnerId)
  const known = new Map(rows.map((row) => [row.zoho_id, row]))
  const listed = new Set(versions.map((version) => version.zoho_id))
  const changed = versions.filter((version) => hasChanged(version, known.get(version.zoho_id)))
  // Not listed is not yet gone: a converted lead may be hidden from lists, and is asked for by its id.
  const unlisted = rows.filter((row) => !listed.has(row.zoho_id) && row.archived_at === null)

  const tally = sync.tallies.leads
  let total = versions.length
  const problems: LeadSyncResult['problems'] = []
  const pulled: Pulled[] = []
  const toPull = [...changed, ...unlisted].map((one) => one.zoho_id)
  const applier = openLeadApplier(sync, known, () => lastSuccess !== undefined)

  await progress.begin('Updating leads', toPull.length)
  await inParallel(chunksOf(toPull, RECORDS_A_CALL), 2, async (zohoIds) => {
    const batch = await crm.getLeads(zohoIds, signal)
    for (const problem of batch.problems) problems.push(problem)

    const own = batch.records.filter((record) => record.partner_zoho_id === partnerZohoId)
    const named = await applier.name(own)
    const deals = await applier.dealsOf(named)
    await inParallel(named, APPLIED_AT_ONCE, async (record) => {
      signal.throwIfAborted()
      try {
        const { outcome, loid } = await applier.apply(record, deals)
        if (outcome !== 'skipped') {
          tally[outcome]++
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
      if (row && (await removeGoneLead(sync, row))) tally.removed++
    }
  })

  await pullNotes(sync, 'Leads', { pulled, known: rows, since: lastSuccess })
  const { created, updated, converted, removed } = tally
  // A record that left again while the run went on is no longer among them.
  const total_zoho_leads = Math.max(total, created + updated + converted)
  const skipped = total_zoho_leads - created - updated - converted
  return { total_zoho_leads, created, updated, converted, skipped, removed, problems }
}

/** How one lead is applied: the same for a whole sync and for a single record. */
export function openLeadApplier(sync: SyncContext, known: ReadonlyMap<string, KnownLead>, isNews: IsNews) {
  const { deps, partnerId, partnerZohoId, signal, tallies, convertedDeals } = sync
  const { crm, clock } = deps
  const knownLoids = new Map([...known.values()].map((row) => [row.zoho_id, row.loid]))
  /** The deals of converted leads that the portal has already. */
  const knownDeals = new Map<string, KnownDeal>()

  function name(records: readonly CrmLead[]): Promise<NamedCrmLead[]> {
    const readAgain = (zohoIds: string[]) => crm.getLeads(zohoIds, signal)
    return nameRecords(deps, 'Leads', records, { knownLoids, readAgain, signal })
  }

  /** The deals that these leads became, by their ids in the CRM. A deal carries its lead's LOID (D17). */
  async function dealsOf(leads: readonly NamedCrmLead[]): Promise<Map<string, NamedCrmDeal>> {
    const loids = new Map<string, string>()
    for (const lead of leads) {
      if (lead.is_converted && lead.converted_deal_zoho_id) loids.set(lead.converted_deal_zoho_id, lead.loid)
    }
    if (loids.size === 0) return new Map()
    for (const row of await findDealsInCrmOfAllPartners(deps.db, [...loids.keys()])) {
      loids.set(row.zoho_id, row.loid)
      if (row.partner_id === partnerId) knownDeals.set(row.zoho_id, row)
    }
    const readDeals = async (zohoIds: string[]) => {
      const { records, problems } = await crm.getDeals(zohoIds, signal)
      return { records: records.filter((deal) => deal.partner_zoho_id === partnerZohoId), problems }
    }
    const { records } = await readDeals([...loids.keys()])
    const named = await nameRecords<CrmDeal>(deps, 'Deals', records, {
      knownLoids: loids,
      readAgain: readDeals,
      signal,
    })
    return new Map(named.map((deal) => [deal.zoho_id, deal]))
  }

  async function apply(lead: NamedCrmLead, deals: ReadonlyMap<string, NamedCrmDeal>) {
    const row = known.get(lead.zoho_id)
    if (row && !hasChanged(lead, row)) return { outcome: 'skipped' as const, loid: row.loid }
    const scope = { partnerId, isNews: isNews(lead) }
    // A status that was emptied leaves the last one standing.
    const hasNewStatus = lead.lead_status !== null && row?.lead_status !== lead.lead_status
    const tellsMore = row ? row.archived_at !== null || hasNewStatus : !lead.is_untouched
    const statuses = tellsMore ? await emptyWhenRefused(crm.leadStatusHistory(lead, signal)) : []
    if (!lead.is_converted) {
      const now = clock.now()
      return applyInTransaction(deps, lead.zoho_id, (tx) => applyCrmLead(tx, { ...scope, now }, lead, statuses))
    }
    const deal = deals.get(lead.converted_deal_zoho_id ?? '') ?? null
    const hasNewStage = deal !== null && !deal.is_untouched && knownDeals.get(deal.zoho_id)?.stage !== deal.stage
    const stages = hasNewStage ? await emptyWhenRefused(crm.dealStageHistory(deal, signal)) : []
    const converted = await convertLead(deps, scope, { lead, statuses, deal, stages })
    if (deal && converted.deal && converted.deal.outcome !== 'skipped') {
      convertedDeals.set(deal.zoho_id, converted.deal.outcome)
      tallies.deals[converted.deal.outcome]++
    }
    return converted
  }

  return { name, dealsOf, apply }
}

export function removeGoneLead(
  { deps, partnerId }: Pick<SyncContext, 'deps' | 'partnerId'>,
  row: Pick<KnownLead, 'zoho_id' | 'loid'>,
): Promise<boolean> {
  const now = deps.clock.now()
  return applyInTransaction(deps, row.zoho_id, (tx) => removeCrmLead(tx, { partnerId, now }, row.loid))
}
