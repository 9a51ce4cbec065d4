import type { CrmVersion } from '../../zoho/crm-records.ts'

interface Row {
  crm_modified_time: string | null
  archived_reason: string | null
  /** Leads only. */
  converted_at?: string | null
}

/** Whether a record has to be fetched: its row is not as the CRM says, or is not there. */
export function hasChanged(version: Pick<CrmVersion, 'modified_time' | 'is_converted'>, row: Row | undefined): boolean {
  return (
    row === undefined ||
    row.crm_modified_time !== version.modified_time ||
    // Conversion may leave Modified_Time as it was.
    (version.is_converted && row.converted_at === null) ||
    row.archived_reason === 'left-crm'
  )
}
