import { removeDocument } from '../../crm/push/remove-document.job.ts'
import type { Deps } from '../../deps.ts'
import { isId } from '../../platform/db/ids.ts'
import { Conflict, NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import {
  findDocumentedRecord,
  findDocuments,
  lockDocument,
  updateDocument,
} from '../../records/documents/documents.queries.ts'
import { removeParts } from '../../records/documents/uploads.queries.ts'
import { reopenRequest } from '../../records/requests/requests.queries.ts'
import { shownDocument } from './shown-document.ts'

/**
 * Takes back a person's own file, within its time (D104). A file that is on its way, or in the CRM, is removed there by a
 * job. The request that it answered is open again, if nothing has happened to the request since.
 */
export async function takeDocumentBack(
  { db, reads, clock, jobs }: Pick<Deps, 'db' | 'reads' | 'clock' | 'jobs'>,
  caller: SessionCaller,
  id: string,
  security: NoteSecurity,
): Promise<{ id: string }> {
  await db.transaction().execute(async (tx) => {
    const row = isId(id) ? await lockDocument(tx, caller.id, id) : undefined
    // The lender may have given the record to another partner, who has the file now.
    if (!row || !(await findDocumentedRecord(tx, caller.id, row.loid))) throw new NotFound('Document not found')
    const now = clock.now()
    const shown = (await findDocuments(reads, caller.id, row.loid)).find((one) => one.id === id)
    if (!shown || shownDocument(shown, caller, now).take_back_until === null) {
      throw new Conflict('CONFLICT', 'This document cannot be taken back any more. Ask the lender to delete it.')
    }
    await updateDocument(tx, caller.id, id, { removed_at: now.toISOString() })
    await removeParts(tx, caller.id, id)
    await reopenRequest(tx, row)
    if (row.zoho_id !== null || row.sent_name !== null) {
      await jobs.enqueue(tx, removeDocument, { partnerId: caller.id, documentId: id })
    }
    await security(tx, 'document-taken-back', { detail: row.loid })
  })
  return { id }
}
