import type { Deps } from '../../deps.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { CrmRefused } from '../zoho/errors.ts'
import { pushTogether } from './push-lease.ts'

/** Zoho accepts a hundred records in a call, but only fifty LOIDs in the query for existing records. */
export const PUSHED_TOGETHER_MAX = 50

/**
 * A push that succeeds also pushes other waiting records of its partner, in one call, because many records wait after
 * an outage. The jobs of these records then find nothing to do. If this call fails, those jobs push each record
 * separately.
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
    log.warn({ err: error }, 'the waiting records were not pushed together')
  }
}
