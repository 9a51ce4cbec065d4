import type { SecondFactorKind } from '@portal/contract/accounts.ts'
import type { SecondFactor } from '@portal/contract/second-factor.ts'
import type { Deps } from '../../../deps.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import { Conflict } from '../../../platform/errors.ts'
import type { SessionCaller } from '../../../platform/http/authenticate.ts'
import type { Limit, RateLimit } from '../../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../../platform/http/security-events.ts'
import { removeAccountTokens } from '../account-tokens.queries.ts'
import { lockCaller } from '../lock-caller.ts'
import { enqueueNotice } from '../mail-notice.job.ts'
import { removeOtherSessions } from '../sessions.queries.ts'
import { hashToken } from '../tokens.ts'
import { findPasskeys } from './passkeys.queries.ts'
import { newRecoveryCodes, type RecoveryCodes } from './recovery-codes.ts'
import { findFactors, removeRecoveryCodes, replaceRecoveryCodes, updateMustRecover } from './second-factor.queries.ts'

/** Limits new recovery codes, because ten codes cost ten password hashes. */
const NEW_CODES: RateLimit = {
  name: 'recovery-codes',
  points: 10,
  seconds: 3_600,
  text: 'Recovery codes were made too often. Please try again later.',
}

export async function readFactors(db: Db, personId: string): Promise<SecondFactor> {
  const [factors, passkeys] = await Promise.all([findFactors(db, personId), findPasskeys(db, personId)])
  return {
    totp: factors.totp_added_at === null ? null : { added_at: factors.totp_added_at },
    passkeys,
    recovery_codes_left: factors.recovery_codes,
    is_required:
      factors.second_factor_required ||
      (factors.must_recover && factors.totp_added_at === null && passkeys.length === 0),
  }
}

/** The parts of a request that a change of the factors needs. */
export interface FactorCall {
  limit: Limit
  security: NoteSecurity
}

/**
 * The kinds of second factor with which the person can sign in and confirm. The list is empty if the person has no
 * second factor. After a reset that ended the last one, only a recovery code counts, even if none is left.
 */
export async function findKinds(db: Db, personId: string): Promise<SecondFactorKind[]> {
  const { totp_added_at, passkeys, recovery_codes, must_recover } = await findFactors(db, personId)
  const kinds: SecondFactorKind[] = []
  if (totp_added_at !== null) kinds.push('totp')
  if (passkeys > 0) kinds.push('passkey')
  if (must_recover || (kinds.length > 0 && recovery_codes > 0)) kinds.push('recovery')
  return kinds
}

/** Replaces the person's recovery codes. */
export async function renewCodes(
  deps: Pick<Deps, 'db' | 'jobs' | 'clock'>,
  caller: SessionCaller,
  { limit, security }: FactorCall,
): Promise<string[]> {
  const { personId } = caller
  if ((await findKinds(deps.db, personId)).length === 0) {
    throw new Conflict('CONFLICT', 'Recovery codes need a second factor. Set up a second factor first.')
  }
  const { codes, hashes } = await makeRecoveryCodes(personId, limit)
  await inTransaction(deps.db, async (tx) => {
    await lockCaller(tx, deps, caller)
    await replaceRecoveryCodes(tx, personId, hashes)
    await enqueueNotice(tx, deps, personId, 'recovery-codes-made')
    await security(tx, 'recovery-codes-made')
  })
  return codes
}

/**
 * Makes recovery codes if the person has no second factor yet. Making them is slow, so call this before the transaction
 * that adds the factor.
 */
export async function codesForFirstFactor(db: Db, personId: string, limit: Limit): Promise<RecoveryCodes | undefined> {
  return (await countFactors(db, personId)) === 0 ? makeRecoveryCodes(personId, limit) : undefined
}

/**
 * Call this in the transaction that adds a factor, after `lockCaller`. If the factor is the person's first, this ends
 * the person's other sessions, stores the recovery codes and returns them. Throws Conflict if the only other factor was
 * removed after `codesForFirstFactor` was called.
 */
export async function noteAdded(
  tx: Tx,
  deps: Pick<Deps, 'jobs' | 'clock'>,
  { personId, token }: SessionCaller,
  codes: RecoveryCodes | undefined,
): Promise<string[] | null> {
  await enqueueNotice(tx, deps, personId, 'second-factor-added')
  if ((await countFactors(tx, personId)) > 1) return null
  if (!codes) throw new Conflict('CONFLICT', 'Your other second factor has just been removed. Please try again.')
  await replaceRecoveryCodes(tx, personId, codes.hashes)
  await updateMustRecover(tx, personId, false)
  await removeOtherSessions(tx, personId, hashToken(token))
  return codes.codes
}

/**
 * Call this in the transaction that removes a factor. The person's other sessions and pending second steps end. If no
 * factor is left, the recovery codes are removed too. Throws Conflict if the business requires a factor and none is
 * left.
 */
export async function noteRemoved(tx: Tx, deps: Pick<Deps, 'jobs' | 'clock'>, caller: SessionCaller): Promise<void> {
  if ((await countFactors(tx, caller.personId)) === 0) {
    if ((await findFactors(tx, caller.personId)).second_factor_required) {
      const text = `${caller.businessName} requires a second factor. Add another one before you remove your last one.`
      throw new Conflict('LAST_SECOND_FACTOR', text)
    }
    await removeRecoveryCodes(tx, caller.personId)
    await updateMustRecover(tx, caller.personId, false)
  }
  await removeOtherSessions(tx, caller.personId, hashToken(caller.token))
  await removeAccountTokens(tx, caller.personId, 'second-factor')
  await enqueueNotice(tx, deps, caller.personId, 'second-factor-removed')
}

/** How many apps and passkeys the person has. */
export async function countFactors(db: Db, personId: string): Promise<number> {
  const { totp_added_at, passkeys } = await findFactors(db, personId)
  return passkeys + (totp_added_at === null ? 0 : 1)
}

async function makeRecoveryCodes(personId: string, limit: Limit): Promise<RecoveryCodes> {
  await limit(NEW_CODES, personId)
  return newRecoveryCodes()
}
