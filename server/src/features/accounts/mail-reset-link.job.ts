import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { insertLinkToken, removeAccountTokens } from './account-tokens.queries.ts'
import { resetMail } from './mails.ts'
import { findPersonByEmail, getPerson, lockPerson } from './people.queries.ts'
import { hashToken } from './tokens.ts'

const VALID_MS = 3_600_000

export const mailResetLink = defineJob({
  name: 'mail-reset-link',
  payload: z.object({ email: z.string() }),
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, { email }, _signal, id = newId()) {
    const person = await findPersonByEmail(deps.db, email)
    if (person) await sendResetLink(deps, person.id, id)
  },
})

/**
 * Mails the link of this request. However often a request is mailed, the link and the Message-ID stay the same, and no
 * mail goes out once the link was used or replaced. The links of earlier requests stop working (D13). The mail goes to
 * the person's current address, because the address may have changed since the request.
 */
export async function sendResetLink(deps: Deps, personId: string, requestId: string): Promise<string> {
  const token = deps.secrets.derive(`reset-password:${requestId}`)
  const hash = hashToken(token)
  const expiresAt = new Date(deps.clock.now().getTime() + VALID_MS).toISOString()
  const purpose = 'reset-password'
  const person = await inTransaction(deps.db, async (tx) => {
    await lockPerson(tx, personId)
    if (!(await insertLinkToken(tx, { hash, personId, purpose, expiresAt }))) return undefined
    await removeAccountTokens(tx, personId, purpose, hash)
    return getPerson(tx, personId)
  })
  const portal = { publicUrl: deps.publicUrl, brandName: deps.config.brand.name }
  if (person) await deps.mail.send({ ...resetMail(person, portal, token), id: requestId })
  return token
}
