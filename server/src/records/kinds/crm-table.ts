import type { HistoryKind } from '@portal/contract/meanings.ts'
import { keysOf } from '@portal/contract/record-fields.ts'
import type { CrmModule, IfThere, Renamed } from '../crm-records.ts'
import type { AnyEvent } from '../events/event-data.ts'
import type { HistoryPlan } from '../histories/plan-history.ts'

/** The fields that every CRM record with a LOID has. */
export interface NamedRecord extends Renamed {
  zoho_id: string
  loid: string
  created_at: string
  modified_time: string
}

/** The columns that leads and deals share. They hold what the portal knows about a record besides the CRM's fields. */
export interface PortalColumns {
  id: string
  partner_id: string
  loid: string
  created_at: string
  modified_time: string
  zoho_id: string | null
  crm: 'pending' | 'synced' | 'failed'
  crm_modified_time: string | null
  crm_read_at: string | null
  archived_at: string | null
  /** True until the record's history has been read from the CRM. */
  history_due: boolean
  /**
   * If a due history was read before and only other fields have changed since, the CRM's time of the last change that was
   * in it. Such a history is read later (D126). Otherwise null.
   */
  history_told_until: string | null
  /** True while the record may have notes in the CRM that have not been read. */
  notes_due: boolean
}

export type RecordRow = PortalColumns & { archived_reason: string | null }

/**
 * Describes how records of one module become rows. It covers every difference between applying leads and applying
 * deals.
 */
export interface CrmTable<Item extends NamedRecord, Row extends RecordRow> {
  module: CrmModule
  /** The name of the database table. */
  name: 'leads' | 'deals'
  historyKind: HistoryKind
  /** The columns whose values come from the CRM (D30). */
  crmColumns: readonly (keyof Row)[]
  /** The status or the stage. */
  valueOf(row: Row): string
  /** The column of `valueOf`. */
  valueColumn: keyof Row & string
  /**
   * Makes the whole new row from the record, the portal's own columns and the previous row, if any. Throws
   * `CrmConflict` for a record that cannot become a row.
   */
  toRow(item: Item, own: PortalColumns & { archived_reason: Row['archived_reason'] }, before: Row | undefined): Row
  created(row: Row, at: string): AnyEvent
  /** The event for a record that is back, after it had left the CRM or a deal had replaced it. */
  restored(row: Row, at: string): AnyEvent
  changed(row: Row, change: HistoryPlan['changes'][number], at: string): AnyEvent
  /** The event for a change of fields other than status and stage; undefined if the change causes no event. */
  updated(row: Row, before: Row, item: Item, at: string): AnyEvent | undefined
  /** The events of optional fields, which come besides all others. */
  told(row: Row, before: Row, at: string): AnyEvent[]
  /** The event for a record that left the CRM; undefined if the record had already left the partner's lists. */
  removed(row: Row, at: string): AnyEvent | undefined
}

/** Optional fields that the organisation lacks keep the values that the row has, in case the fields come back. */
export function toldOrBefore<Values extends object>(
  fields: Record<keyof Values & string, unknown>,
  told: IfThere<Values>,
  before: Values | undefined,
): Values {
  const values = keysOf(fields).map((field) => [
    field,
    (told[field] === undefined ? before?.[field] : told[field]) ?? null,
  ])
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the loop goes through all fields
  return Object.fromEntries(values) as Values
}
