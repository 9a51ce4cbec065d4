import type { BegunSession } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import { Forbidden } from '../../errors.ts'
import type { NoteSecurity } from '../../http/security-events.ts'
import type { Visitor } from '../../http/visitor.ts'
import { knownBy, rememberVisitor } from './known-sources.ts'
import { enqueueNotice } from './mail-notice.job.ts'
import type { Person } from './people.queries.ts'
import { startSession } from './sessions.ts'

/**
 * The end of every way to sign in. To be called where the visitor has proved to be the person, who is told of a browser
 * not seen before (D65), but for the first sign-in of all.
 */
export async function beginSession(
  deps: Deps,
  person: Person,
  { visitor, security }: { visitor: Visitor; security: NoteSecurity },
): Promise<BegunSession> {
  const isNews = person.last_seen_at !== null && (await knownBy(deps.db, person.email, visitor)) !== 'mark'
  return deps.db.transaction().execute(async (tx) => {
    await rememberVisitor(tx, deps, person.id, visitor)
    if (isNews) await enqueueNotice(tx, deps, person.id, 'signed-in-elsewhere', { visitor })
    await security(tx, 'signed-in', { partner: person.partner_id, person: person.id })
    return startSession(tx, deps, person, visitor)
  })
}

export function refuseInactive(person: Person): void {
  if (!person.is_active || !person.is_partner_active) throw new Forbidden('ACCOUNT_INACTIVE', 'Account is inactive')
}
