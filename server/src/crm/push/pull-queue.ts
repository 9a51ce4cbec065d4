import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { QueuedJob } from '../../platform/jobs/enqueue-job.ts'

const Records = z.object({
  module: z.enum(['Leads', 'Deals', 'Notes', 'Tasks', 'Partners']),
  zohoIds: z.array(z.string()),
})

/** The queue of CRM records to pull by their ids, for any partner. The sync feature runs these jobs. */
export const PULL_QUEUE: QueuedJob<z.infer<typeof Records>> = {
  name: 'pull-notified',
  payload: Records,
  key: ({ module, zohoIds }) =>
    createHash('sha256')
      .update([module, ...zohoIds.toSorted()].join(' '))
      .digest('hex'),
}
