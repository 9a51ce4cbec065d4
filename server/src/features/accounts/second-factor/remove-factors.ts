import type { Tx } from '../../../platform/db/database.ts'
import { findKinds } from './factors.ts'
import { removePasskeys, removePasskeysAddedSince } from './passkeys.queries.ts'
import { removeRecoveryCodes, removeTotp, removeTotpAddedSince, updateMustRecover } from './second-factor.queries.ts'

/** Removes all second factors, so that the person signs in with the password alone. */
export async function removeFactors(tx: Tx, personId: string): Promise<void> {
  await removeTotp(tx, personId)
  await removePasskeys(tx, personId)
  await removeRecoveryCodes(tx, personId)
  await updateMustRecover(tx, personId, false)
}

/**
 * Removes the factors added since this time, because somebody else may have added them. If no factor is left, the
 * recovery codes are removed too.
 */
export async function removeFactorsAddedSince(tx: Tx, personId: string, at: string): Promise<void> {
  await removeTotpAddedSince(tx, personId, at)
  await removePasskeysAddedSince(tx, personId, at)
  if ((await findKinds(tx, personId)).length === 0) await removeRecoveryCodes(tx, personId)
}
