import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import type { Db } from '../../platform/db/database.ts'
import type { QueuedJob } from '../../platform/jobs/enqueue-job.ts'
import { DOCUMENT_QUEUE } from '../queues.ts'

const NoteToPush = z.object({ partnerId: z.string(), noteId: z.string() })

/** The queue of notes to push. The notes feature runs these jobs. */
export const NOTE_QUEUE: QueuedJob<z.infer<typeof NoteToPush>> = { name: 'push-note', payload: NoteToPush }

/** The maximum number of notes, and of documents, that are enqueued. Further ones wait for their own retries. */
const FOLLOWING_MAX = 100

/**
 * When records have reached the CRM, enqueues their waiting notes and documents at once, so that they do not wait for their next retry.
 * The jobs that wait for a retry then find nothing to do.
 */
export async function letNotesFollow(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  partnerId: string,
  loids: readonly string[],
): Promise<void> {
  for (const { note_id: noteId, document_id: documentId } of await findWaiting(db, partnerId, loids)) {
    if (noteId !== null) await jobs.enqueue(db, NOTE_QUEUE, { partnerId, noteId })
    if (documentId !== null) await jobs.enqueue(db, DOCUMENT_QUEUE, { partnerId, documentId })
  }
}

/** The notes and documents that wait, the oldest of each first. */
async function findWaiting(
  db: Db,
  partnerId: string,
  loids: readonly string[],
): Promise<{ note_id: string | null; document_id: string | null }[]> {
  if (loids.length === 0) return []
  const { rows } = await sql<{ note_id: string | null; document_id: string | null }>`
    (select id as note_id, null as document_id from notes
      where partner_id = ${partnerId} and loid = any(${loids}) and crm = 'pending'
      order by created_at limit ${FOLLOWING_MAX})
    union all
    (select null, id from documents
      where partner_id = ${partnerId} and loid = any(${loids}) and state = 'pending' and removed_at is null
      order by added_at limit ${FOLLOWING_MAX})`.execute(db)
  return rows
}
