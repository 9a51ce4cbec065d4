import type { Deps } from '../deps.ts'
import { CrmUnavailable } from '../errors.ts'
import { CrmRefused } from '../zoho/errors.ts'

/** Zoho takes a hundred a call, and as few as fifty names in the query that looks which are there. */
export const PUSHED_TOGETHER_MAX = 50

/**
 * Where many wait after an outage, the first push that succeeds takes others of its partner along, in one call: their own
 * jobs then find nothing to do. What goes wrong here is left to those jobs, which tell one record's trouble from another's.
 */
export async function pushOthersToo<Row>(
  { log }: Pick<Deps, 'log'>,
  waiting: readonly Row[],
  push: (rows: readonly Row[]) => Promise<Map<string, string>>,
  markPushed: (loid: string, zohoId: string) => Promise<void>,
): Promise<void> {
  if (waiting.length === 0) return
  try {
    for (const [loid, zohoId] of await push(waiting)) await markPushed(loid, zohoId)
  } catch (error) {
    if (!(error instanceof CrmUnavailable || error instanceof CrmRefused)) throw error
    log.warn({ err: error, records: waiting.length }, 'records that wait were not pushed together')
  }
}
