import type { VerifyEmail } from '@portal/contract/account-forms.ts'
import type { Deps } from '../../deps.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Invalid } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { Limit } from '../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { lockPartner } from '../../records/partners/partners.queries.ts'
import { findAccountToken } from './account-tokens.queries.ts'
import { type ConnectRecords, confirmEmail } from './confirm-email.ts'
import { countPasswordTry } from './count-password-try.ts'
import { isPassword } from './passwords.ts'
import { getPasswordHash, getPerson } from './people.queries.ts'
import { hashToken } from './tokens.ts'

interface VerifyCall {
  partner: SessionCaller | undefined
  visitor: Visitor
  limit: Limit
  security: NoteSecurity
}

/**
 * Confirms the address. The link alone is not enough, because the reader of the mail may not be the person who signed
 * up. The person's session or password is also needed (D52). Without either, this throws CONFIRM_PASSWORD and does not
 * use up the token. Returns true if the address was already confirmed, which a link says for as long as it lives (D150).
 */
export async function verifyEmailAddress(
  deps: Pick<Deps, 'db' | 'clock'>,
  { token, password }: VerifyEmail,
  { partner: caller, visitor, limit, security }: VerifyCall,
  connectRecords: ConnectRecords,
): Promise<boolean> {
  const now = deps.clock.now().toISOString()
  const tokenHash = hashToken(token)
  if (await hasVerified(deps.db, tokenHash, now)) return true
  const known = await findAccountToken(deps.db, tokenHash, 'verify-email')
  if (!known || known.expires_at <= now) throw invalidToken()
  const person = await getPerson(deps.db, known.person_id)
  if (caller?.personId !== person.id) {
    if (password === undefined) throw confirmPassword('Enter the password of your account to confirm its email address')
    const counted = await countPasswordTry(deps, person.email, visitor, limit)
    if (!(await isPassword(password, await getPasswordHash(deps.db, person.id), counted.isKnownBrowser))) {
      const who = { partner: person.partner_id, person: person.id }
      await security(deps.db, 'confirmation-failed', { ...who, reason: 'INVALID_PASSWORD' })
      throw confirmPassword('Incorrect password')
    }
    await counted.giveBack()
  }
  return inTransaction(deps.db, async (tx) => {
    // Locks the partner before the token. A reset, which changes the token, locks in the same order.
    await lockPartner(tx, person.partner_id)
    if (await hasVerified(tx, tokenHash, now)) return true
    if (!(await findAccountToken(tx, tokenHash, 'verify-email'))) throw invalidToken()
    await confirmEmail(tx, person, connectRecords)
    await security(tx, 'email-confirmed', { partner: person.partner_id, person: person.id })
    return false
  })
}

async function hasVerified(db: Db | Tx, tokenHash: Buffer, now: string): Promise<boolean> {
  const used = await findAccountToken(db, tokenHash, 'verified-email')
  return used !== undefined && used.expires_at > now
}

export function invalidToken(): Invalid {
  return new Invalid('INVALID_VERIFICATION_TOKEN', 'This verification link is not valid or was already used.')
}

function confirmPassword(text: string): Invalid {
  return new Invalid('CONFIRM_PASSWORD', text, { password: text })
}
