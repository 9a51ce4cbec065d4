import type { Deps } from '../deps.ts'
import { CrmUnavailable } from '../errors.ts'
import { CrmRefused } from '../zoho/errors.ts'
import { pushTogether } from './push-lease.ts'

/** Zoho takes a hundred records in a call, but only fifty names in the query that looks which are there. */
export const PUSHED_TOGETHER_MAX = 50

/**
 * When many records wait after an outage, the first push that succeeds takes others of its partner along, in one call.
 * Their own jobs then find nothing to do. Failures here are left to those jobs, which handle each record separately.
 */
export async function pushOthersToo<Row extends { loid: string }>(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  signal: AbortSignal,
  findWaiting: () => Promise<Row[]>,
  push: (rows: readonly Row[], untilLeaseEnds: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    await pushTogether(db, signal, findWaiting, push)
  } catch (error) {
    if (!(error instanceof CrmUnavailable || error instanceof CrmRefused)) throw error
    log.warn({ err: error }, 'records that wait were not pushed together')
  }
}
