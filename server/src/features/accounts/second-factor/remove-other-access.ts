import type { Confirmation } from '@portal/contract/second-factor.ts'
import type { Deps } from '../../../deps.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import type { SessionCaller } from '../../../platform/http/authenticate.ts'
import { lockCaller } from '../lock-caller.ts'
import { removeOtherSessions } from '../sessions.queries.ts'
import { hashToken } from '../tokens.ts'
import { confirmCaller } from './confirm-account.ts'
import { type FactorCall, noteRemoved } from './factors.ts'
import { removeOtherPasskeys } from './passkeys.queries.ts'
import { removeTotp } from './second-factor.queries.ts'

/**
 * Ends the caller's other sessions, and every passkey and app but the one with which the caller has just confirmed
 * (D130). After a recovery code no factor is left, which is refused if the business requires one.
 */
export async function removeOtherAccessOf(
  deps: Deps,
  caller: SessionCaller,
  confirmation: Confirmation,
  call: FactorCall,
): Promise<void> {
  const proof = await confirmCaller(deps, caller, confirmation, call)
  const { personId, token } = caller
  await inTransaction(deps.db, async (tx) => {
    await lockCaller(tx, deps, caller)
    const kept = typeof proof === 'object' ? proof.credentialId : undefined
    const passkeysRemoved = await removeOtherPasskeys(tx, personId, kept)
    const isAppRemoved = proof !== 'app code' && (await removeTotp(tx, personId))
    const sessionsEnded = await removeOtherSessions(tx, personId, hashToken(token))
    if (passkeysRemoved > 0 || isAppRemoved) await noteRemoved(tx, deps, caller)
    for (let left = passkeysRemoved; left > 0; left--) await call.security(tx, 'passkey-removed')
    if (isAppRemoved) await call.security(tx, 'totp-removed')
    if (sessionsEnded > 0) await call.security(tx, 'other-sessions-ended')
  })
}
