import { newId } from '../../platform/db/ids.ts'
import type { CrmHistoryEntry } from '../../records/crm-records.ts'
import type { AnyEvent } from '../../records/events/event-data.ts'
import { type HistoryPlan, type KnownEntry, planHistory } from '../../records/histories/plan-history.ts'
import type { CrmTable, NamedRecord, RecordRow } from '../../records/kinds/crm-table.ts'
import type { NamedCrmLead, StoredLead } from '../../records/leads/lead-table.ts'
import { appliedTime, isOvertaken, isSameVersion } from '../zoho/applied-time.ts'

/** The changes that a record makes to its row and its history, and the events that it causes. */
export interface PlannedRecord<Row> {
  outcome: 'created' | 'updated' | 'skipped'
  before: Row | undefined
  /** The row to write; the same object as `before` if the record is ignored. */
  row: Row
  history: HistoryPlan
  events: AnyEvent[]
}

/** Everything that is known about a record before it is applied. */
export interface Known<Row> {
  row: Row | undefined
  history: readonly KnownEntry[]
  /** The CRM's history, oldest first; undefined if the portal did not ask for it. */
  told: readonly CrmHistoryEntry[] | undefined
}

export interface Scope {
  /** The partner that the record's lookup names. */
  partnerId: string
  now: Date
  /** The time when the CRM was asked for the record, or an earlier time. */
  readAt: string
  /** The time of `readAt` by the CRM's clock. */
  crmReadAt: Date
  /** Whether a record that is new to the partner causes an event. In a partner's first sync it does not (D35). */
  isNews: boolean
  /**
   * The records whose notes become due. `new` means records that are new to the partner, and `changed` means new and
   * changed records.
   */
  notesDue: 'new' | 'changed' | 'none'
}

const NO_HISTORY: HistoryPlan = { entries: [], replacesObserved: false, changes: [] }

/**
 * Plans what a record changes. The CRM wins on every field (D30), with these exceptions: the portal keeps its own LOID
 * and creation time, erased data stays erased, and some fields keep their value if they are empty in the CRM. Applying
 * the same record again changes nothing. A record that was read before the row's last change is ignored.
 */
export function planRecord<Item extends NamedRecord, Row extends RecordRow>(
  table: CrmTable<Item, Row>,
  scope: Scope,
  item: Item,
  { row: before, history, told }: Known<Row>,
): PlannedRecord<Row> {
  const { partnerId, now } = scope
  if (before && (isOvertaken(item, before, scope.readAt) || wasGoneSince(before, scope.readAt))) {
    return { outcome: 'skipped', before, row: before, history: NO_HISTORY, events: [] }
  }
  const at = now.toISOString()
  const isMoved = before !== undefined && before.partner_id !== partnerId
  const isBack = isMoved || (before !== undefined && before.archived_reason !== null)
  const row = table.toRow(item, ownColumns(item, scope, before, isBack), before)
  const isChanged = isBack || table.crmColumns.some((column) => before?.[column] !== row[column])
  if (before && !isChanged) row.modified_time = before.modified_time

  const value = table.valueOf(row)
  // A renamed status is no change of the record.
  const nameNow = (known: string) => item.nameNow(table.valueColumn, known)
  const shown = before && {
    value: nameNow(table.valueOf(before)),
    modified_time: before.history_told_until ?? before.crm_modified_time,
  }
  const named = history.map((entry) => ({ ...entry, value: nameNow(entry.value) }))
  const plan = planHistory(named, told ?? [], { value, modified_time: item.modified_time, before: shown })
  // The history remains due until it is read after the last change, because a status may have come and gone between two
  // pulls of the record.
  const isCurrent = before !== undefined && before.crm_modified_time === row.crm_modified_time && shown?.value === value
  row.history_due = !told && (!isCurrent || before.history_due)
  row.history_told_until = row.history_due && before ? toldUntil(before) : null

  const events: AnyEvent[] = []
  if (isMoved && before.archived_at === null) events.push(...[table.removed(before, at) ?? []].flat())
  if (!before || isBack) {
    // A record that left without an event also returns without an event, and one that left with an event with one.
    if (before && !isMoved) {
      if (table.removed(before, at) !== undefined) events.push(table.restored(row, at))
    } else if (scope.isNews) {
      events.push(table.created(row, at))
    }
  } else if (!isSameVersion(item, before)) {
    const changes = plan.changes.map((change) => table.changed(row, change, at))
    const updated = isChanged ? [table.updated(row, before, item, at) ?? []].flat() : []
    events.push(...(changes.length > 0 ? changes : updated))
  }
  if (before && !isBack) events.push(...table.told(row, before, at))
  if (before && plan.entries.length === 0 && hasSameColumns(row, before)) {
    return { outcome: 'skipped', before, row: before, history: plan, events }
  }
  return { outcome: before ? (isChanged ? 'updated' : 'skipped') : 'created', before, row, history: plan, events }
}

/** When the record was read is not worth a write: reading it again gives the same. */
function hasSameColumns<Row extends RecordRow>(row: Row, before: Row): boolean {
  const stored = new Map(Object.entries(before))
  return Object.entries(row).every(([column, value]) => column === 'crm_read_at' || stored.get(column) === value)
}

/** The time of the last change whose history was read; null if the history was never read. */
function toldUntil({ history_due, history_told_until, crm_modified_time }: RecordRow): string | null {
  return history_due ? history_told_until : crm_modified_time
}

/** True if the record was read before it left the CRM, and so must not restore its row. */
function wasGoneSince({ archived_at, archived_reason }: RecordRow, readAt: string): boolean {
  return archived_at !== null && archived_reason !== null && archived_at >= readAt
}

function ownColumns(
  item: NamedRecord,
  { partnerId, now, readAt, crmReadAt, notesDue }: Scope,
  before: RecordRow | undefined,
  isBack: boolean,
) {
  const isArchived = before !== undefined && !isBack
  const crm_modified_time = appliedTime(item.modified_time, crmReadAt)
  // False if the record's time equals the stored time, as when a lead is read again only because of its deal.
  const hasMoved = before?.crm_modified_time !== item.modified_time && before?.crm_modified_time !== crm_modified_time
  return {
    id: before?.id ?? newId(now),
    partner_id: partnerId,
    loid: before?.loid ?? item.loid,
    created_at: before?.created_at ?? item.created_at,
    modified_time: item.modified_time,
    zoho_id: item.zoho_id,
    crm: 'synced' as const,
    crm_modified_time,
    crm_read_at: readAt,
    archived_at: isArchived ? before.archived_at : null,
    archived_reason: isArchived ? before.archived_reason : null,
    history_due: true,
    history_told_until: null,
    notes_due: before && !isBack ? before.notes_due || (notesDue === 'changed' && hasMoved) : notesDue !== 'none',
  }
}

export type PlannedLead = Omit<PlannedRecord<StoredLead>, 'outcome'> & {
  outcome: PlannedRecord<StoredLead>['outcome'] | 'converted'
}

/**
 * Marks a lead as converted when the CRM first says so (D29). If a deal had replaced the lead, the conversion also ends
 * this match. `dealLoid` is the LOID of the deal that the lead became; null if no such deal is applied with the lead,
 * because staff made none or gave it to another partner. A lead without any deal stays open and waits for one (D124).
 */
export function convertLead(
  planned: PlannedRecord<StoredLead>,
  { now, isNews }: Pick<Scope, 'now' | 'isNews'>,
  lead: NamedCrmLead,
  dealLoid: string | null,
): PlannedLead {
  const { before, events } = planned
  const row = { ...planned.row, deal_loid: dealLoid ?? planned.row.deal_loid }
  const convertedAt = lead.converted_at ?? lead.modified_time
  if (row.deal_loid === null) return awaitDeal(planned, convertedAt)
  if (row.converted_at !== null && row.matched_at === null) return { ...planned, row }
  const { partner_id: partnerId, loid, business_name, loan_amount: amount } = row
  const converted = {
    ...row,
    converted_at: convertedAt,
    awaits_deal_since: null,
    matched_at: null,
    match_told: false,
    archived_at: null,
    archived_reason: null,
  }
  const at = now.toISOString()
  const event = {
    partnerId,
    loid,
    type: 'lead.converted',
    data: { business_name, amount, deal_loid: row.deal_loid },
    at,
  } as const
  // In a partner's first sync, the conversion of an unknown lead makes no event. The conversion of a known lead makes
  // an event, unless the portal had already matched the lead to this deal (D35).
  const isTold = before ? before.matched_at === null || before.deal_loid !== row.deal_loid : isNews
  return { ...planned, outcome: 'converted', row: converted, events: isTold ? [...events, event] : events }
}

function awaitDeal(planned: PlannedRecord<StoredLead>, convertedAt: string): PlannedLead {
  const { before, row, outcome } = planned
  if (row.converted_at === null && row.awaits_deal_since !== null) return planned
  const awaiting = { ...row, converted_at: null, awaits_deal_since: row.converted_at ?? convertedAt }
  return { ...planned, row: awaiting, outcome: before ? 'updated' : outcome }
}
