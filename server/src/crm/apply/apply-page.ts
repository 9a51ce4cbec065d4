import type { SyncProblem } from '@portal/contract/sync.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { CrmHistoryEntry } from '../../records/crm-records.ts'
import { CrmConflict } from '../../records/crm-records.ts'
import { DEAL_TABLE, type NamedCrmDeal, type StoredDeal } from '../../records/deals/deal-table.ts'
import { nameConvertedLeadsOfAllPartners } from '../../records/deals/deals.queries.ts'
import { recordEvents } from '../../records/events/events.ts'
import { findKnownHistories, moveHistories, writeHistories } from '../../records/histories/history.queries.ts'
import { lockRowsOfAllPartners, writeRows } from '../../records/kinds/crm-rows.queries.ts'
import type { CrmTable, NamedRecord, RecordRow } from '../../records/kinds/crm-table.ts'
import { LEAD_TABLE, type NamedCrmLead, type StoredLead } from '../../records/leads/lead-table.ts'
import { findErasedOfAllPartners } from '../../records/leads/leads.queries.ts'
import { findLeadsMadeDealsOfAllPartners } from '../../records/leads/matching.queries.ts'
import { type Applied, type AppliedRecord, type IsNews, type PageTally } from '../pull/pull.ts'
import { applyInHalves } from './apply-in-halves.ts'
import { endMatches } from './end-matches.ts'
import { inPageTransaction } from './in-page-transaction.ts'
import { matchLeads } from './match-leads.ts'
import { convertLead, type PlannedLead, type PlannedRecord, planRecord, type Scope } from './plan-record.ts'
import { recordRestoredLeads } from './record-restored-leads.ts'

/**
 * A lead, a deal, or a converted lead with its deal. The converted lead and its deal are applied together, so that the
 * partner always sees exactly one of them.
 */
export interface Unit {
  partnerId: string
  lead: NamedCrmLead | null
  deal: NamedCrmDeal | null
}

/** Records that were read together and are written together. */
export interface Page {
  units: readonly Unit[]
  /** The histories that were read, by the CRM ids of their records. */
  told: ReadonlyMap<string, readonly CrmHistoryEntry[]>
  readAt: string
  isNews: IsNews
  notesDue: Scope['notesDue']
}

/**
 * Applies the rows, histories, events and matches of a page in one transaction. A unit with a conflict is left out. If
 * PostgreSQL refuses a unit, the other units are applied in several transactions.
 */
export async function applyPage(
  deps: Pick<Deps, 'db' | 'clock' | 'crm'>,
  page: Page,
  tally?: PageTally,
): Promise<Applied> {
  const problems: SyncProblem[] = []
  const parts = await applyInHalves(
    page.units,
    async (units) => {
      const applied = await applyTogether(deps, { ...page, units }, tally)
      tally?.keep(applied)
      return applied
    },
    (unit, reason) => problems.push(problemOf(unit, reason)),
  )
  return {
    records: parts.flatMap((part) => part.records),
    problems: [...problems, ...parts.flatMap((part) => part.problems)],
  }
}

function applyTogether(
  { db, clock, crm }: Pick<Deps, 'db' | 'clock' | 'crm'>,
  page: Page,
  tally?: PageTally,
): Promise<Applied> {
  const partnerIds = page.units.map((unit) => unit.partnerId)
  return inPageTransaction(db, partnerIds, async (tx, startOver) => {
    const units = await withoutErased(tx, page.units)
    // The time is read under the locks, so that the times of events follow the order in which they are recorded.
    const now = clock.now()
    const aheadMs = crm.now().getTime() - now.getTime()
    const times = { now, crmReadAt: new Date(Date.parse(page.readAt) + aheadMs) }
    const dealOf = await openPlanning(tx, DEAL_TABLE, itemsOf(units, 'deal'), page, times)
    const leadOf = await openPlanning(tx, LEAD_TABLE, itemsOf(units, 'lead'), page, times)
    const problems: SyncProblem[] = []
    const deals: PlannedRecord<StoredDeal>[] = []
    const leads: PlannedLead[] = []
    const records: AppliedRecord[] = []
    for (const unit of units) {
      try {
        const found = unit.deal && dealOf(unit.deal, unit.partnerId)
        const lead = unit.lead && planLead(unit.lead, unit.partnerId, found?.row.loid ?? null)
        const deal = found && lead ? { ...found, row: submittedAs(found.row, lead.row) } : found
        if (deal) {
          deals.push(deal)
          records.push(asApplied('Deals', deal, isMet(deal) && !(lead?.before && !isMet(lead))))
        }
        if (lead) {
          leads.push(lead)
          records.push(asApplied('Leads', lead, isMet(lead)))
        }
      } catch (error) {
        if (!(error instanceof CrmConflict)) throw error
        problems.push(problemOf(unit, error.message))
      }
    }
    const isWritten = (await writeRows(tx, 'deals', deals)) && (await writeRows(tx, 'leads', leads))
    // Another pull added one of these records at the same time. The next attempt can read that record's row.
    if (!isWritten) return startOver()
    await writeHistory(tx, DEAL_TABLE, deals, now)
    await writeHistory(tx, LEAD_TABLE, leads, now)
    await recordEvents(
      tx,
      [...deals, ...leads].flatMap((planned) => planned.events),
    )
    const touched = { leads: leads.map(({ row }) => row.loid), deals: deals.map(({ row }) => row.loid) }
    const otherwiseNamed = leads.map(({ row }) => row).filter(isDealOfAnotherLoid)
    const moved = deals.filter(isMoved).map(({ row }) => row)
    const restored = await endMatches(tx, {
      leads: [...leads.filter(isNoLongerMatched).map(({ row }) => row), ...otherwiseNamed].map((row) => row.loid),
      deals: moved.map((row) => row.loid),
    })
    // A deal that returns to its lead's partner belongs to that lead again.
    const back = await findLeadsMadeDealsOfAllPartners(tx, moved)
    await nameConvertedLeadsOfAllPartners(tx, [...otherwiseNamed, ...back])
    const met = [...leads, ...deals].filter(isMet)
    const quiet = met.filter(({ before, row }) => !page.isNews(row.partner_id, row, before !== undefined))
    await matchLeads(tx, touched, now, new Set(quiet.map(({ row }) => row.loid)))
    await recordRestoredLeads(tx, restored, now.toISOString())
    const applied = { records, problems }
    await tally?.write(tx, applied)
    return applied

    function planLead(item: NamedCrmLead, partnerId: string, dealLoid: string | null): PlannedLead {
      const planned = leadOf(item, partnerId)
      if (!item.is_converted) return planned
      const isNews = page.isNews(partnerId, item, planned.before !== undefined)
      return convertLead(planned, { now, isNews }, item, dealLoid)
    }
  })
}

/**
 * Marks the deals of erased leads as erased. The CRM may convert a lead after its applicant's data was erased in the
 * portal, and the deal must not bring any of this data back (D97).
 */
async function withoutErased(tx: Tx, units: readonly Unit[]): Promise<readonly Unit[]> {
  const loids = itemsOf(units, 'deal').map(({ loid }) => loid)
  const erased = await findErasedOfAllPartners(tx, loids)
  if (erased.size === 0) return units
  return units.map((unit) => {
    const erased_at = unit.deal && erased.get(unit.deal.loid)
    return unit.deal && erased_at ? { ...unit, deal: { ...unit.deal, erased_at } } : unit
  })
}

/** The person who submitted a lead is also recorded as the submitter of its deal (D64). */
function submittedAs(deal: StoredDeal, { submitter_id, submitted_by }: StoredLead): StoredDeal {
  return deal.submitted_by === null ? { ...deal, submitter_id, submitted_by } : deal
}

function itemsOf<Kind extends 'lead' | 'deal'>(units: readonly Unit[], kind: Kind): NonNullable<Unit[Kind]>[] {
  return units.flatMap((unit) => unit[kind] ?? [])
}

/**
 * Locks the rows of these records. Returns a function that plans one record after another and remembers each planned
 * row, so that no two records get the same row.
 */
async function openPlanning<Item extends NamedRecord, Row extends RecordRow>(
  tx: Tx,
  table: CrmTable<Item, Row>,
  items: readonly Item[],
  { told, readAt, isNews, notesDue }: Page,
  times: Pick<Scope, 'now' | 'crmReadAt'>,
): Promise<(item: Item, partnerId: string) => PlannedRecord<Row>> {
  const rows = await lockRowsOfAllPartners(tx, table, items)
  const histories = await findKnownHistories(tx, table.historyKind, rows)
  const byZohoId = new Map(rows.map((row) => [row.zoho_id, row]))
  const byLoid = new Map(rows.map((row) => [row.loid, row]))

  /**
   * Finds the record's row by the CRM's id. Otherwise finds the partner's row by the LOID, if the row's push has not
   * been answered yet or the row's record had left the CRM. Throws if any other row has the LOID.
   */
  function findOwn(item: Item, partnerId: string): Row | undefined {
    const sameRecord = byZohoId.get(item.zoho_id)
    if (sameRecord) return sameRecord
    const sameLoid = byLoid.get(item.loid)
    if (!sameLoid) return undefined
    const isFree = sameLoid.zoho_id === null || sameLoid.archived_reason !== null
    if (sameLoid.partner_id === partnerId && isFree) return sameLoid
    throw new CrmConflict(`its LOID ${item.loid} is that of another ${table.module === 'Leads' ? 'lead' : 'deal'}`)
  }

  return (item, partnerId) => {
    const row = findOwn(item, partnerId)
    const scope = { partnerId, ...times, readAt, isNews: isNews(partnerId, item, row !== undefined), notesDue }
    const history = row ? (histories.get(row.loid) ?? []) : []
    const planned = planRecord(table, scope, item, { row, history, told: told.get(item.zoho_id) })
    byZohoId.set(item.zoho_id, planned.row)
    byLoid.set(planned.row.loid, planned.row)
    return planned
  }
}

async function writeHistory<Item extends NamedRecord, Row extends RecordRow>(
  tx: Tx,
  { historyKind }: CrmTable<Item, Row>,
  all: readonly Pick<PlannedRecord<Row>, 'before' | 'row' | 'history'>[],
  now: Date,
): Promise<void> {
  const moves = all.flatMap(({ before, row: { loid, partner_id: toPartnerId } }) => {
    return before && before.partner_id !== toPartnerId ? [{ loid, fromPartnerId: before.partner_id, toPartnerId }] : []
  })
  await moveHistories(tx, historyKind, moves)
  const plans = all.map(({ row: { partner_id, loid }, history: plan }) => ({ partner_id, loid, plan }))
  await writeHistories(tx, historyKind, plans, now)
}

function asApplied(
  module: AppliedRecord['module'],
  {
    before,
    row,
    outcome,
  }: {
    before: RecordRow | undefined
    row: RecordRow & { business_name: string | null }
    outcome: AppliedRecord['outcome']
  },
  is_new: boolean,
): AppliedRecord {
  const { id, partner_id, loid, zoho_id, business_name, created_at, crm_modified_time, notes_due } = row
  const notes_were_due = before?.notes_due ?? false
  const applied = { id, partner_id, loid, business_name, created_at, crm_modified_time, notes_due, notes_were_due }
  return { ...applied, module, zoho_id: zoho_id ?? '', is_new, outcome }
}

function isMoved({ before, row }: Pick<PlannedRecord<RecordRow>, 'before' | 'row'>): boolean {
  return before !== undefined && before.partner_id !== row.partner_id
}

function isNoLongerMatched({ before, row }: PlannedLead): boolean {
  return (before?.matched_at ?? null) !== null && row.matched_at === null
}

/**
 * Whether the lead's deal has another LOID. This happens if the CRM's conversion copies neither LOID nor partner, and
 * staff set the deal's partner before the portal first saw the deal.
 */
function isDealOfAnotherLoid({ loid, deal_loid, matched_at }: StoredLead): boolean {
  return matched_at === null && deal_loid !== null && deal_loid !== loid
}

/** Whether the record is new to the partner, or has returned from the archive or from another partner. */
function isMet({ before, row }: { before: RecordRow | undefined; row: RecordRow }): boolean {
  return !before || before.partner_id !== row.partner_id || (before.archived_at !== null && row.archived_at === null)
}

function problemOf({ lead, deal }: Unit, reason: string): SyncProblem {
  return { zoho_id: (lead ?? deal)?.zoho_id ?? 'unknown', reason }
}
