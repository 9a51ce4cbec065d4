import * as z from 'zod/mini'
import type { QueuedJob } from '../jobs/enqueue-job.ts'

const OfPartner = z.object({ partnerId: z.string() })

/** A partner was linked to what the CRM has, or waits for its address no longer (D52): what waited is pushed, and a sync begins. */
export const CONNECT_QUEUE: QueuedJob<z.infer<typeof OfPartner>> = {
  name: 'connect-records',
  payload: OfPartner,
  key: ({ partnerId }) => partnerId,
}
