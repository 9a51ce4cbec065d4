import type { Deps } from '../../deps.ts'
import type { CrmBatch, CrmModule } from '../../records/crm-records.ts'
import { chooseLoids, findChosenLoids } from '../../records/loids/chosen-loids.queries.ts'

interface Nameable {
  zoho_id: string
  loid: string | null
  partner_zoho_id: string | null
  is_converted?: boolean
  converted_deal_zoho_id?: string | null
}

/**
 * Gives every record its LOID: the LOID in the portal, the LOID in the CRM, the LOID of its lead or deal, or a new LOID
 * (D17). LOIDs that the CRM lacks are written to the CRM, and their records are read again. So each record has the
 * Modified_Time of this write, and a second sync finds nothing to do. The CRM refuses to change a converted lead, so
 * only the portal has its LOID.
 */
export async function nameRecords<Item extends Nameable>(
  { db, reads, crm }: Pick<Deps, 'db' | 'reads' | 'crm'>,
  module: CrmModule,
  records: readonly Item[],
  options: {
    knownLoids: ReadonlyMap<string, string>
    /** For deals: the LOIDs of their leads, by the CRM's ids of the deals. */
    leadLoids?: ReadonlyMap<string, string>
    /** For records that name no partner: the CRM's ids of the partners that are written with the LOID. */
    partnersToSet?: ReadonlyMap<string, string>
    readAgain: (zohoIds: string[]) => Promise<CrmBatch<Item>>
    signal: AbortSignal
  },
): Promise<(Item & { loid: string })[]> {
  const { knownLoids, leadLoids, partnersToSet, readAgain, signal } = options
  const nameless = records.filter((record) => record.loid === null)
  const unknown = nameless.filter((record) => !knownLoids.has(record.zoho_id))
  // A lead that was converted before it had a LOID gets its deal's LOID, whether the lead or the deal is pulled first
  // (D17).
  const dealLoids = await findChosenLoids(
    db,
    unknown.flatMap((record) => record.converted_deal_zoho_id ?? []),
  )
  const suggested = new Map(
    unknown.flatMap(({ zoho_id, converted_deal_zoho_id }) => {
      const loid = leadLoids?.get(zoho_id) ?? dealLoids.get(converted_deal_zoho_id ?? '')
      return loid === undefined ? [] : [[zoho_id, loid] as const]
    }),
  )
  const ids = unknown.map((record) => record.zoho_id)
  const fresh = await chooseLoids({ db, reads }, ids, suggested)
  const chosen = new Map(nameless.map(({ zoho_id }) => [zoho_id, knownLoids.get(zoho_id) ?? fresh.get(zoho_id) ?? '']))
  const writable = records.filter((record) => chosen.has(record.zoho_id) && !record.is_converted)
  let written: readonly Item[] = []
  if (writable.length > 0) {
    const loids = writable.map(({ zoho_id }) => {
      const partner = partnersToSet?.get(zoho_id)
      return { zoho_id, loid: chosen.get(zoho_id) ?? '', ...(partner && { partner_zoho_id: partner }) }
    })
    await crm.setLoids(module, loids, signal)
    written = (await readAgain(writable.map((record) => record.zoho_id))).records
  }
  const newest = new Map(written.map((record) => [record.zoho_id, record]))
  return records.map((before) => {
    const record = newest.get(before.zoho_id) ?? before
    const partner_zoho_id = record.partner_zoho_id ?? partnersToSet?.get(record.zoho_id) ?? null
    return {
      ...record,
      partner_zoho_id,
      loid: knownLoids.get(record.zoho_id) ?? record.loid ?? chosen.get(record.zoho_id) ?? '',
    }
  })
}
