import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { QueuedJob } from '../platform/jobs/enqueue-job.ts'

// These queues are filled by files that must not import the jobs which empty them.

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

/** The queue for partners that the portal has linked with the record into which the lender merged theirs (D123). */
export const LINKED_QUEUE: QueuedJob<z.infer<typeof OfPartner>> = { name: 'note-linked', payload: OfPartner }

const ChangedAccess = z.object({ partnerId: z.string(), isSuspended: z.boolean(), at: z.string() })

/** The queue for partners that the lender has suspended, or no longer suspends (D116). The accounts follow it. */
export const FOLLOW_ACCESS_QUEUE: QueuedJob<z.infer<typeof ChangedAccess>> = {
  name: 'follow-access',
  payload: ChangedAccess,
}

const Nothing = z.object({})

/** The queue that mails the partners that the lender's team invites (D116). One job sees to all of them. */
export const INVITE_QUEUE: QueuedJob<z.infer<typeof Nothing>> = {
  name: 'invite-partners',
  payload: Nothing,
  key: () => 'all',
}

const DocumentToPush = z.object({ partnerId: z.string(), documentId: z.string() })

export const DOCUMENT_QUEUE: QueuedJob<z.infer<typeof DocumentToPush>> = {
  name: 'push-document',
  payload: DocumentToPush,
}

const Records = z.object({
  module: z.enum(['Leads', 'Deals', 'Notes', 'Tasks', 'Partners']),
  zohoIds: z.array(z.string()),
})

/** The queue of CRM records to pull by their ids, for any partner. */
export const PULL_QUEUE: QueuedJob<z.infer<typeof Records>> = {
  name: 'pull-notified',
  payload: Records,
  key: ({ module, zohoIds }) =>
    createHash('sha256')
      .update([module, ...zohoIds.toSorted()].join(' '))
      .digest('hex'),
}
