import type { Deps } from '../../deps.ts'
import type { CrmBatch, CrmModule } from '../../zoho/crm-records.ts'
import { newLoid } from '../leads/new-loid.ts'

interface Nameable {
  zoho_id: string
  loid: string | null
  is_converted?: boolean
}

/**
 * Gives every record its LOID: the one the portal knows it by, the CRM's own, or a new one (D17). What the CRM lacks is
 * written there and the records are read again, so that their times are those after the write and a second sync finds
 * nothing to do. A converted lead can no longer be written; its LOID is the portal's alone.
 */
export async function nameRecords<Item extends Nameable>(
  { db, crm }: Pick<Deps, 'db' | 'crm'>,
  module: CrmModule,
  records: readonly Item[],
  options: {
    knownLoids: ReadonlyMap<string, string>
    readAgain: (zohoIds: string[]) => Promise<CrmBatch<Item>>
    signal: AbortSignal
  },
): Promise<(Item & { loid: string })[]> {
  const { knownLoids, readAgain, signal } = options
  const chosen = new Map<string, string>()
  for (const { zoho_id, loid } of records) {
    if (loid === null) chosen.set(zoho_id, knownLoids.get(zoho_id) ?? (await newLoid(db)))
  }
  const writable = records.filter((record) => chosen.has(record.zoho_id) && !record.is_converted)
  let written: readonly Item[] = []
  if (writable.length > 0) {
    const loids = writable.map(({ zoho_id }) => ({ zoho_id, loid: chosen.get(zoho_id) ?? '' }))
    await crm.setLoids(module, loids, signal)
    written = (await readAgain(writable.map((record) => record.zoho_id))).records
  }
  const newest = new Map([...records, ...written].map((record) => [record.zoho_id, record]))
  return [...newest.values()].map((record) => ({
    ...record,
    loid: knownLoids.get(record.zoho_id) ?? record.loid ?? chosen.get(record.zoho_id) ?? '',
  }))
}
