import {
  acceptInvitation,
  changePerson,
  invitePerson,
  readInvitation,
  readTeam,
  revokeInvitation,
  sendInvitation,
} from '@portal/contract/team.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../http/mount.ts'
import type { CallerMemory } from '../accounts/caller-memory.ts'
import { findTeam } from '../accounts/people.queries.ts'
import { acceptTeamInvitation, getInvitation } from './accept-invitation.ts'
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
    const invitation = await once((tx) => inviteToTeam(tx, deps, partner, body))
    security('person-invited')
    return invitation
  })
  mount(sendInvitation, async ({ partner, params, limit, security }) => {
    await limit(INVITATIONS, partner.id)
    await sendInvitationAgain(deps, partner.id, params.id)
    security('person-invited')
    return {}
  })
  mount(revokeInvitation, async ({ partner, params, security }) => {
    if (!(await removeInvitation(deps.db, partner.id, params.id))) throw invitationNotFound()
    security('invitation-revoked')
    return {}
  })
  mount(changePerson, async ({ partner, params, body, security }) => {
    const { before, after } = await changeTeamPerson(deps, partner, params.id, body)
    callers.forget()
    if (before.role !== after.role) security('role-changed', { changed: after.id })
    if (before.is_active !== after.is_active) {
      security(after.is_active ? 'person-activated' : 'person-deactivated', { changed: after.id })
    }
    return after
  })
  mount(readInvitation, async ({ query }) => {
    const { business_name, email, first_name } = await getInvitation(deps, query.token)
    return { businessName: business_name, email, firstName: first_name }
  })
  mount(acceptInvitation, async ({ body, visitor, security }) => {
    const begun = await acceptTeamInvitation(deps, body, { visitor, security })
    security('invitation-accepted', { partner: begun.partner.id, person: begun.person.id })
    return begun
  })
}
