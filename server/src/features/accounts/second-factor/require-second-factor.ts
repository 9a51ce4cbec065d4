import type { Deps } from '../../../deps.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import type { SessionCaller } from '../../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../../platform/http/security-events.ts'
import { lockPartner } from '../../../records/partners/partners.queries.ts'
import { lockCaller } from '../lock-caller.ts'
import { updateSecondFactorRequired } from './second-factor.queries.ts'

/**
 * Sets whether all people of the partner need a second factor (D66). If they do, a signed-in person without a second
 * factor can only set one up, confirm the email address or sign out.
 */
export async function requireSecondFactorOf(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: SessionCaller,
  isRequired: boolean,
  security: NoteSecurity,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockPartner(tx, caller.id)
    await lockCaller(tx, deps, caller)
    if (!(await updateSecondFactorRequired(tx, caller.id, isRequired))) return
    await security(tx, isRequired ? 'second-factor-required' : 'second-factor-optional')
  })
}
