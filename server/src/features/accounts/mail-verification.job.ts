import * as z from 'zod/mini'
import { newId } from '../../platform/db/ids.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { insertLinkToken } from './account-tokens.queries.ts'
import { verificationMail, welcomeMail } from './mails.ts'
import { findPerson } from './people.queries.ts'
import { hashToken } from './tokens.ts'

const VALID_MS = 30 * 24 * 3_600_000

/**
 * Mails two links: one confirms the address, the other closes an account that the owner of the address did not create
 * (D15, D52). Older links stay valid, so that a stranger who signed up cannot void the owner's link by asking for more
 * mails.
 */
export const mailVerification = defineJob({
  name: 'mail-verification',
  payload: z.object({ personId: z.string(), isWelcome: z.boolean() }),
  retry: { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 2 },
  async run({ db, clock, mail, publicUrl, config, secrets }, { personId, isWelcome }, _signal, id = newId()) {
    const person = await findPerson(db, personId)
    if (!person || person.email_verified) return
    const token = secrets.derive(`verify-email:${id}`)
    const expiresAt = new Date(clock.now().getTime() + VALID_MS).toISOString()
    const isOpen = await db
      .transaction()
      .execute((tx) => insertLinkToken(tx, { hash: hashToken(token), personId, purpose: 'verify-email', expiresAt }))
    const portal = { publicUrl, brandName: config.brand.name }
    if (isOpen) await mail.send({ ...(isWelcome ? welcomeMail : verificationMail)(person, portal, token), id })
  },
})
