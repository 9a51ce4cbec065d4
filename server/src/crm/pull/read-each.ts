import pMap from 'p-map'
import { CrmUnavailable } from '../../platform/errors.ts'
import { CrmForbidden } from '../zoho/errors.ts'
import { emptyWhenRefused } from './pull.ts'

/**
 * Reads the histories or notes of these records, and returns them by the records' ids in the CRM. A record whose call
 * is refused for good gets an empty list. A record whose call fails or is forbidden is left out and stays due, so that
 * it does not delay other records. Throws `CrmUnavailable` after `callsAtOnce` failed calls, because then the CRM
 * itself is unavailable.
 */
export async function readEach<Item extends { zoho_id: string }, Told>(
  items: readonly Item[],
  callsAtOnce: number,
  read: (item: Item) => Promise<Told[]>,
): Promise<Map<string, Told[]>> {
  let failed = 0
  const told = await pMap(
    items,
    async (item): Promise<[string, Told[]][]> => {
      try {
        return [[item.zoho_id, await emptyWhenRefused(read(item))]]
      } catch (error) {
        if (!(error instanceof CrmUnavailable)) throw error
        if (!(error instanceof CrmForbidden)) failed++
        if (failed >= callsAtOnce) throw error
        return []
      }
    },
    { concurrency: callsAtOnce },
  )
  return new Map(told.flat())
}
