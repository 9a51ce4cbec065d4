import * as z from 'zod/mini'
import type { QueuedJob } from '../jobs/enqueue-job.ts'

const OfPartner = z.object({ partnerId: z.string() })

/**
 * Runs when a partner was linked to its CRM record, or no longer has to confirm its address (D52). Its waiting records
 * are pushed, and a sync begins.
 */
export const CONNECT_QUEUE: QueuedJob<z.infer<typeof OfPartner>> = {
  name: 'connect-records',
  payload: OfPartner,
  key: ({ partnerId }) => partnerId,
}
