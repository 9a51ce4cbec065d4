import { askAnOwner, reaches } from '@portal/contract/roles.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Forbidden, Unauthorized } from '../../errors.ts'
import type { SessionCaller } from '../../http/authenticate.ts'
import { getPerson, lockPerson } from './people.queries.ts'
import { hasSession } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

/**
 * For what opens the account later on: a new password, address, factor, key, webhook URL, guest or role. A call that began before the owner ended its session, or
 * took the role, must not bring in by it somebody who was shut out. Throws Unauthorized or Forbidden then; otherwise who ends the session waits for this transaction.
 */
export async function lockCaller(
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  { personId, token, role, businessName }: SessionCaller,
): Promise<void> {
  await lockPerson(tx, personId)
  if (!(await hasSession(tx, hashToken(token), clock.now()))) throw new Unauthorized()
  if (!reaches((await getPerson(tx, personId)).role, role)) throw new Forbidden('NOT_ALLOWED', askAnOwner(businessName))
}
