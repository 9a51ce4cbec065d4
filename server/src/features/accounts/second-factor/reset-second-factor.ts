import type { Deps } from '../../../deps.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import { removeAccountTokens } from '../account-tokens.queries.ts'
import { enqueueNotice } from '../mail-notice.job.ts'
import { lockPerson } from '../people.queries.ts'
import { removeSessions } from '../sessions.queries.ts'
import { removeFactors } from './remove-factors.ts'

/**
 * Removes the second factors of a person who is locked out. The person gets a mail and signs in with the password
 * alone. Returns how many sessions ended.
 */
export function resetSecondFactor(deps: Pick<Deps, 'db' | 'jobs' | 'clock'>, personId: string): Promise<number> {
  return inTransaction(deps.db, async (tx) => {
    await lockPerson(tx, personId)
    await removeFactors(tx, personId)
    await removeAccountTokens(tx, personId, 'second-factor')
    await enqueueNotice(tx, deps, personId, 'second-factor-reset')
    return removeSessions(tx, personId)
  })
}
