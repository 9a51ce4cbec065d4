import { BUSINESS_NAME_LENGTH_MAX } from '@portal/contract/limits.ts'
import { INVITE_QUEUE } from '../../crm/queues.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { emailSpellings } from '../../platform/email-spellings.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import {
  countInvitationsMailedSince,
  findMailedInvitations,
  findTakenNames,
  lockWaitingInvitations,
  markExpiredInvitations,
  markInvitationMailed,
  updateInvitationProblem,
  type WaitingInvitation,
} from '../../records/partners/partner-invitations.queries.ts'
import { findHeldEmailsOfAnyPartner } from '../accounts/email-changes.queries.ts'
import { findKnownEmails } from '../accounts/people.queries.ts'
import { invitationExpiry } from './mail-invitation.job.ts'
import { mailPartnerInvitation } from './mail-partner-invitation.job.ts'

const HOUR_MS = 3_600_000
const MAILS_AN_HOUR = 50
/** More than wait at once. The others follow when these were mailed. */
const WAITING_MAX = 1_000

const NO_EMAIL = 'Not invited: the record has no email address that the portal can use.'
const NO_NAME = `Not invited: the portal cannot use the record’s name. A business name has at most ${BUSINESS_NAME_LENGTH_MAX} characters, and no web or email address.`
const NAME_TAKEN = 'Not invited: a partner of the portal has this business name.'
const EXPIRED =
  'The invitation has expired. To send another, set Portal Access to blank, save, and set it to Invited again.'

/**
 * Gives each invitation of the lender's team its one link and the job that mails it, at most fifty an hour. What stands
 * in the way of an invitation is kept for the team, and looked at again each minute.
 */
export const invitePartners = defineJob({
  ...INVITE_QUEUE,
  schedule: '* * * * *',
  concurrency: 1,
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run({ db, jobs, clock, config }) {
    if (config.signUp !== 'invite') return
    await db.transaction().execute(async (tx) => {
      const now = clock.now()
      const waiting = await lockWaitingInvitations(tx, WAITING_MAX)
      const problems = await problemsOf(tx, waiting, now)
      const hourAgo = new Date(now.getTime() - HOUR_MS).toISOString()
      let mailsLeft = MAILS_AN_HOUR - (await countInvitationsMailedSince(tx, hourAgo))
      for (const { zoho_id, problem: known } of waiting) {
        const problem = problems.get(zoho_id) ?? null
        if (problem === null && mailsLeft > 0) {
          mailsLeft -= 1
          const linkId = newId(now)
          await markInvitationMailed(tx, zoho_id, { linkId, at: now.toISOString(), expiresAt: invitationExpiry(now) })
          await jobs.enqueue(tx, mailPartnerInvitation, { linkId })
        } else if (problem !== known) await updateInvitationProblem(tx, zoho_id, problem)
      }
      await markExpiredInvitations(tx, now.toISOString(), EXPIRED)
    })
  },
})

/** Why these invitations cannot be mailed, by their records. */
async function problemsOf(tx: Tx, waiting: readonly WaitingInvitation[], now: Date): Promise<Map<string, string>> {
  const emails = waiting.flatMap(({ email }) => email ?? [])
  const known = new Set(await findKnownEmails(tx, emails.flatMap(emailSpellings)))
  const held = new Set(await findHeldEmailsOfAnyPartner(tx, emails, now.toISOString()))
  const names = await findTakenNames(
    tx,
    waiting.flatMap(({ business_name }) => business_name ?? []),
  )
  const invited = new Map((await findMailedInvitations(tx, emails)).map(({ email, zoho_id }) => [email, zoho_id]))
  const problems = new Map<string, string>()
  for (const { zoho_id, email, business_name } of waiting) {
    const problem = problemOf(email, business_name)
    if (problem === null) invited.set(email, zoho_id)
    else problems.set(zoho_id, problem)
  }
  return problems

  function problemOf(email: string | null, name: string | null): string | null {
    if (email === null) return NO_EMAIL
    if (held.has(email) || emailSpellings(email).some((spelling) => known.has(spelling))) {
      return `Not invited: ${email} has an account in the portal.`
    }
    const other = invited.get(email)
    if (other !== undefined) return `Not invited: the record ${other} invites ${email} too.`
    if (name === null) return NO_NAME
    return names.has(name) ? NAME_TAKEN : null
  }
}
