import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockPartner, markClosed } from '../../records/partners/partners.queries.ts'
import type { AccountAccess } from './access.ts'
import { findAccountToken, takeAccountToken } from './account-tokens.queries.ts'
import { getPerson, lockPeople } from './people.queries.ts'
import { hashToken } from './tokens.ts'
import { invalidToken } from './verify-email.ts'

/**
 * Closes an account that somebody created with another person's address (D52). The account's sessions end, its API keys
 * and webhook URL are revoked, its records are no longer pushed, and the address and the business name are free again.
 */
export async function disownAccount(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  token: string,
  { access, security }: { access: AccountAccess; security: NoteSecurity },
): Promise<void> {
  const now = clock.now().toISOString()
  const tokenHash = hashToken(token)
  await inTransaction(db, async (tx) => {
    const known = await findAccountToken(tx, tokenHash, 'verify-email')
    if (!known) throw invalidToken()
    // This is the partner's only person, because nobody can be invited before the address is confirmed.
    const person = await getPerson(tx, known.person_id)
    const { partner_id: partnerId } = person
    // Locks the partner and the person before the token. A reset, which removes the token, locks in the same order.
    await lockPartner(tx, partnerId)
    await lockPeople(tx, partnerId)
    if ((await takeAccountToken(tx, tokenHash, 'verify-email', now)) === undefined) throw invalidToken()
    // A link that was mailed while the address was being confirmed must not work.
    if ((await getPerson(tx, known.person_id)).email_verified) throw invalidToken()
    await markClosed(tx, partnerId, now)
    const ofBusiness = (await access.find(tx, partnerId)).filter(({ kind }) => kind === 'api-key' || kind === 'webhook')
    for (const item of ofBusiness) await access.remove(tx, person, item, { security })
    await security(tx, 'account-disowned', { partner: partnerId })
  })
}
