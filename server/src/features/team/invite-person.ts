import type { NewInvitation } from '@portal/contract/invitation-form.ts'
import { personName } from '@portal/contract/person-name.ts'
import type { Invitation } from '@portal/contract/team.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { Conflict, NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'
import { lockCaller } from '../accounts/lock-caller.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { findPersonByEmail, getPerson } from '../accounts/people.queries.ts'
import { findInvitationToMail, replaceInvitation, updateInvitationLink } from './invitations.queries.ts'
import { invitationExpiry, mailInvitation } from './mail-invitation.job.ts'

/** Limits the invitation mails of one partner. */
export const INVITATIONS: RateLimit = {
  name: 'invitations',
  points: 20,
  seconds: 24 * 3_600,
  text: 'Too many invitations were sent today. Please try again tomorrow.',
}

type InviteDeps = Pick<Deps, 'jobs' | 'clock'>

/**
 * Writes the invitation, and the job that mails it, in one transaction. A person with an unconfirmed address cannot
 * invite anybody, because the address may belong to somebody else. If the true owner of the address then reset the
 * password, the invited people would keep their access (D52).
 */
export async function inviteToTeam(
  tx: Tx,
  { jobs, clock }: InviteDeps,
  caller: SessionCaller,
  form: NewInvitation,
): Promise<Invitation> {
  await lockCaller(tx, { clock }, caller)
  const inviter = await getPerson(tx, caller.personId)
  if (!inviter.email_verified) {
    throw new Conflict('CONFIRM_EMAIL', 'Confirm your own email address before you invite others')
  }
  if (await findPersonByEmail(tx, form.email)) {
    throw new Conflict('EMAIL_EXISTS', 'An account with this email exists. An address can belong to one business only.')
  }
  const now = clock.now()
  const linkId = newId(now)
  const invitation = await replaceInvitation(tx, {
    id: newId(now),
    partner_id: caller.id,
    email: form.email,
    first_name: form.firstName,
    last_name: form.lastName,
    role: form.role,
    invited_by: inviter.id,
    created_at: now.toISOString(),
    expires_at: invitationExpiry(now),
    link_id: linkId,
  })
  await jobs.enqueue(tx, mailInvitation, { partnerId: caller.id, invitationId: invitation.id, linkId })
  if (form.role === 'owner') {
    const about = { name: personName(invitation), email: form.email, role: form.role }
    await enqueueNoticeToOwners(tx, { jobs, clock }, caller.id, 'owner-invited', { about })
  }
  return invitation
}

export async function sendInvitationAgain(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  partnerId: string,
  invitationId: string,
) {
  const linkId = newId()
  return db.transaction().execute(async (tx) => {
    const invitation = await findInvitationToMail(tx, partnerId, invitationId)
    if (!invitation) throw invitationNotFound()
    await updateInvitationLink(tx, partnerId, invitationId, linkId)
    await jobs.enqueue(tx, mailInvitation, { partnerId, invitationId, linkId })
    return invitation
  })
}

export function invitationNotFound(): NotFound {
  return new NotFound('Invitation not found')
}
