import * as z from 'zod/mini'
import { inTransaction } from '../../db/in-transaction.ts'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { insertAccountToken, removeAccountTokens } from './account-tokens.queries.ts'
import { resetMail } from './mails.ts'
import { findPersonByEmail, getPerson, lockPerson } from './people.queries.ts'
import { hashToken, newToken } from './tokens.ts'

const VALID_MS = 3_600_000

export const mailResetLink = defineJob({
  name: 'mail-reset-link',
  payload: z.object({ email: z.string() }),
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, { email }) {
    const person = await findPersonByEmail(deps.db, email)
    if (person) await sendResetLink(deps, person.id)
  },
})

/**
 * Makes the token only when the mail is sent, so that only its hash is ever stored. The links in earlier mails stop
 * working (D13). The mail goes to the person's current address, because the address may have changed since the request.
 */
export async function sendResetLink(deps: Deps, personId: string): Promise<string> {
  const token = newToken()
  const expiresAt = new Date(deps.clock.now().getTime() + VALID_MS).toISOString()
  const purpose = 'reset-password'
  const person = await inTransaction(deps.db, async (tx) => {
    await lockPerson(tx, personId)
    await removeAccountTokens(tx, personId, purpose)
    await insertAccountToken(tx, { hash: hashToken(token), personId, purpose, expiresAt })
    return getPerson(tx, personId)
  })
  await deps.mail.send(resetMail(person, deps.publicUrl, token))
  return token
}
