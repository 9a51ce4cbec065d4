import { DOCUMENT_PART_BYTES, DOCUMENTS_MAX, DOCUMENTS_WAITING_MB } from '@portal/contract/documents.ts'
import { HOLDS } from '@portal/contract/holds.ts'
import { needsAnswer } from '@portal/contract/requests.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import type { DocumentRow } from '../../platform/db/tables.ts'
import { Conflict, NotFound, PortalError } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { plainName } from '../../records/documents/document-name.ts'
import {
  findDocumentedRecord,
  findSameDocument,
  insertDocument,
  lockDocument,
  updateDocument,
} from '../../records/documents/documents.queries.ts'
import { countUploads, findPartNumbers, lockUploads } from '../../records/documents/uploads.queries.ts'
import { holdOf } from '../../records/partners/hold-of.ts'
import { findPartnerToPush } from '../../records/partners/partners-in-crm.queries.ts'
import { lockRequest } from '../../records/requests/requests.queries.ts'
import { CLOSED } from '../requests/answer-request.ts'

interface NewDocument {
  name: string
  size: number
  sha256: string
  request_id?: string | null | undefined
}

const MB = 1024 * 1024

/**
 * Begins an upload, or returns the record's document with the same content: one that was begun goes on, and one that is
 * there is not sent again (D101). Throws if the file is too large or a limit of D100 is reached.
 */
export async function beginDocument(
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
  caller: SessionCaller,
  loid: string,
  { name, size, sha256, request_id = null }: NewDocument,
): Promise<{ document: DocumentRow; parts: number[] }> {
  if (size > config.documentMbMax * MB) {
    throw new PortalError(413, 'PAYLOAD_TOO_LARGE', `The file is larger than ${config.documentMbMax} MB.`)
  }
  return db.transaction().execute(async (tx) => {
    const record = await findDocumentedRecord(tx, caller.id, loid)
    if (!record) throw new NotFound('Lead or deal not found')
    await lockUploads(tx, caller.id)
    await refuseUnconnected(tx, caller.id)
    const found = await findSameDocument(tx, caller.id, { loid: record.loid, sha256 })
    // The completion of an upload also locks the document before the request.
    const same = found && (await lockDocument(tx, caller.id, found.id))
    const request = request_id === null ? undefined : await lockRequest(tx, caller.id, request_id)
    if (request_id !== null && request?.owner.loid !== record.loid) throw new NotFound('Request not found')
    if (same && same.state !== 'uploading') {
      if (request && needsAnswer(request)) throw new Conflict('CONFLICT', sentAlready(same))
      return { document: same, parts: await findPartNumbers(tx, caller.id, same.id) }
    }
    if (request && !needsAnswer(request) && request.state !== 'sent') {
      throw new Conflict('CONFLICT', CLOSED[request.state])
    }
    if (same) {
      const changed = request && { request_id: request.id }
      if (changed) await updateDocument(tx, caller.id, same.id, changed)
      return { document: { ...same, ...changed }, parts: await findPartNumbers(tx, caller.id, same.id) }
    }
    const now = clock.now()
    const used = await countUploads(tx, caller.id, { loid: record.loid, personId: caller.personId, now })
    if (used.of_record >= DOCUMENTS_MAX) {
      throw new Conflict(
        'CONFLICT',
        `This ${record.on} has ${DOCUMENTS_MAX} documents, which is the most there may be.`,
      )
    }
    const personMbMax = Math.max(DOCUMENTS_WAITING_MB / 2, 2 * config.documentMbMax)
    if (used.of_person + size > personMbMax * MB) {
      throw new Conflict(
        'CONFLICT',
        `You would be sending more than ${personMbMax} MB at a time. Wait until some of your files have arrived.`,
      )
    }
    refuseFull(config, { of_partner: used.of_partner + size, of_all: used.of_all + size })
    const document = {
      id: newId(now),
      partner_id: caller.id,
      loid: record.loid,
      person_id: caller.personId,
      added_by: caller.submitter.name,
      request_id,
      answered_at: null,
      // The content decides on the extension when the file is there.
      name: plainName(name),
      size,
      type: null,
      sha256,
      state: 'uploading' as const,
      problem: null,
      added_at: now.toISOString(),
      continued_at: now.toISOString(),
      zoho_id: null,
      crm_module: null,
      crm_record: null,
    }
    await insertDocument(tx, document)
    return {
      document: { ...document, arrived: 0, sent_name: null, sent_at: null, removed_at: null, deleted_at: null },
      parts: [],
    }
  })
}

function sentAlready({ name }: DocumentRow): string {
  return `This file was sent already, as “${name}”. Reply in words, or choose another file.`
}

/** Only a partner that the lender knows sends files (D100). */
async function refuseUnconnected(tx: Tx, partnerId: string): Promise<void> {
  const partner = await findPartnerToPush(tx, partnerId)
  if (!partner) throw new NotFound('Lead or deal not found')
  if (!partner.email_verified)
    throw new Conflict('CONFIRM_EMAIL', 'Confirm your email address first: then you can send files.')
  const hold = holdOf(partner)
  if (hold) throw new Conflict(HOLDS[hold].code, HOLDS[hold].text)
}

/** Throws if the files on their way to the CRM would be too large together (D100). */
export function refuseFull(
  { documentsWaitingGbMax }: Pick<Deps['config'], 'documentsWaitingGbMax'>,
  { of_partner, of_all }: { of_partner: number; of_all: number },
): void {
  if (of_partner > DOCUMENTS_WAITING_MB * MB) {
    throw new Conflict(
      'CONFLICT',
      `Your files on their way to the lender would be more than ${DOCUMENTS_WAITING_MB} MB. Wait until some of them have arrived.`,
    )
  }
  if (of_all > documentsWaitingGbMax * 1024 * MB) {
    throw new PortalError(503, 'UNAVAILABLE', 'Too many files are on their way to the lender. Please try again later.')
  }
}

/** How many bytes this part of a file has. Zero if the file has no such part. */
export function partBytes(size: number, number: number): number {
  return Math.max(0, Math.min(DOCUMENT_PART_BYTES, size - number * DOCUMENT_PART_BYTES))
}
