import * as z from 'zod/mini'
import type { QueuedJob } from '../../platform/jobs/enqueue-job.ts'

const DocumentToPush = z.object({ partnerId: z.string(), documentId: z.string() })

/** The queue of documents to push. */
export const DOCUMENT_QUEUE: QueuedJob<z.infer<typeof DocumentToPush>> = {
  name: 'push-document',
  payload: DocumentToPush,
}
