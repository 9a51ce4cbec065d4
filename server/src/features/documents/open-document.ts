import { pipeline, Readable, Transform } from 'node:stream'
import { pullDocumentsOf } from '../../crm/pull/pull-documents.ts'
import { asOpened } from '../../crm/zoho/call-order.ts'
import type { Deps } from '../../deps.ts'
import { countBytes } from '../../platform/collect-bytes.ts'
import { isId } from '../../platform/db/ids.ts'
import { NotFound } from '../../platform/errors.ts'
import { OpenedFile } from '../../platform/http/mount.ts'
import { findDocument, findDocumentedRecord } from '../../records/documents/documents.queries.ts'
import { readDocumentParts } from '../../records/documents/uploads.queries.ts'

/** The CRM has to begin its answer within this time. */
const ANSWER_MS_MAX = 20_000

/** Opens a document: as it arrives from the CRM, or from the portal while the file is on its way (D104). */
export async function openPartnersDocument(
  deps: Deps,
  partnerId: string,
  id: string,
  canMove = true,
): Promise<{ loid: string; file: OpenedFile }> {
  const { db, crm } = deps
  const document = isId(id) ? await findDocument(db, partnerId, id) : undefined
  if (!document || document.removed_at !== null) throw new NotFound('Document not found')
  // The lender may have taken the record from the partner, or given it to another one.
  if (!(await findDocumentedRecord(db, partnerId, document.loid))) throw new NotFound('Document not found')
  const { name, type, state, zoho_id, crm_record } = document
  const answer = (stream: Readable) => {
    return { loid: document.loid, file: new OpenedFile(name, type ?? 'application/octet-stream', counted(stream)) }
  }
  if (state === 'pending') return answer(Readable.from(readDocumentParts(db, partnerId, id)))
  if (state !== 'synced' || zoho_id === null || crm_record === null) throw new NotFound('Document not found')
  const module = MODULES.find((one) => one === document.crm_module) ?? 'Leads'
  const place = { module, record_zoho_id: crm_record, zoho_id }
  const waiting = AbortSignal.timeout(ANSWER_MS_MAX)
  const content = await asOpened(() => crm.openAttachment(place, waiting))
  if (!content && canMove) {
    // A conversion may have moved the file.
    await pullDocumentsOf(deps, partnerId, document.loid, { isWanted: true })
    return openPartnersDocument(deps, partnerId, id, false)
  }
  if (!content) throw new NotFound('The lender does not have this document any more.')
  return answer(content)
}

function counted(stream: Readable): Readable {
  const counting = new Transform({
    transform(piece: Buffer, _encoding, done) {
      countBytes(piece.byteLength)
      done(null, piece)
    },
  })
  // An error ends both, and the answer with them.
  pipeline(stream, counting, () => undefined)
  return counting
}

const MODULES = ['Leads', 'Deals', 'Contacts'] as const
