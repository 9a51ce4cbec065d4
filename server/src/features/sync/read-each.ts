import pMap from 'p-map'
import { CrmUnavailable } from '../../errors.ts'
import { CrmForbidden } from '../../zoho/errors.ts'
import { emptyWhenRefused } from './pull.ts'

/**
 * The CRM's histories or notes of these records, by the records' ids there. If the CRM cannot give a record's, or is
 * not allowed to, the record is left out and stays due, so that it holds up no other. Throws `CrmUnavailable` once as
 * many calls have failed as run side by side, because the CRM is then away.
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
