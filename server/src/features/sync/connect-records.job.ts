import { defineJob } from '../../jobs/define-job.ts'
import { CONNECT_QUEUE } from '../../push/connect-queue.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { findDealsToPush } from '../deals/deals.queries.ts'
import { pushDeal } from '../deals/push-deal.job.ts'
import { findLeadsToPush } from '../leads/leads.queries.ts'
import { pushLead } from '../leads/push-lead.job.ts'
import { findNotesToPush } from '../notes/notes.queries.ts'
import { pushNote } from '../notes/push-note.job.ts'
import { startSyncIn } from './start-sync.ts'

/** Queues a push of the partner's own record and of every waiting lead, deal and note, and starts a sync. */
export const connectRecords = defineJob({
  ...CONNECT_QUEUE,
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 7 },
  run: (deps, { partnerId }) =>
    deps.db.transaction().execute(async (tx) => {
      const { jobs } = deps
      await jobs.enqueue(tx, pushPartner, { partnerId })
      for (const loid of await findLeadsToPush(tx, partnerId)) await jobs.enqueue(tx, pushLead, { partnerId, loid })
      for (const loid of await findDealsToPush(tx, partnerId)) await jobs.enqueue(tx, pushDeal, { partnerId, loid })
      for (const noteId of await findNotesToPush(tx, partnerId)) await jobs.enqueue(tx, pushNote, { partnerId, noteId })
      await startSyncIn(tx, deps, partnerId, 'all')
    }),
})
