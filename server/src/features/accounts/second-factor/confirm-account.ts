import type { Confirmation } from '@portal/contract/second-factor.ts'
import { inTransaction } from '../../../db/in-transaction.ts'
import type { Deps } from '../../../deps.ts'
import { Invalid } from '../../../errors.ts'
import type { SessionCaller } from '../../../http/authenticate.ts'
import type { Limit } from '../../../http/rate-limit.ts'
import { PASSWORD_CHECKS } from '../change-password.ts'
import { isPassword } from '../passwords.ts'
import { getPasswordHash, lockPerson } from '../people.queries.ts'
import { markConfirmed } from '../sessions.queries.ts'
import { hashToken } from '../tokens.ts'
import { personOfPasskey } from './passkeys.ts'

/**
 * Checks the caller's password or passkey. For the next 15 minutes this session and its successors need no other
 * confirmation (D66).
 */
export async function confirmCaller(
  deps: Deps,
  { personId, token }: SessionCaller,
  { password, passkey }: Confirmation,
  limit: Limit,
): Promise<void> {
  const counted = await limit(PASSWORD_CHECKS, personId)
  if (passkey && (await personOfPasskey(deps, passkey, { mustVerifyUser: true })) !== personId) {
    throw new Invalid('INVALID_PASSKEY', 'This passkey does not belong to your account, or you took too long.')
  }
  if (password !== undefined && !(await isPassword(password, await getPasswordHash(deps.db, personId)))) {
    const text = 'Incorrect password'
    throw new Invalid('INVALID_CURRENT_PASSWORD', text, { password: text })
  }
  await counted.giveBack()
  await inTransaction(deps.db, async (tx) => {
    await lockPerson(tx, personId)
    await markConfirmed(tx, hashToken(token), deps.clock.now().toISOString())
  })
}
