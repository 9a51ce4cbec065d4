import type { Deps } from '../../deps.ts'
import type { AccountAccess } from './access.ts'
import { markClosed, removeAccountTokens, removeSessions, takeAccountToken } from './accounts.queries.ts'
import { hashToken } from './tokens.ts'
import { invalidToken } from './verify-email.ts'

/**
 * Closes an account whose address somebody else gave: sessions, key and webhook URL end, nothing of it is sent any more,
 * and address and business name are free (D52). Answers whose account it was.
 */
export async function disownAccount(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  token: string,
  access: AccountAccess,
): Promise<string> {
  const now = clock.now().toISOString()
  return db.transaction().execute(async (tx) => {
    const partnerId = await takeAccountToken(tx, hashToken(token), 'verify-email', now)
    if (partnerId === undefined) throw invalidToken()
    await markClosed(tx, partnerId, now)
    await removeSessions(tx, partnerId)
    await removeAccountTokens(tx, partnerId)
    await access.revoke(tx, partnerId)
    return partnerId
  })
}
