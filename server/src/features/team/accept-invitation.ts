import type { BegunSession } from '@portal/contract/accounts.ts'
import { personName } from '@portal/contract/person-name.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import { type AcceptInvitation, INVALID_INVITATION } from '@portal/contract/team.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Invalid } from '../../platform/errors.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { lockPartner } from '../../records/partners/partners.queries.ts'
import { beginSession } from '../accounts/begin-session.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { hashNewPassword } from '../accounts/passwords.ts'
import { getPerson, insertPerson } from '../accounts/people.queries.ts'
import { refuseHeldEmail, refusingTaken } from '../accounts/refusing-taken.ts'
import { hashToken } from '../accounts/tokens.ts'
import { findInvitationByToken, takeInvitation } from './invitations.queries.ts'

export async function getInvitation({ db, clock }: Pick<Deps, 'db' | 'clock'>, token: string) {
  const invitation = await findInvitationByToken(db, hashToken(token), clock.now().toISOString())
  if (!invitation) throw invalidInvitation()
  return invitation
}

/**
 * Adds the invited person and begins a session. The link was mailed to the address, so using the link also confirms the
 * address. The link works only once.
 */
export async function acceptTeamInvitation(
  deps: Deps,
  { token, password }: AcceptInvitation,
  call: { visitor: Visitor; security: NoteSecurity },
): Promise<BegunSession> {
  const { email, first_name, last_name, role, partner_id, ...invitation } = await getInvitation(deps, token)
  const { business_name } = invitation
  const password_hash = await hashNewPassword(password, 'password', { email, first_name, last_name, business_name })
  const now = deps.clock.now()
  const id = newId(now)
  const person = await inTransaction(deps.db, async (tx) => {
    await lockPartner(tx, partner_id)
    // The inviter may have lost access while the password was being hashed.
    await getInvitation({ db: tx, clock: deps.clock }, token)
    if (!(await takeInvitation(tx, hashToken(token)))) throw invalidInvitation()
    await refusingTaken(
      insertPerson(tx, {
        id,
        partner_id,
        email,
        first_name,
        last_name,
        password_hash,
        role,
        email_verified: true,
        created_at: now.toISOString(),
        modified_time: now.toISOString(),
      }),
    )
    await refuseHeldEmail(tx, email, id, now)
    const about = { name: personName({ first_name, last_name, email }), email, role }
    await enqueueNoticeToOwners(tx, deps, partner_id, 'person-joined', { about })
    await call.security(tx, 'invitation-accepted', { partner: partner_id, person: id, detail: ROLE_NAMES[role] })
    return getPerson(tx, id)
  })
  return beginSession(deps, person, call, { factor: 'invitation', stillCounts: async () => true })
}

export function invalidInvitation(): Invalid {
  return new Invalid('INVALID_INVITATION', INVALID_INVITATION)
}
