import * as z from 'zod/mini'
import type { QueuedJob } from '../../platform/jobs/enqueue-job.ts'

const OfPartner = z.object({ partnerId: z.string() })

/**
 * The queue for partners that were linked to their CRM record, or no longer have to confirm their address (D52). Each
 * job enqueues pushes of the partner's own record and its waiting records, and begins a sync.
 */
export const CONNECT_QUEUE: QueuedJob<z.infer<typeof OfPartner>> = {
  name: 'connect-records',
  payload: OfPartner,
  key: ({ partnerId }) => partnerId,
}
