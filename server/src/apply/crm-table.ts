import type { HistoryKind } from '@portal/contract/way.ts'
import type { AnyEvent } from '../events/events.ts'
import type { CrmModule } from '../zoho/crm-records.ts'

/** What every record of the CRM has, once it has its LOID. */
export interface NamedRecord {
  zoho_id: string
  loid: string
  created_at: string
  modified_time: string
}

/** The columns that leads and deals share: what the portal knows about a record besides the CRM's fields. */
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
  /** Its history or its notes have not been read from the CRM yet. */
  history_due: boolean
  notes_due: boolean
}

export type RecordRow = PortalColumns & { archived_reason: string | null }

/** How records of one module become rows. Everything that differs between applying leads and applying deals is here. */
export interface CrmTable<Item extends NamedRecord, Row extends RecordRow> {
  module: CrmModule
  /** The table, and what its history is of. */
  name: 'leads' | 'deals'
  historyKind: HistoryKind
  /** The columns that the CRM decides (D30). */
  crmColumns: readonly (keyof Row)[]
  /** The status or the stage. */
  valueOf(row: Row): string
  /**
   * The whole new row, from the record and the row before, if there was one. Throws `CrmConflict` for a record that
   * cannot become a row.
   */
  toRow(item: Item, own: PortalColumns & { archived_reason: Row['archived_reason'] }, before: Row | undefined): Row
  created(row: Row, at: string): AnyEvent
  changed(row: Row, change: { value: string; previous: string }, at: string): AnyEvent
  /** The event for a change of other fields than status and stage; undefined if it is no news. */
  updated(row: Row, before: Row, item: Item, at: string): AnyEvent | undefined
  /** Undefined if the partner saw it leave earlier. */
  removed(row: Row, at: string): AnyEvent | undefined
}
