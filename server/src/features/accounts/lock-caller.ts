import { askAnOwner, reaches } from '@portal/contract/roles.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Forbidden, Unauthorized } from '../../errors.ts'
import type { SessionCaller } from '../../http/authenticate.ts'
import { getPerson, lockPerson } from './people.queries.ts'
import { hasSession } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

/**
 * For calls that make a new way into the account: a password, address, factor, key, webhook URL, guest or role. Such a
 * call may have begun before the owner ended its session or took its role, and must not let the excluded person back
 * in. Then this throws Unauthorized or Forbidden. Otherwise, a call that ends the session waits for this transaction.
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
