import { askAnOwner, reaches } from '@portal/contract/roles.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { Forbidden, Unauthorized } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { getPerson, lockPerson } from './people.queries.ts'
import { hasSession } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

/**
 * Locks the caller and checks the session and the role again. Throws Unauthorized or Forbidden if the session has ended
 * or the role has been taken away since the call began. A call that gives access (by a password, address, factor, key,
 * webhook URL, signing secret, invitation or role) needs this, so that a person who was just shut out does not get back
 * in. A call that changes the person's password, role, access or sessions waits for this transaction.
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
