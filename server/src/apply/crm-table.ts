import type { HistoryKind } from '@portal/contract/way.ts'
import type { AnyEvent } from '../events/events.ts'
import type { CrmModule } from '../zoho/crm-records.ts'

/** The fields of every CRM record that has its LOID. */
export interface NamedRecord {
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
  /** True while its history or notes have not been read from the CRM. */
  history_due: boolean
  notes_due: boolean
}

export type RecordRow = PortalColumns & { archived_reason: string | null }

/** Says how records of one module become rows. It covers every difference between applying leads and applying deals. */
export interface CrmTable<Item extends NamedRecord, Row extends RecordRow> {
  module: CrmModule
  /** The table's name, which is also the kind of record in its history. */
  name: 'leads' | 'deals'
  historyKind: HistoryKind
  /** The columns that the CRM decides (D30). */
  crmColumns: readonly (keyof Row)[]
  /** The status or the stage. */
  valueOf(row: Row): string
  /**
   * The whole new row, made from the record and the previous row, if there was one. Throws `CrmConflict` for a record
   * that cannot become a row.
   */
  toRow(item: Item, own: PortalColumns & { archived_reason: Row['archived_reason'] }, before: Row | undefined): Row
  created(row: Row, at: string): AnyEvent
  changed(row: Row, change: { value: string; previous: string }, at: string): AnyEvent
  /** The event for a change of fields other than status and stage; undefined if the change is no news. */
  updated(row: Row, before: Row, item: Item, at: string): AnyEvent | undefined
  /** Undefined if the partner has already seen the record leave. */
  removed(row: Row, at: string): AnyEvent | undefined
}
