import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { getPartner, replaceAccountToken } from './accounts.queries.ts'
import { welcomeMail } from './mails.ts'
import { hashToken, newToken } from './tokens.ts'

const VALID_MS = 30 * 24 * 3_600_000

export const mailWelcome = defineJob({
  name: 'mail-welcome',
  payload: z.object({ partnerId: z.string() }),
  retry: { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 2 },
  run: (deps, { partnerId }) => sendWelcome(deps, partnerId),
})

/** The welcome mail carries the link that proves the address (D15). */
async function sendWelcome(deps: Deps, partnerId: string): Promise<void> {
  const partner = await getPartner(deps.db, partnerId)
  const token = newToken()
  const expiresAt = new Date(deps.clock.now().getTime() + VALID_MS).toISOString()
  await deps.db
    .transaction()
    .execute((tx) => replaceAccountToken(tx, { hash: hashToken(token), partnerId, purpose: 'verify-email', expiresAt }))
  await deps.mail.send(welcomeMail(partner, deps.publicUrl, token))
}
