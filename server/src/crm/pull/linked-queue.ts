import * as z from 'zod/mini'
import type { QueuedJob } from '../../platform/jobs/enqueue-job.ts'

const Linked = z.object({ partnerId: z.string() })

/** The queue for partners that the portal has linked with the record into which the lender merged theirs (D123). */
export const LINKED_QUEUE: QueuedJob<z.infer<typeof Linked>> = { name: 'note-linked', payload: Linked }
