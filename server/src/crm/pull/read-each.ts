import pMap from 'p-map'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { CrmDeal, CrmHistoryEntry } from '../../records/crm-records.ts'
import { CrmForbidden, CrmRefused } from '../zoho/errors.ts'
import type { Pull } from './pull.ts'

/**
 * Reads the histories or notes of these records, and returns them by the records' ids in the CRM. A record whose call
 * fails or is refused is left out and stays due, so that it does not delay other records. After `callsAtOnce` refusals
 * no more records are asked for, because the organisation gives none at the moment. Throws `CrmUnavailable` after
 * `callsAtOnce` failed calls, because then the CRM itself is unavailable.
 */
export async function readEach<Item extends { zoho_id: string }, Told>(
  items: readonly Item[],
  callsAtOnce: number,
  read: (item: Item) => Promise<Told[]>,
): Promise<Map<string, Told[]>> {
  let failed = 0
  let refused = 0
  const told = await pMap(
    items,
    async (item): Promise<[string, Told[]][]> => {
      if (refused >= callsAtOnce) return []
      try {
        return [[item.zoho_id, await read(item)]]
      } catch (error) {
        if (error instanceof CrmRefused || error instanceof CrmForbidden) refused++
        else if (!(error instanceof CrmUnavailable) || ++failed >= callsAtOnce) throw error
        return []
      }
    },
    { concurrency: callsAtOnce },
  )
  return new Map(told.flat())
}

/** Reads the stage histories of these deals, as `readEach` does: several by queries, and what these do not give one by one. */
export async function readDealHistories(
  { deps: { crm }, signal }: Pick<Pull, 'deps' | 'signal'>,
  deals: readonly Pick<CrmDeal, 'zoho_id' | 'created_at'>[],
  callsAtOnce: number,
): Promise<Map<string, CrmHistoryEntry[]>> {
  const told = deals.length > 1 ? await crm.dealStageHistories(deals, signal) : new Map<string, CrmHistoryEntry[]>()
  const untold = deals.filter((deal) => !told.has(deal.zoho_id))
  return new Map([...told, ...(await readEach(untold, callsAtOnce, (deal) => crm.dealStageHistory(deal, signal)))])
}
