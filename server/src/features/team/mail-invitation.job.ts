import { INVITATION_VALID_DAYS } from '@portal/contract/team.ts'
import * as z from 'zod/mini'
import { defineJob } from '../../jobs/define-job.ts'
import type { Mail } from '../../mail/mail.ts'
import { text } from '../../mail/mail-parts.ts'
import { hashToken, newToken } from '../accounts/tokens.ts'
import { findInvitationToMail, updateInvitationToken } from './invitations.queries.ts'

/** When a link that is made now expires. */
export function invitationExpiry(now: Date): string {
  return new Date(now.getTime() + INVITATION_VALID_DAYS * 24 * 3_600_000).toISOString()
}

/**
 * Makes the token only when the mail is sent, so that only the token's hash is ever stored. The link in an earlier mail
 * stops working.
 */
export const mailInvitation = defineJob({
  name: 'mail-invitation',
  payload: z.object({ partnerId: z.string(), invitationId: z.string() }),
  retry: { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 2 },
  async run({ db, clock, mail, publicUrl }, { partnerId, invitationId }) {
    const invitation = await findInvitationToMail(db, partnerId, invitationId)
    if (!invitation) return
    const token = newToken()
    const expires_at = invitationExpiry(clock.now())
    await updateInvitationToken(db, partnerId, invitationId, { token_hash: hashToken(token), expires_at })
    await mail.send(invitationMail(invitation, publicUrl, token))
  },
})

type MailedInvitation = NonNullable<Awaited<ReturnType<typeof findInvitationToMail>>>

function invitationMail(invitation: MailedInvitation, publicUrl: string, token: string): Mail {
  const { email, first_name, business_name, inviter_first_name, inviter_last_name } = invitation
  const inviter = [inviter_first_name, inviter_last_name].filter(Boolean).join(' ') || 'An owner'
  return {
    to: email,
    subject: 'Your invitation to the Partner Portal',
    parts: [
      text(`Hello ${first_name},`),
      text(
        `${inviter} of ${business_name} invites you to the Partner Portal, where ${business_name} submits and tracks loan applications.`,
      ),
      {
        part: 'button',
        text: `Choose a password within the next ${INVITATION_VALID_DAYS} days`,
        label: 'Join the Partner Portal',
        url: `${publicUrl}/invite?token=${token}`,
      },
      text(`If you do not know ${business_name}, ignore this email. Nothing happens unless you choose a password.`),
    ],
  }
}
