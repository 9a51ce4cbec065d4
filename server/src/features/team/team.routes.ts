import { personName } from '@portal/contract/person-name.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import {
  acceptInvitation,
  changePerson,
  type Invitation,
  invitePerson,
  readInvitation,
  readTeam,
  revokeInvitation,
  sendInvitation,
} from '@portal/contract/team.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { CallerMemory } from '../accounts/caller-memory.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { findTeam } from '../accounts/people.queries.ts'
import { acceptTeamInvitation, getInvitation } from './accept-invitation.ts'
import { acceptPartnerInvitation, findPartnerInvitation } from './accept-partner-invitation.ts'
import { changeTeamPerson } from './change-team-person.ts'
import { findInvitations, removeInvitation } from './invitations.queries.ts'
import { INVITATIONS, invitationNotFound, inviteToTeam, sendInvitationAgain } from './invite-person.ts'

export function teamRoutes(mount: Mount, deps: Deps, callers: CallerMemory): void {
  mount(readTeam, async ({ partner }) => ({
    people: await findTeam(deps.db, partner.id),
    invitations: await findInvitations(deps.db, partner.id),
  }))
  mount(invitePerson, async ({ partner, body, once, limit, security }) => {
    await limit(INVITATIONS, partner.id)
    return once(async (tx) => {
      const invitation = await inviteToTeam(tx, deps, partner, body)
      await security(tx, 'person-invited', { subject: subjectOf(invitation), detail: ROLE_NAMES[invitation.role] })
      return invitation
    })
  })
  mount(sendInvitation, async ({ partner, params, limit, security }) => {
    await limit(INVITATIONS, partner.id)
    const invitation = await sendInvitationAgain(deps, partner.id, params.id)
    await security(deps.db, 'invitation-sent-again', { subject: subjectOf(invitation) })
    return {}
  })
  mount(revokeInvitation, async ({ partner, params, security }) => {
    await inTransaction(deps.db, async (tx) => {
      const invitation = await removeInvitation(tx, partner.id, params.id)
      if (!invitation) throw invitationNotFound()
      await security(tx, 'invitation-revoked', { subject: subjectOf(invitation) })
    })
    return {}
  })
  mount(changePerson, async ({ partner, params, body, limit, security }) => {
    // A new contact is written into the CRM. Taking rights away is never refused.
    if (body.role === 'owner' || body.is_active) await limitPartner(deps, { limit, partner }, 'team')
    const changed = await changeTeamPerson(deps, partner, params.id, body, security)
    callers.forget()
    return changed
  })
  mount(readInvitation, async ({ body }) => {
    const { business_name, email, first_name } =
      (await findPartnerInvitation(deps, body.token)) ?? (await getInvitation(deps, body.token))
    return { businessName: business_name, email, firstName: first_name }
  })
  mount(acceptInvitation, async ({ body, ...call }) => {
    const isFirstOwner = (await findPartnerInvitation(deps, body.token)) !== undefined
    return isFirstOwner ? acceptPartnerInvitation(deps, body, call) : acceptTeamInvitation(deps, body, call)
  })
}

/** The subject of an entry in the security log. */
function subjectOf(invitation: Pick<Invitation, 'id' | 'first_name' | 'last_name' | 'email'>) {
  return { id: invitation.id, name: personName(invitation) }
}
