import { defineJob } from '../../../platform/jobs/define-job.ts'
import { findDocumentsToPush } from '../../../records/documents/documents.queries.ts'
import { findWaitingLoids } from '../../../records/kinds/pushed.queries.ts'
import { findNotesToPush } from '../../../records/notes/notes.queries.ts'
import { awaitsLender } from '../../../records/partners/hold-of.ts'
import { findPartner } from '../../../records/partners/partners.queries.ts'
import { pushDeal } from '../../push/push-deal.job.ts'
import { pushLead } from '../../push/push-lead.job.ts'
import { pushNote } from '../../push/push-note.job.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { CONNECT_QUEUE, DOCUMENT_QUEUE, PULL_QUEUE } from '../../queues.ts'
import { startSyncIn } from './start-sync.ts'

/**
 * Queues a push of the partner's own record and of every waiting lead, deal, note and document, reads what the CRM says of the
 * partner, and starts a sync if the lender has let the partner in.
 */
export const connectRecords = defineJob({
  ...CONNECT_QUEUE,
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 7 },
  run: (deps, { partnerId }) =>
    deps.db.transaction().execute(async (tx) => {
      const { jobs } = deps
      await jobs.enqueue(tx, pushPartner, { partnerId })
      for (const loid of await findWaitingLoids(tx, 'leads', partnerId))
        await jobs.enqueue(tx, pushLead, { partnerId, loid })
      for (const loid of await findWaitingLoids(tx, 'deals', partnerId))
        await jobs.enqueue(tx, pushDeal, { partnerId, loid })
      for (const noteId of await findNotesToPush(tx, partnerId)) await jobs.enqueue(tx, pushNote, { partnerId, noteId })
      for (const documentId of await findDocumentsToPush(tx, partnerId)) {
        await jobs.enqueue(tx, DOCUMENT_QUEUE, { partnerId, documentId })
      }
      const partner = await findPartner(tx, partnerId)
      const zohoId = partner?.zoho_id
      if (zohoId) await jobs.enqueue(tx, PULL_QUEUE, { module: 'Partners', zohoIds: [zohoId] })
      if (partner && !awaitsLender(partner)) await startSyncIn(tx, deps, partnerId, 'all')
    }),
})
