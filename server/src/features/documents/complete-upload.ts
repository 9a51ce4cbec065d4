import { DOCUMENT_PART_BYTES } from '@portal/contract/documents.ts'
import { needsAnswer } from '@portal/contract/requests.ts'
import PQueue from 'p-queue'
import { pushDocument } from '../../crm/push/push-document.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/ids.ts'
import type { DocumentRow } from '../../platform/db/tables.ts'
import { withinBudget } from '../../platform/db/time-budget.ts'
import { Conflict, NotFound } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { documentName } from '../../records/documents/document-name.ts'
import {
  findDocument,
  findDocumentedRecord,
  lockDocument,
  updateDocument,
} from '../../records/documents/documents.queries.ts'
import { findPartNumbers, readDocumentParts, readPart, removeParts } from '../../records/documents/uploads.queries.ts'
import { recordEvent } from '../../records/events/events.ts'
import { isAnsweredByFile, lockRequest } from '../../records/requests/requests.queries.ts'
import { settleRequest } from '../requests/answer-request.ts'
import { partBytes } from './begin-upload.ts'
import { type Judged, judgeContent } from './judge-content.ts'
import { DOCUMENT_TYPES, type StoredFile } from './stored-file.ts'

/** Unpacking takes a processor, so a process judges few files at a time. */
const judging = new PQueue({ concurrency: 2 })
/** The files that are being judged, by their ids: a call that is repeated meanwhile gets the same verdict. */
const underWay = new Map<string, Promise<Judged>>()

/**
 * Judges a file whose parts are all there, and sends it on its way: the document, its events, the answer to its request and
 * the job that pushes it are one transaction. A file that is refused keeps the reason and loses its content. A repeated
 * call changes nothing.
 */
export async function completeDocument(
  deps: Deps,
  caller: SessionCaller,
  id: string,
  security: NoteSecurity,
): Promise<DocumentRow> {
  const { db } = deps
  const document = isId(id) ? await findDocument(db, caller.id, id) : undefined
  if (!document || document.removed_at !== null || document.sha256 === null) throw new NotFound('Document not found')
  if (document.state !== 'uploading') return document
  const parts = await findPartNumbers(db, caller.id, id)
  if (parts.length < Math.ceil(document.size / DOCUMENT_PART_BYTES)) {
    throw new Conflict('CONFLICT', 'Some parts of the file have not arrived.')
  }
  const judged = await judge(deps, document)
  await db.transaction().execute(async (tx) => {
    const row = await lockDocument(tx, caller.id, id)
    if (row?.state !== 'uploading') return
    const refusal = refusalOf(row, judged)
    if (refusal !== undefined || !('type' in judged)) {
      await updateDocument(tx, caller.id, id, { state: 'failed', problem: refusal ?? '' })
      await removeParts(tx, caller.id, id)
      return
    }
    await send(tx, deps, caller, {
      ...row,
      name: documentName(row.name, DOCUMENT_TYPES[judged.type]),
      type: judged.type,
    })
    await security(tx, 'document-uploaded', { detail: row.loid })
  })
  return (await findDocument(db, caller.id, id)) ?? document
}

/** Reading a large file may take longer than a request's time for the database, so it does not count against that. */
function judge(deps: Pick<Deps, 'db'>, document: DocumentRow): Promise<Judged> {
  const joined =
    underWay.get(document.id) ??
    judging
      .add(() => withinBudget(undefined, () => judgeContent(storedFile(deps, document))))
      .finally(() => underWay.delete(document.id))
  underWay.set(document.id, joined)
  return joined
}

function refusalOf({ sha256 }: DocumentRow, judged: Judged): string | undefined {
  if (judged.sha256 !== sha256) return 'The file changed while it was sent. Choose it again.'
  return 'refusal' in judged ? judged.refusal : undefined
}

async function send(tx: Tx, deps: Deps, caller: SessionCaller, document: DocumentRow): Promise<void> {
  const { id, loid, name, type, request_id } = document
  const record = await findDocumentedRecord(tx, caller.id, loid)
  if (!record) throw new NotFound('Lead or deal not found')
  const at = deps.clock.now().toISOString()
  const request = request_id === null ? undefined : await lockRequest(tx, caller.id, request_id)
  const answered_at = request ? await answer(tx, deps, caller, request) : null
  await updateDocument(tx, caller.id, id, { state: 'pending', name, type, answered_at, added_at: at })
  await recordEvent(tx, {
    partnerId: caller.id,
    loid: record.loid,
    type: 'document.added',
    data: {
      on: record.on,
      business_name: record.business_name,
      document_id: id,
      document_name: name,
      request_id,
      submitted_by: caller.submitter.name,
    },
    personId: caller.personId,
    at,
  })
  await deps.jobs.enqueue(tx, pushDocument, { partnerId: caller.id, documentId: id })
}

/** When the files that this one belongs to answered the request; null if a note did, or the lender no longer waits. */
async function answer(
  tx: Tx,
  deps: Deps,
  caller: SessionCaller,
  request: Parameters<typeof settleRequest>[3],
): Promise<string | null> {
  if (needsAnswer(request)) return settleRequest(tx, deps, caller, request)
  const isFurther = request.state === 'sent' && (await isAnsweredByFile(tx, caller.id, request))
  return isFurther ? request.answered_at : null
}

/** The file in its parts. The last part that was read is kept, as an archive is read in small pieces. */
function storedFile({ db }: Pick<Deps, 'db'>, { partner_id, id, size }: DocumentRow): StoredFile {
  let last: { number: number; content: Buffer } | undefined
  async function part(number: number): Promise<Buffer> {
    if (last?.number !== number) {
      last = { number, content: Buffer.concat(await readPart(db, partner_id, { id, number })) }
    }
    return last.content
  }
  return {
    size,
    pieces: () => readDocumentParts(db, partner_id, id),
    async read(from, length) {
      const pieces: Buffer[] = []
      const end = Math.min(size, from + length)
      for (let at = from; at < end; ) {
        const number = Math.floor(at / DOCUMENT_PART_BYTES)
        const start = at - number * DOCUMENT_PART_BYTES
        const piece = (await part(number)).subarray(start, Math.min(partBytes(size, number), start + end - at))
        pieces.push(piece)
        at += piece.byteLength
      }
      return Buffer.concat(pieces)
    },
  }
}
