import type { BegunSession } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Forbidden, Unauthorized } from '../../platform/errors.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { accountSuspended } from './account-suspended.ts'
import { knownBy, rememberVisitor } from './known-sources.ts'
import { enqueueNotice } from './mail-notice.job.ts'
import { getPerson, lockPerson, type Person } from './people.queries.ts'
import { startSession } from './sessions.ts'

/** How the visitor's identity was proved. */
export interface Proof {
  /** The kind of proof, which the security log shows. */
  factor: 'password' | 'app code' | 'recovery code' | 'passkey' | 'invitation'
  /** Called when the session begins. Checks that the proof still holds, for example that the password is the same. */
  stillCounts: (tx: Tx) => Promise<boolean>
}

/**
 * Begins a session for a visitor whose identity has been proved. This is the last step of every sign-in. Mails the
 * person if the browser is new to the account (D65), except at the first sign-in.
 */
export async function beginSession(
  deps: Deps,
  person: Person,
  { visitor, security }: { visitor: Visitor; security: NoteSecurity },
  { factor, stillCounts }: Proof,
): Promise<BegunSession> {
  const isNews = person.last_seen_at !== null && (await knownBy(deps.db, person.email, visitor))?.by !== 'mark'
  return inTransaction(deps.db, async (tx) => {
    // Locks the person before the known sources. A reset locks in the same order.
    await lockPerson(tx, person.id)
    const now = await getPerson(tx, person.id)
    refuseInactive(now)
    if (!(await stillCounts(tx))) throw signInExpired()
    await rememberVisitor(tx, deps, person.id, visitor)
    if (isNews) await enqueueNotice(tx, deps, person.id, 'signed-in-elsewhere', { visitor })
    await security(tx, 'signed-in', { partner: person.partner_id, person: person.id, detail: `by ${factor}` })
    return startSession(tx, deps, now, visitor)
  })
}

export function signInExpired(): Unauthorized {
  return new Unauthorized('SIGN_IN_EXPIRED', 'The sign-in took too long. Please sign in again.')
}

export function refuseInactive(person: Person): void {
  if (!person.is_active || !person.is_partner_active) throw new Forbidden('ACCOUNT_INACTIVE', 'Account is inactive')
  if (person.access === 'suspended') throw accountSuspended(person)
}
