import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { findPartnerByEmail, insertAccountToken, type Partner, removeAccountTokens } from './accounts.queries.ts'
import { resetMail } from './mails.ts'
import { hashToken, newToken } from './tokens.ts'

const VALID_MS = 3_600_000

export const mailResetLink = defineJob({
  name: 'mail-reset-link',
  payload: z.object({ email: z.string() }),
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, { email }) {
    const partner = await findPartnerByEmail(deps.db, email)
    if (partner) await sendResetLink(deps, partner)
  },
})

/** Makes the token at the moment of mailing, so that nothing but its hash is ever stored. Older ones end (D13). */
export async function sendResetLink(deps: Deps, partner: Partner): Promise<string> {
  const token = newToken()
  const expiresAt = new Date(deps.clock.now().getTime() + VALID_MS).toISOString()
  const purpose = 'reset-password'
  await deps.db.transaction().execute(async (tx) => {
    await removeAccountTokens(tx, partner.id, purpose)
    await insertAccountToken(tx, { hash: hashToken(token), partnerId: partner.id, purpose, expiresAt })
  })
  await deps.mail.send(resetMail(partner, deps.publicUrl, token))
  return token
}
