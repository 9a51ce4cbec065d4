const SETTLED_AFTER_MS = 10_000
const KEPT_SHORT_MS = 1

/**
 * The Modified_Time that the portal stores for an applied record. Zoho's times are whole seconds, so a record can
 * change again in the second in which it was read and keep the same time. For a record that changed just now, the
 * portal stores a time one millisecond earlier, so that the next sync reads the record once more. `readAt` is the time
 * at which the record was read, so it does not matter how long applying the page takes.
 */
export function appliedTime(modifiedTime: string, readAt: Date): string {
  const ms = Date.parse(modifiedTime)
  return readAt.getTime() - ms < SETTLED_AFTER_MS ? new Date(ms - KEPT_SHORT_MS).toISOString() : modifiedTime
}

/**
 * Whether the row has this version of the record. What differs then is not a change in the CRM: CRM_FIELD_MAP names another
 * field now.
 */
export function isSameVersion(record: { modified_time: string }, row: { crm_modified_time: string | null }): boolean {
  return row.crm_modified_time === record.modified_time
}

/**
 * Whether the row has a newer state than the record. A slow pull can end after a newer pull, and the slow pull's data
 * are then outdated.
 */
export function isOutdated(record: { modified_time: string }, row: { crm_modified_time: string | null }): boolean {
  return row.crm_modified_time !== null && row.crm_modified_time > record.modified_time
}

/**
 * Like `isOutdated`, but also decides between two versions from the same second: the version that was requested later
 * wins. If that version is the older one after all, the next comparison finds the newer version.
 */
export function isOvertaken(
  record: { modified_time: string },
  row: { crm_modified_time: string | null; crm_read_at: string | null },
  readAt: string,
): boolean {
  if (isOutdated(record, row)) return true
  if (row.crm_modified_time === null || row.crm_read_at === null || row.crm_read_at <= readAt) return false
  return Date.parse(record.modified_time) - Date.parse(row.crm_modified_time) <= KEPT_SHORT_MS
}
