import type { Deps } from '../../../deps.ts'
import type { SessionCaller } from '../../../http/authenticate.ts'
import type { NoteSecurity } from '../../../http/security-events.ts'
import { lockPartner } from '../accounts.queries.ts'
import { lockCaller } from '../lock-caller.ts'
import { updateSecondFactorRequired } from './second-factor.queries.ts'

/** Whether everybody of the partner needs one (D66). Open sessions of those who have none reach only the way to one. */
export async function requireSecondFactorOf(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: SessionCaller,
  isRequired: boolean,
  security: NoteSecurity,
): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    await lockPartner(tx, caller.id)
    await lockCaller(tx, deps, caller)
    await updateSecondFactorRequired(tx, caller.id, isRequired)
    await security(tx, isRequired ? 'second-factor-required' : 'second-factor-optional')
  })
}
