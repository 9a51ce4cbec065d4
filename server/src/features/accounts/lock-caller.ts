import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Unauthorized } from '../../errors.ts'
import type { SessionCaller } from '../../http/authenticate.ts'
import { lockPerson } from './people.queries.ts'
import { hasSession } from './sessions.queries.ts'
import { hashToken } from './tokens.ts'

/**
 * For what opens the account later on: a new password, address, factor, key, webhook URL or guest. A call that began before the owner ended its session must not bring
 * in by it somebody who was shut out. Throws Unauthorized then; otherwise who ends the session waits for this transaction.
 */
export async function lockCaller(
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  { personId, token }: Pick<SessionCaller, 'personId' | 'token'>,
): Promise<void> {
  await lockPerson(tx, personId)
  if (!(await hasSession(tx, hashToken(token), clock.now()))) throw new Unauthorized()
}
