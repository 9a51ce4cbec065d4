import type { Tx } from '../../../db/database.ts'
import { findKinds } from './factors.ts'
import { removePasskeys, removePasskeysAddedSince } from './passkeys.queries.ts'
import { removeRecoveryCodes, removeTotp, removeTotpAddedSince } from './second-factor.queries.ts'

/** Afterwards the person signs in with the password alone. */
export async function removeFactors(tx: Tx, personId: string): Promise<void> {
  await removeTotp(tx, personId)
  await removePasskeys(tx, personId)
  await removeRecoveryCodes(tx, personId)
}

/** Removes factors that somebody else may have added. The recovery codes go with the last factor. */
export async function removeFactorsAddedSince(tx: Tx, personId: string, at: string): Promise<void> {
  await removeTotpAddedSince(tx, personId, at)
  await removePasskeysAddedSince(tx, personId, at)
  if ((await findKinds(tx, personId)).length === 0) await removeRecoveryCodes(tx, personId)
}
