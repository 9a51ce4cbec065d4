import {
  beginUpload,
  completeUpload,
  listDocuments,
  openDocument,
  storePart,
  takeBack,
} from '@portal/contract/documents.ts'
import { pullDocumentsOf } from '../../crm/pull/pull-documents.ts'
import type { Deps } from '../../deps.ts'
import { NotFound } from '../../platform/errors.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { findDocumentedRecord, findDocuments } from '../../records/documents/documents.queries.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { beginDocument } from './begin-upload.ts'
import { completeDocument } from './complete-upload.ts'
import { openPartnersDocument } from './open-document.ts'
import { shownDocument } from './shown-document.ts'
import { storeDocument } from './store-part.ts'
import { takeDocumentBack } from './take-back.ts'

/** Each costs the CRM a credit (D100). */
const OPENED = {
  name: 'documents-opened',
  points: 60,
  seconds: 3_600,
  text: 'You have opened 60 documents within an hour. Please try again later.',
}

export function documentRoutes(mount: Mount, deps: Deps): void {
  const { db, reads, clock, config } = deps

  mount(listDocuments, async (call) => {
    const { partner, params } = call
    const record = await findDocumentedRecord(db, partner.id, params.loid)
    if (!record) throw new NotFound('Lead or deal not found')
    await pullDocumentsOf(deps, partner.id, record.loid, { count: () => limitPartner(deps, call, 'looks') })
    const rows = await findDocuments(reads, partner.id, record.loid)
    const now = clock.now()
    return { documents: rows.map((row) => shownDocument(row, partner, now)), file_mb_max: config.documentMbMax }
  })
  mount(beginUpload, async (call) => {
    const { partner, params, body } = call
    await limitPartner(deps, call, 'documents')
    const { document, parts } = await beginDocument(deps, partner, params.loid, body)
    return { document: shownDocument({ ...document, is_settled: false }, partner, clock.now()), parts }
  })
  mount(storePart, ({ partner, params, query, bytes }) =>
    storeDocument(deps, partner.id, { id: params.id, number: query.number, read: bytes }),
  )
  mount(completeUpload, async ({ partner, params, security }) => {
    const document = await completeDocument(deps, partner, params.id, security)
    return { document: shownDocument({ ...document, is_settled: false }, partner, clock.now()) }
  })
  mount(takeBack, ({ partner, params, security }) => takeDocumentBack(deps, partner, params.id, security))
  mount(openDocument, async ({ partner, params, limit, security }) => {
    await limit(OPENED, partner.personId)
    const { loid, file } = await openPartnersDocument(deps, partner.id, params.id)
    await security(db, 'document-opened', { detail: loid })
    return file
  })
}
