import type { Deps } from '../../deps.ts'
import type { NoteSecurity } from '../../http/security-events.ts'
import type { AccountAccess } from './access.ts'
import { findAccountToken, takeAccountToken } from './account-tokens.queries.ts'
import { lockPartner, markClosed } from './accounts.queries.ts'
import { getPerson } from './people.queries.ts'
import { hashToken } from './tokens.ts'
import { invalidToken } from './verify-email.ts'

/**
 * Closes an account that somebody else created with this address: sessions, key and webhook URL end, its records are
 * not sent any more, and address and business name are free (D52).
 */
export async function disownAccount(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  token: string,
  { access, security }: { access: AccountAccess; security: NoteSecurity },
): Promise<void> {
  const now = clock.now().toISOString()
  const tokenHash = hashToken(token)
  await db.transaction().execute(async (tx) => {
    const known = await findAccountToken(tx, tokenHash, 'verify-email')
    if (!known) throw invalidToken()
    // The partner's only person: nobody is invited before the address is confirmed.
    const { partner_id: partnerId } = await getPerson(tx, known.person_id)
    // Before the link, as a reset does, which ends the link.
    await lockPartner(tx, partnerId)
    if ((await takeAccountToken(tx, tokenHash, 'verify-email', now)) === undefined) throw invalidToken()
    // A link that was being mailed while the address was confirmed is one too many.
    if ((await getPerson(tx, known.person_id)).email_verified) throw invalidToken()
    await markClosed(tx, partnerId, now)
    await access.revoke(tx, partnerId)
    await security(tx, 'account-disowned', { partner: partnerId })
  })
}
