import type { CrmChange, CrmDeletion } from './crm-records.ts'
import { readDeletion, readLookupId, readVersion, zohoTime } from './wire.ts'

/** Both ends belong to it. */
export interface ChangeWindow {
  from: string
  until: string
}

interface Calls {
  coql(query: string, signal?: AbortSignal): Promise<unknown[]>
  getAll(
    path: string,
    query: Record<string, string>,
    options: { signal?: AbortSignal | undefined; headers?: Record<string, string> },
  ): Promise<unknown[]>
}

/** A query costs a credit for 200 rows and three for 2,000: most are over with the first page. */
const FIRST_ROWS_MAX = 200
const ROWS_MAX = 2_000

/**
 * Pages of what changed, the longest unchanged first, records of one second by id. Each page begins behind the last
 * record of the one before, not at a number: a record that changes meanwhile moves none of the others past the reader.
 */
export async function* readChanges(
  { coql }: Calls,
  module: { name: string; partnerField: string; columns: string },
  { from, until }: ChangeWindow,
  signal?: AbortSignal,
): AsyncGenerator<CrmChange[]> {
  const end = `Modified_Time <= '${zohoTime(until)}'`
  const { partnerField } = module
  let where = `Modified_Time >= '${zohoTime(from)}' and ${end}`
  for (let rowsMax = FIRST_ROWS_MAX; ; rowsMax = ROWS_MAX) {
    const rows = await coql(
      `select ${module.columns}, ${partnerField} from ${module.name} where ${where} order by Modified_Time asc, id asc limit 0, ${rowsMax}`,
      signal,
    )
    const changes = rows.flatMap((row) => {
      const version = readVersion(row)
      return version ? [{ ...version, partner_zoho_id: readLookupId(row, partnerField) }] : []
    })
    if (changes.length > 0) yield changes
    const last = changes.at(-1)
    if (rows.length < rowsMax || !last) return
    const time = zohoTime(last.modified_time)
    where = `((Modified_Time = '${time}' and id > '${last.zoho_id}') or (Modified_Time > '${time}' and ${end}))`
  }
}

/** In no particular order, those of `since` included. */
export async function readDeletions(
  { getAll }: Calls,
  module: string,
  since: string,
  signal?: AbortSignal,
): Promise<CrmDeletion[]> {
  // Whether the header's own second belongs to the answer could not be confirmed.
  const headers = { 'if-modified-since': zohoTime(new Date(Date.parse(since) - 1_000).toISOString()) }
  const rows = await getAll(`${module}/deleted`, { type: 'all' }, { signal, headers })
  return rows.flatMap((row) => readDeletion(row) ?? [])
}
