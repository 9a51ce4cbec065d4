import * as z from 'zod/mini'
import { underLease } from '../../platform/db/lease.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { defineJob, NotYet } from '../../platform/jobs/define-job.ts'
import {
  findDocument,
  findOtherDocumentsOfAnyPartner,
  findPlacesOfDocument,
  mayStillArrive,
} from '../../records/documents/documents.queries.ts'
import { documentLease } from './push-document.job.ts'

/** As long as the row of a document that was taken back is kept: staff may restore its record until then. */
const RETRY = { firstDelaySeconds: 10, delaySecondsMax: 7_200, giveUpAfterDays: 30 }

/**
 * Removes a document that was taken back from the CRM (D104), wherever a conversion has moved it. Under the lease of its
 * push, so that a push that runs has ended. A file whose answer was lost is found by the name and size that were sent, and
 * looked for until it can no longer arrive.
 */
export const removeDocument = defineJob({
  name: 'remove-document',
  payload: z.object({ partnerId: z.string(), documentId: z.string() }),
  key: ({ documentId }) => documentId,
  retry: RETRY,
  async run({ db, crm }, { partnerId, documentId }, signal) {
    const nothing = async () => undefined
    const removed = await underLease(db, documentLease(documentId, signal), nothing, async (untilLeaseEnds) => {
      const document = await findDocument(db, partnerId, documentId)
      if (!document || document.removed_at === null) return {}
      const { zoho_id, sent_name, size } = document
      let isAllShown = true
      for (const place of await findPlacesOfDocument(db, document)) {
        for await (const there of crm.followAttachments(place, untilLeaseEnds)) {
          isAllShown &&= there !== null
          const same = (there ?? []).filter((one) =>
            zoho_id === null ? one.name === sent_name && one.size === size : one.zoho_id === zoho_id,
          )
          const others = await findOtherDocumentsOfAnyPartner(
            db,
            documentId,
            same.map((one) => one.zoho_id),
          )
          const own = same.find((one) => !others.has(one.zoho_id))
          if (!own) continue
          await crm.removeAttachment(own, untilLeaseEnds)
          return {}
        }
      }
      if (!isAllShown) throw new NotYet('the CRM does not show a record that may have the file')
      if (zoho_id === null && (await mayStillArrive(db, documentId))) throw new NotYet('the file may still arrive')
      return {}
    })
    if (!removed) throw new CrmUnavailable('Another push of the document is under way.')
  },
})
