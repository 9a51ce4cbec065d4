import { brandInSentence } from '@portal/contract/brand.ts'
import { INVITATION_VALID_DAYS } from '@portal/contract/team.ts'
import * as z from 'zod/mini'
import { newId } from '../../platform/db/ids.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { text } from '../../platform/mail/mail-parts.ts'
import { hashToken } from '../accounts/tokens.ts'
import { findInvitationToMail, updateInvitationToken } from './invitations.queries.ts'

/** When a link that is made now expires. */
export function invitationExpiry(now: Date): string {
  return new Date(now.getTime() + INVITATION_VALID_DAYS * 24 * 3_600_000).toISOString()
}

/**
 * Mails the link that `linkId` names. However often it is mailed, the link and the Message-ID stay the same, and no mail
 * goes out once the invitation was accepted or revoked, or a newer link was asked for. Only the token's hash is stored.
 * Jobs of version 0.2 have no `linkId`.
 */
export const mailInvitation = defineJob({
  name: 'mail-invitation',
  payload: z.object({ partnerId: z.string(), invitationId: z.string(), linkId: z.optional(z.string()) }),
  retry: { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 2 },
  async run(
    { db, clock, mail, publicUrl, config, secrets },
    { partnerId, invitationId, linkId },
    _signal,
    id = newId(),
  ) {
    const invitation = await findInvitationToMail(db, partnerId, invitationId)
    if (!invitation) return
    const token = secrets.derive(`invitation:${linkId ?? id}`)
    const link = { token_hash: hashToken(token), expires_at: invitationExpiry(clock.now()) }
    if (!(await updateInvitationToken(db, { partnerId, invitationId, linkId }, link))) return
    const portalName = brandInSentence(config.brand.name)
    await mail.send({ ...invitationMail(invitation, publicUrl, portalName, token), id })
  },
})

type MailedInvitation = NonNullable<Awaited<ReturnType<typeof findInvitationToMail>>>

/** Nobody has proved that the address wants this mail, so it repeats no name that somebody typed (D132). */
function invitationMail(
  { email, inviter_email }: MailedInvitation,
  publicUrl: string,
  portalName: string,
  token: string,
): Mail {
  return {
    to: email,
    subject: `Your invitation to ${portalName}`,
    parts: [
      text('Hello,'),
      text(`${inviter_email} invites you to ${portalName}, where their business submits and tracks loan applications.`),
      {
        part: 'button',
        text: `See who invites you, and choose a password within the next ${INVITATION_VALID_DAYS} days`,
        label: `Join ${portalName}`,
        url: `${publicUrl}/invite?token=${token}`,
      },
      text(`If you do not know ${inviter_email}, ignore this email. Nothing happens unless you choose a password.`),
    ],
  }
}
