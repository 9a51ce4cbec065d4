import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { insertSet } from '../../platform/db/row-sets.ts'
import type { DocumentRow } from '../../platform/db/tables.ts'
import type { CrmAttachment } from '../../records/crm-records.ts'
import { plainName, typeOfName } from '../../records/documents/document-name.ts'
import {
  type DocumentedRecord,
  findDocumentedRecord,
  lockDocumentsOfAttachmentsOfAnyPartner,
  markDocumentsDeleted,
  moveDocument,
  removeLendersDocuments,
} from '../../records/documents/documents.queries.ts'
import { lockUploads } from '../../records/documents/uploads.queries.ts'
import { recordEvents } from '../../records/events/events.ts'

interface Looked {
  partnerId: string
  loid: string
  listed: readonly CrmAttachment[]
  /** Whether every place was listed, so that a file that is missing is gone. */
  isWhole: boolean
  /** The ids of the partner's own documents that the lender has deleted. */
  deleted?: readonly string[]
  isNews: boolean
}

/**
 * Applies the files that a look at a referral has found (D103). The lender's files are shown if they are meant for the
 * partner; the partner's own are followed where a conversion has moved them. Files that the lender has deleted go, and the
 * partner's own say so.
 */
export async function applyAttachments(
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
  { partnerId, loid, listed, isWhole, deleted = [], isNews }: Looked,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockUploads(tx, partnerId)
    const record = await findDocumentedRecord(tx, partnerId, loid)
    // The record was removed or erased in the meantime.
    if (!record) return
    const known = await lockDocumentsOfAttachmentsOfAnyPartner(tx, record.loid, listed)
    const byZohoId = new Map(known.map((row) => [row.zoho_id, row]))
    // A file whose answer was lost came from a partner, whatever its name is.
    const sent = new Set(known.filter((row) => row.zoho_id === null).map((row) => `${row.sent_name} ${row.size}`))
    const added = listed.filter((one) => {
      return isForPartner(config, one) && !byZohoId.has(one.zoho_id) && !sent.has(`${one.name} ${one.size}`)
    })
    for (const one of listed) {
      const row = byZohoId.get(one.zoho_id)
      if (!row) continue
      const isElsewhere = row.crm_record !== one.record_zoho_id || row.crm_module !== one.module
      const isOthers = row.partner_id !== partnerId || row.loid !== record.loid
      const isTaken = isOthers && (row.sha256 === null || (await isMerged(tx, row, partnerId)))
      // The API user may have lost the right to see it for a while.
      const isBack = (row.sha256 === null && row.removed_at !== null) || row.deleted_at !== null
      if (isElsewhere || isTaken || isBack)
        await moveDocument(
          tx,
          row,
          one,
          isTaken ? { partnerId, loid: record.loid } : { partnerId: row.partner_id, loid: row.loid },
        )
    }
    if (isWhole) {
      const there = listed.map(({ zoho_id }) => zoho_id)
      await removeLendersDocuments(tx, partnerId, record.loid, { there, at: clock.now().toISOString() })
    }
    await markDocumentsDeleted(tx, partnerId, deleted, clock.now().toISOString())
    const rows = added.map((one) => ({ id: newId(clock.now()), ...rowOf(one, partnerId, record) }))
    const ids = await insertSet(tx, 'documents', rows)
    const events = rows.filter((row) => isNews && ids.has(row.id)).map((row) => addedEvent(row, record, clock.now()))
    await recordEvents(tx, events)
  })
}

/** Whether this file is the partner's own and its record is gone: staff have merged it into the one that has the file now. */
async function isMerged(tx: Tx, row: DocumentRow, partnerId: string): Promise<boolean> {
  return row.partner_id === partnerId && !(await findDocumentedRecord(tx, partnerId, row.loid))
}

const PARTNER = /^partner/i

/** Whether the lender means a file for the partner (D103). */
export function isForPartner(
  { crmDocuments }: Pick<Deps['config'], 'crmDocuments'>,
  { name }: Pick<CrmAttachment, 'name'>,
): boolean {
  return crmDocuments === 'all' || PARTNER.test(name)
}

function rowOf(one: CrmAttachment, partnerId: string, { loid }: DocumentedRecord) {
  return {
    partner_id: partnerId,
    loid,
    added_by: one.added_by,
    name: plainName(one.name),
    size: one.size,
    type: typeOfName(one.name),
    state: 'synced',
    added_at: one.added_at,
    zoho_id: one.zoho_id,
    crm_module: one.module,
    crm_record: one.record_zoho_id,
  }
}

function addedEvent(row: ReturnType<typeof rowOf> & { id: string }, record: DocumentedRecord, now: Date) {
  const { on, business_name, loid } = record
  return {
    partnerId: row.partner_id,
    loid,
    type: 'document.added' as const,
    data: {
      on,
      business_name,
      document_id: row.id,
      document_name: row.name,
      request_id: null,
      submitted_by: null,
    },
    at: now.toISOString(),
  }
}
