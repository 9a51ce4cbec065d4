import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import type { Db } from '../../platform/db/database.ts'
import type { QueuedJob } from '../../platform/jobs/enqueue-job.ts'
import { findDocumentsToPush } from '../../records/documents/documents.queries.ts'
import { DOCUMENT_QUEUE } from './document-queue.ts'

const NoteToPush = z.object({ partnerId: z.string(), noteId: z.string() })

/** The queue of notes to push. The notes feature runs these jobs. */
export const NOTE_QUEUE: QueuedJob<z.infer<typeof NoteToPush>> = { name: 'push-note', payload: NoteToPush }

/** The maximum number of notes that are enqueued for one record. Further notes wait for their own retries. */
const FOLLOWING_MAX = 100

/**
 * When a record has reached the CRM, enqueues its waiting notes and documents at once, so that they do not wait for their next retry.
 * The jobs that wait for a retry then find nothing to do.
 */
export async function letNotesFollow(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  partnerId: string,
  loid: string,
): Promise<void> {
  for (const noteId of await findWaitingNotes(db, partnerId, loid)) {
    await jobs.enqueue(db, NOTE_QUEUE, { partnerId, noteId })
  }
  for (const documentId of await findDocumentsToPush(db, partnerId, loid)) {
    await jobs.enqueue(db, DOCUMENT_QUEUE, { partnerId, documentId })
  }
}

async function findWaitingNotes(db: Db, partnerId: string, loid: string): Promise<string[]> {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .where('crm', '=', 'pending')
    .orderBy('created_at')
    .limit(FOLLOWING_MAX)
    .execute()
  return rows.map((row) => row.id)
}
