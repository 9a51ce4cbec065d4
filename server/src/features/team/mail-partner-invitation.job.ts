import { brandInSentence } from '@portal/contract/brand.ts'
import { INVITATION_VALID_DAYS } from '@portal/contract/team.ts'
import * as z from 'zod/mini'
import { newId } from '../../platform/db/ids.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { text } from '../../platform/mail/mail-parts.ts'
import {
  markInvitationUnsent,
  updatePartnerInvitationToken,
} from '../../records/partners/partner-invitations.queries.ts'
import { hashToken } from '../accounts/tokens.ts'
import { invitationExpiry } from './mail-invitation.job.ts'

/**
 * Mails the link that makes a partner's first owner (D116). However often it runs, link and Message-ID stay the same, and
 * no mail goes out once the team has withdrawn the invitation or it has another link. Only the token's hash is stored.
 */
export const mailPartnerInvitation = defineJob({
  name: 'mail-partner-invitation',
  payload: z.object({ linkId: z.string() }),
  retry: { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 2 },
  async run({ db, clock, mail, publicUrl, config, secrets }, { linkId }, _signal, id = newId()) {
    const token = secrets.derive(`partner-invitation:${linkId}`)
    const link = { token_hash: hashToken(token), expires_at: invitationExpiry(clock.now()) }
    const email = await updatePartnerInvitationToken(db, linkId, link)
    if (email === undefined) return
    await mail.send({ ...firstOwnerMail(email, publicUrl, brandInSentence(config.brand.name), token), id })
  },
  giveUp: ({ db }, { linkId }) => markInvitationUnsent(db, linkId),
})

/** Nobody has proved that the address wants this mail, so it repeats no name that somebody typed (D132). */
function firstOwnerMail(to: string, publicUrl: string, portalName: string, token: string): Mail {
  return {
    to,
    subject: `Your invitation to ${portalName}`,
    parts: [
      text('Hello,'),
      text(`Your lender invites your business to ${portalName}, where you submit loan applications and follow them.`),
      {
        part: 'button',
        text: `See which business is invited, and choose a password within the next ${INVITATION_VALID_DAYS} days`,
        label: `Join ${portalName}`,
        url: `${publicUrl}/invite?token=${token}`,
      },
      text('If you do not know why you get this email, ignore it. Nothing happens unless you choose a password.'),
    ],
  }
}
