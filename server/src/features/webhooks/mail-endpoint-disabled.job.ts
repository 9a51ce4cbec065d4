import * as z from 'zod/mini'
import { defineJob } from '../../jobs/define-job.ts'
import type { Mail } from '../../mail/mail.ts'
import { text } from '../../mail/mail-parts.ts'
import { greeting } from '../accounts/mails.ts'
import { findActiveOwners, type Person } from '../accounts/people.queries.ts'
import { findEndpoint } from './endpoints.queries.ts'

export const mailEndpointDisabled = defineJob({
  name: 'mail-endpoint-disabled',
  payload: z.object({ partnerId: z.string() }),
  retry: { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 2 },
  async run({ db, mail, publicUrl }, { partnerId }) {
    const endpoint = await findEndpoint(db, partnerId)
    // Enabled again or removed before the mail was sent: the partner knows.
    if (!endpoint?.disabled_reason) return
    for (const owner of await findActiveOwners(db, partnerId)) {
      await mail.send(disabledMail(owner, publicUrl, endpoint.url, WHY[endpoint.disabled_reason]))
    }
  },
})

const WHY = {
  gone: 'It answered 410 Gone, which asks us to stop.',
  failing: 'Every delivery of the last five days failed.',
}

function disabledMail(owner: Person, publicUrl: string, url: string, why: string): Mail {
  return {
    to: owner.email,
    subject: 'Your webhook URL was disabled',
    parts: [
      greeting(owner),
      text(`change notifications are no longer sent to ${url}`),
      text(why),
      {
        part: 'button',
        text: 'The log tells what was answered, and lets you send again what was missed',
        label: 'Open the webhook log',
        url: `${publicUrl}/webhook`,
      },
      text('To enable the URL again, save it there once more.'),
    ],
  }
}
