import * as z from 'zod/mini'
import { newId } from '../../platform/db/ids.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { findEmailChange, keepLinkHash } from './email-changes.queries.ts'
import { emailChangedMail, emailChangeMail } from './mails.ts'
import { findPerson } from './people.queries.ts'
import { hashToken } from './tokens.ts'

const RETRY = { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 1 }

/**
 * Sends a mail to the new address, with the link that completes the change. Sends nothing if the change has since been
 * replaced, removed or completed.
 */
export const mailEmailChange = defineJob({
  name: 'mail-email-change',
  payload: z.object({ changeId: z.string() }),
  retry: RETRY,
  async run({ db, mail, publicUrl, config, secrets }, { changeId }, _signal, id = newId()) {
    const change = await findEmailChange(db, changeId)
    const person = change && (await findPerson(db, change.person_id))
    if (!person || change.done_at !== null) return
    const token = secrets.derive(`confirm-email:${id}`)
    await keepLinkHash(db, changeId, { confirm_hash: hashToken(token) })
    await mail.send({ ...emailChangeMail(person, change, { publicUrl, brandName: config.brand.name }, token), id })
  },
})

/** Mails the old address about the change. If the old address was confirmed, a link in the mail undoes the change. */
export const mailEmailChanged = defineJob({
  name: 'mail-email-changed',
  payload: z.object({ changeId: z.string() }),
  retry: RETRY,
  async run({ db, mail, publicUrl, config, secrets }, { changeId }, _signal, id = newId()) {
    const change = await findEmailChange(db, changeId)
    const person = change && (await findPerson(db, change.person_id))
    if (!person || change.done_at === null) return
    const token = change.undo_until === null ? undefined : secrets.derive(`undo-email:${id}`)
    if (token) await keepLinkHash(db, changeId, { undo_hash: hashToken(token) })
    await mail.send({ ...emailChangedMail(person, change, { publicUrl, brandName: config.brand.name }, token), id })
  },
})
