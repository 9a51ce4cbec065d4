import type { Confirmation } from '@portal/contract/second-factor.ts'
import type { Deps } from '../../../deps.ts'
import { inTransaction } from '../../../platform/db/in-transaction.ts'
import { Invalid, PortalError } from '../../../platform/errors.ts'
import type { SessionCaller } from '../../../platform/http/authenticate.ts'
import type { Limit } from '../../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../../platform/http/security-events.ts'
import { PASSWORD_CHECKS } from '../change-password.ts'
import { isPassword } from '../passwords.ts'
import { getPasswordHash, lockPerson } from '../people.queries.ts'
import { findSession, markConfirmed } from '../sessions.queries.ts'
import { hashToken } from '../tokens.ts'
import { takeCode, WRONG_CODE, WRONG_CODES } from './check-code.ts'
import { findKinds } from './factors.ts'
import { personOfPasskey } from './passkeys.ts'

interface ConfirmCall {
  limit: Limit
  security: NoteSecurity
}

/** What the person confirmed with. A passkey is named by its credential. */
type Proof = 'password' | 'app code' | 'recovery code' | { credentialId: string }

/**
 * Checks the caller's second factor, or the password of a caller without one. For the next 15 minutes this session and
 * its successors need no other confirmation (D66, D130).
 */
export async function confirmCaller(
  deps: Deps,
  caller: SessionCaller,
  confirmation: Confirmation,
  call: ConfirmCall,
): Promise<Proof> {
  const { db, clock } = deps
  try {
    const proof = await prove(deps, caller, confirmation, call)
    await inTransaction(db, async (tx) => {
      await lockPerson(tx, caller.personId)
      await markConfirmed(tx, hashToken(caller.token), clock.now().toISOString())
      await call.security(tx, 'confirmed')
    })
    return proof
  } catch (error) {
    if (error instanceof PortalError) await call.security(db, 'confirmation-failed', { reason: error.code })
    throw error
  }
}

async function prove(
  deps: Deps,
  { id, personId, token }: SessionCaller,
  { password, code, passkey }: Confirmation,
  { limit, security }: ConfirmCall,
): Promise<Proof> {
  const { db } = deps
  if (code !== undefined) {
    // Each session has a count of its own, so that an intruder's wrong codes do not stop the person.
    const session = await findSession(db, hashToken(token))
    const counted = await limit(WRONG_CODES, `${personId} ${session?.family_id}`)
    const factor = await takeCode(deps, { id: personId, partner_id: id }, code, security)
    if (!factor) throw new Invalid('INVALID_CODE', WRONG_CODE, { code: WRONG_CODE })
    await counted.giveBack()
    return factor
  }
  const counted = await limit(PASSWORD_CHECKS, personId)
  if (passkey) {
    if ((await personOfPasskey(deps, passkey, { mustVerifyUser: false })) !== personId) {
      throw new Invalid('INVALID_PASSKEY', 'This passkey does not belong to your account, or you took too long.')
    }
    await counted.giveBack()
    return { credentialId: passkey.id }
  }
  if ((await findKinds(db, personId)).length > 0) {
    await counted.giveBack()
    throw new Invalid('VALIDATION', USE_SECOND_FACTOR, { password: USE_SECOND_FACTOR })
  }
  if (!(await isPassword(password ?? '', await getPasswordHash(db, personId), true))) {
    const text = 'Incorrect password'
    throw new Invalid('INVALID_CURRENT_PASSWORD', text, { password: text })
  }
  await counted.giveBack()
  return 'password'
}

const USE_SECOND_FACTOR = 'Confirm with your second factor instead of your password.'
