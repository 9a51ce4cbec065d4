import type { BegunSession } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import { Forbidden } from '../../errors.ts'
import type { NoteSecurity } from '../../http/security-events.ts'
import type { Visitor } from '../../http/visitor.ts'
import { rememberVisitor } from './known-sources.ts'
import type { Person } from './people.queries.ts'
import { startSession } from './sessions.ts'

/** The end of every way to sign in. To be called where the visitor has proved to be the person. */
export async function beginSession(
  deps: Deps,
  person: Person,
  { visitor, security }: { visitor: Visitor; security: NoteSecurity },
): Promise<BegunSession> {
  await rememberVisitor(deps, person.id, visitor)
  const begun = await startSession(deps, person)
  security('signed-in', { partner: person.partner_id, person: person.id })
  return begun
}

export function refuseInactive(person: Person): void {
  if (!person.is_active || !person.is_partner_active) throw new Forbidden('ACCOUNT_INACTIVE', 'Account is inactive')
}
