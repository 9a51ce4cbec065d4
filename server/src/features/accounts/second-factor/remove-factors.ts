import type { Tx } from '../../../db/database.ts'
import { findKinds } from './factors.ts'
import { removePasskeysAddedSince } from './passkeys.queries.ts'
import { removeRecoveryCodes, removeTotpAddedSince } from './second-factor.queries.ts'

/** What somebody else may have added. The recovery codes go with the last factor. */
export async function removeFactorsAddedSince(tx: Tx, personId: string, at: string): Promise<void> {
  await removeTotpAddedSince(tx, personId, at)
  await removePasskeysAddedSince(tx, personId, at)
  if ((await findKinds(tx, personId)).length === 0) await removeRecoveryCodes(tx, personId)
}
