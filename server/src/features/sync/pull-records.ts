import { chunksOf } from '../../chunks-of.ts'
import type { Deps } from '../../deps.ts'
import type { CrmBatch, CrmModule, CrmNoteOfRecord } from '../../zoho/crm-records.ts'
import { findPartnersByZohoId } from '../accounts/accounts.queries.ts'
import { findDealsInCrmOfAllPartners } from '../deals/deals.queries.ts'
import { findLeadsInCrmOfAllPartners } from '../leads/leads.queries.ts'
import { nameRecords } from './name-records.ts'
import {
  contextWithoutRun,
  emptyWhenRefused,
  type IsNews,
  inParallel,
  leavingOutProblems,
  type SyncContext,
} from './sync-context.ts'
import { archiveMatchingLeads, openDealApplier, removeGoneDeal } from './sync-deals.ts'
import { openLeadApplier, removeGoneLead } from './sync-leads.ts'
import { applyNotes, asPulled, pullNotesOf } from './sync-notes.ts'
import { findLastSuccess } from './sync-runs.queries.ts'

const RECORDS_A_CALL = 100
const APPLIED_AT_ONCE = 4

/**
 * Fetches these records, whosesoever they are, and applies each for the partner that its lookup names (D30). What is
 * gone, or nobody's of the portal, leaves the partner who had it. The calls grow with the records, not with the partners.
 */
export async function pullRecords(
  deps: Deps,
  module: CrmModule,
  zohoIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const some of chunksOf(zohoIds, RECORDS_A_CALL)) {
    await (module === 'Leads' ? pullLeads(deps, some, signal) : pullDeals(deps, some, signal))
  }
}

async function pullLeads(deps: Deps, zohoIds: readonly string[], signal: AbortSignal): Promise<void> {
  const readLeads = (ids: readonly string[]) => deps.crm.getLeads(ids, signal)
  const batch = await readLeads(zohoIds)
  const rows = await findLeadsInCrmOfAllPartners(deps.db, zohoIds)
  const { owned, partners, gone } = await sortByOwner(deps, batch, rows)
  const named = await nameRecords(deps, 'Leads', owned, { knownLoids: loidsOf(rows), readAgain: readLeads, signal })
  for (const [partner, leads] of Map.groupBy(named, (lead) => partners.get(lead.partner_zoho_id ?? ''))) {
    // Given to a stranger between the two readings: the next pull sees it.
    if (!partner) continue
    const sync = contextWithoutRun(deps, partner, signal)
    const known = new Map(rows.filter((row) => row.partner_id === partner.id).map((row) => [row.zoho_id, row]))
    const applier = openLeadApplier(sync, known, await newsOf(deps, partner, 'leads', rows))
    const deals = await applier.dealsOf(leads)
    await applyEach(sync, 'Leads', leads, known, (lead) => applier.apply(lead, deals))
    await pullNotesOfNewDeals(sync, new Set(rows.map((row) => row.loid)))
  }
  for (const row of gone) await removeGoneLead({ deps, partnerId: row.partner_id }, row)
}

async function pullDeals(deps: Deps, zohoIds: readonly string[], signal: AbortSignal): Promise<void> {
  const readDeals = (ids: readonly string[]) => deps.crm.getDeals(ids, signal)
  const batch = await readDeals(zohoIds)
  const rows = await findDealsInCrmOfAllPartners(deps.db, zohoIds)
  const { owned, partners, gone } = await sortByOwner(deps, batch, rows)
  const named = await nameRecords(deps, 'Deals', owned, { knownLoids: loidsOf(rows), readAgain: readDeals, signal })
  for (const [partner, deals] of Map.groupBy(named, (deal) => partners.get(deal.partner_zoho_id ?? ''))) {
    if (!partner) continue
    const sync = contextWithoutRun(deps, partner, signal)
    const known = new Map(rows.filter((row) => row.partner_id === partner.id).map((row) => [row.zoho_id, row]))
    const applier = openDealApplier(sync, known, await newsOf(deps, partner, 'deals', rows))
    await applier.convertLeadsOf(deals)
    await applyEach(sync, 'Deals', deals, known, applier.apply)
  }
  for (const row of gone) {
    const sync = contextWithoutRun(deps, { id: row.partner_id, zoho_id: null }, signal)
    const { leadsBack } = await removeGoneDeal(sync, row)
    // Another deal may be waiting for them.
    if (leadsBack.length > 0) await archiveMatchingLeads(sync, leadsBack)
  }
}

/** Notes on records that the portal has; on others they come with the record. */
export async function applyListedNotes(
  deps: Deps,
  listed: readonly CrmNoteOfRecord[],
  signal: AbortSignal,
): Promise<void> {
  for (const [module, ofModule] of Map.groupBy(listed, (one) => one.module)) {
    const byRecord = Map.groupBy(ofModule, (one) => one.record_zoho_id)
    for (const row of await findRecordsInCrmOfAllPartners(deps, module, [...byRecord.keys()])) {
      signal.throwIfAborted()
      if (row.archived_at !== null) continue
      const sync = contextWithoutRun(deps, { id: row.partner_id, zoho_id: null }, signal)
      const notes = (byRecord.get(row.zoho_id) ?? []).map((one) => one.note)
      await leavingOutProblems(sync, { module, zohoId: row.zoho_id }, () =>
        applyNotes(sync, module, asPulled(row, row.loid, false), notes, true),
      )
    }
  }
}

export function findRecordsInCrmOfAllPartners({ db }: Pick<Deps, 'db'>, module: CrmModule, zohoIds: readonly string[]) {
  return module === 'Leads' ? findLeadsInCrmOfAllPartners(db, zohoIds) : findDealsInCrmOfAllPartners(db, zohoIds)
}

type Partner = Awaited<ReturnType<typeof findPartnersByZohoId>>[number]

interface KnownRecord {
  zoho_id: string
  loid: string
  archived_at: string | null
  archived_reason: string | null
}

async function sortByOwner<Item extends { zoho_id: string; partner_zoho_id: string | null }, Row extends KnownRecord>(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  { records, problems }: CrmBatch<Item>,
  rows: readonly Row[],
): Promise<{ owned: Item[]; partners: Map<string, Partner>; gone: Row[] }> {
  for (const problem of problems) log.warn(problem, 'a record of the CRM cannot be read')
  const found = await findPartnersByZohoId(
    db,
    records.flatMap((record) => record.partner_zoho_id ?? []),
  )
  const partners = new Map(found.map((partner) => [partner.zoho_id, partner]))
  const owned = records.filter((record) => partners.has(record.partner_zoho_id ?? ''))
  const kept = new Set([...owned, ...problems].map((one) => one.zoho_id))
  return { owned, partners, gone: rows.filter((row) => row.archived_at === null && !kept.has(row.zoho_id)) }
}

function loidsOf(rows: readonly KnownRecord[]): Map<string, string> {
  return new Map(rows.map((row) => [row.zoho_id, row.loid]))
}

/**
 * What was in the CRM before its partner came to the portal is no news until the partner's first sync has told it. All
 * that came after is, and so is every change of what the portal has, another partner's included (D35).
 */
async function newsOf(
  { db }: Pick<Deps, 'db'>,
  partner: Partner,
  kind: 'leads' | 'deals',
  rows: readonly KnownRecord[],
): Promise<IsNews> {
  const isSynced = (await findLastSuccess(db, partner.id, kind)) !== undefined
  const known = loidsOf(rows)
  // The CRM tells whole seconds.
  const cameAt = Math.floor(Date.parse(partner.created_at) / 1_000) * 1_000
  return (record) => isSynced || known.has(record.zoho_id) || Date.parse(record.created_at) >= cameAt
}

async function applyEach<Item extends { zoho_id: string; business_name: string | null; created_at: string }>(
  sync: SyncContext,
  module: CrmModule,
  records: readonly Item[],
  known: ReadonlyMap<string, KnownRecord>,
  apply: (record: Item) => Promise<{ outcome: string; loid: string }>,
): Promise<void> {
  const { deps, signal } = sync
  const readNotes = ({ zoho_id }: Item) => emptyWhenRefused(deps.crm.notes(module, zoho_id, signal))
  const applied: string[] = []
  await inParallel(records, APPLIED_AT_ONCE, async (record) => {
    signal.throwIfAborted()
    const row = known.get(record.zoho_id)
    const isNew = row === undefined || row.archived_reason === 'left-crm'
    await leavingOutProblems(sync, { module, zohoId: record.zoho_id }, async () => {
      // Read before the record is written: after that it compares equal, and nobody would ask for them again.
      const notes = isNew ? await readNotes(record) : undefined
      const { outcome, loid } = await apply(record)
      applied.push(loid)
      if (outcome === 'skipped' && !isNew) return
      await applyNotes(sync, module, asPulled(record, loid, isNew), notes ?? (await readNotes(record)), true)
    })
  })
  if (applied.length > 0) await archiveMatchingLeads(sync, applied)
}

/** Of the deals that came with their leads. Zoho may have moved the notes of a lead to them. */
async function pullNotesOfNewDeals(sync: SyncContext, knownLoids: ReadonlySet<string>): Promise<void> {
  const created = [...sync.convertedDeals].flatMap(([zohoId, outcome]) => (outcome === 'created' ? [zohoId] : []))
  for (const row of await findDealsInCrmOfAllPartners(sync.deps.db, created)) {
    await leavingOutProblems(sync, { module: 'Deals', zohoId: row.zoho_id }, () =>
      pullNotesOf(sync, 'Deals', asPulled(row, row.loid, !knownLoids.has(row.loid)), true),
    )
  }
}
