import type { BegunSession } from '@portal/contract/accounts.ts'
import { readPhone } from '@portal/contract/phone.ts'
import type { AcceptInvitation } from '@portal/contract/team.ts'
import { CONNECT_QUEUE } from '../../crm/queues.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import {
  findPartnerInvitationByToken,
  takePartnerInvitation,
} from '../../records/partners/partner-invitations.queries.ts'
import { insertPartner, linkInvitedPartner } from '../../records/partners/partners.queries.ts'
import { beginSession } from '../accounts/begin-session.ts'
import { hashNewPassword } from '../accounts/passwords.ts'
import { getPerson, insertPerson } from '../accounts/people.queries.ts'
import { refuseHeldEmail, refuseKnownEmail, refusingTaken } from '../accounts/refusing-taken.ts'
import { hashToken } from '../accounts/tokens.ts'
import { invalidInvitation } from './accept-invitation.ts'

export function findPartnerInvitation({ db, clock }: Pick<Deps, 'db' | 'clock'>, token: string) {
  return findPartnerInvitationByToken(db, hashToken(token), clock.now().toISOString())
}

/**
 * Makes the partner that the lender's team invites, with its first owner, and links it with the record of the CRM that
 * invited it, whose data is taken as it stands there (D116). The link was mailed to the address, so using the link also
 * confirms the address. The link works only once.
 */
export async function acceptPartnerInvitation(
  deps: Deps,
  { token, password }: AcceptInvitation,
  call: { visitor: Visitor; security: NoteSecurity },
): Promise<BegunSession> {
  const asked = await findPartnerInvitation(deps, token)
  if (!asked) throw invalidInvitation()
  const password_hash = await hashNewPassword(password, 'password', asked)
  const now = deps.clock.now()
  const [partnerId, personId] = [newId(now), newId(now)]
  const person = await inTransaction(deps.db, async (tx) => {
    // The team may have withdrawn the invitation while the password was being hashed.
    const invitation = await findPartnerInvitation({ db: tx, clock: deps.clock }, token)
    if (!invitation || !(await takePartnerInvitation(tx, hashToken(token)))) throw invalidInvitation()
    const { zoho_id, crm_modified_time, business_name, ...contact } = invitation
    await refuseKnownEmail(tx, contact.email)
    const at = now.toISOString()
    const times = { created_at: at, modified_time: at }
    await refusingTaken(insertPartner(tx, { id: partnerId, business_name, sign_up: 'invite', ...times }))
    const phone = contact.phone && (readPhone(contact.phone)?.e164 ?? contact.phone)
    const owner = { ...contact, phone, password_hash, role: 'owner', email_verified: true } as const
    await refusingTaken(insertPerson(tx, { id: personId, partner_id: partnerId, ...owner, ...times }))
    await refuseHeldEmail(tx, contact.email, personId, now)
    const written = { business_name, ...contact, phone }
    await linkInvitedPartner(tx, partnerId, { zohoId: zoho_id, readAt: crm_modified_time, written, at })
    await deps.jobs.enqueue(tx, CONNECT_QUEUE, { partnerId })
    await call.security(tx, 'signed-up', { partner: partnerId, person: personId, detail: 'by the lender’s invitation' })
    return getPerson(tx, personId)
  })
  return beginSession(deps, person, call, { factor: 'invitation', stillCounts: async () => true })
}
