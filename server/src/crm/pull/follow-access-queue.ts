import * as z from 'zod/mini'
import type { QueuedJob } from '../../platform/jobs/enqueue-job.ts'

const ChangedAccess = z.object({ partnerId: z.string(), isSuspended: z.boolean(), at: z.string() })

/** The queue for partners that the lender has suspended, or no longer suspends (D116). The accounts follow it. */
export const FOLLOW_ACCESS_QUEUE: QueuedJob<z.infer<typeof ChangedAccess>> = {
  name: 'follow-access',
  payload: ChangedAccess,
}
