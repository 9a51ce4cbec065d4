import * as z from 'zod/mini'
import type { QueuedJob } from '../../platform/jobs/enqueue-job.ts'

const Nothing = z.object({})

/** The queue that mails the partners that the lender's team invites (D116). One job sees to all of them. */
export const INVITE_QUEUE: QueuedJob<z.infer<typeof Nothing>> = {
  name: 'invite-partners',
  payload: Nothing,
  key: () => 'all',
}
