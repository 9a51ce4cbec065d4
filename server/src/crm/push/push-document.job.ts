import type { Deps } from '../../deps.ts'
import { scanFile } from '../../platform/clamd.ts'
import { underLease } from '../../platform/db/lease.ts'
import type { DocumentRow } from '../../platform/db/tables.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { defineJob, NotYet } from '../../platform/jobs/define-job.ts'
import type { AttachmentPlace, CrmAttachment } from '../../records/crm-records.ts'
import { nameInCrm } from '../../records/documents/document-name.ts'
import {
  clearDocumentSent,
  findDocument,
  findOtherDocumentsOfAnyPartner,
  markDocumentPushed,
  markDocumentSent,
  updateDocument,
} from '../../records/documents/documents.queries.ts'
import { readDocumentParts, removeParts } from '../../records/documents/uploads.queries.ts'
import { NOT_TAKEN } from '../../records/kinds/not-taken.queries.ts'
import { WITHDRAWN } from '../../records/leads/lead-changes.queries.ts'
import { isWithdrawn } from '../../records/leads/leads.queries.ts'
import { findNotedRecordsOfAnyPartner, findRecordStateOfAnyPartner } from '../../records/notes/notes.queries.ts'
import { findPartnerToPush } from '../../records/partners/partners-in-crm.queries.ts'
import { findRequestOfAnyPartner, reopenRequest } from '../../records/requests/requests.queries.ts'
import { DOCUMENT_QUEUE } from '../queues.ts'
import { CrmFileRefused, CrmRefused, CrmStorageFull, CrmUnanswered } from '../zoho/errors.ts'
import { givingUpWhenRefused } from './giving-up-when-refused.ts'
import { letOthersGo, waitForTry } from './one-tries-for-all.ts'
import { NOT_REACHED, PUSH_RETRY } from './push-retry.ts'
import { noteRefused } from './refused-pushes.queries.ts'
import { waitForOthers } from './wait-for-others.ts'

/** How soon the CRM is asked again whether it has a file that was sent without an answer. */
const LOOK_AFTER_SECONDS = 10
const STORAGE_FULL_SECONDS = 86_400
const RECORD_AWAY = 'The lender has removed the record. The file is sent if the record comes back.'
const DOCUMENT_LEASE = { leaseMs: 15_000, workMsMax: 600_000, waitMs: 5_000 }

export function documentLease(documentId: string, signal: AbortSignal) {
  return { name: `push-document ${documentId}`, ...DOCUMENT_LEASE, signal }
}

/**
 * Pushes a file to the CRM once, under a lease (D102). Zoho has no key that makes an upload repeatable, so the record's files
 * are listed first: after an answer that was lost, the file is one with the name and size that were sent. What the CRM
 * refuses of the file itself is said on the file, and is not tried again; any other refusal passes (D125).
 */
export const pushDocument = defineJob({
  ...DOCUMENT_QUEUE,
  retry: PUSH_RETRY,
  concurrency: 2,
  async run(deps, { partnerId, documentId }, signal) {
    const { db } = deps
    const find = async () => {
      const document = await findDocument(db, partnerId, documentId)
      return document?.state === 'pending' && document.removed_at === null ? document : undefined
    }
    const look = async () => ((await find()) ? undefined : {})
    const pushed = await underLease(db, documentLease(documentId, signal), look, async (untilLeaseEnds) => {
      const document = await find()
      if (document) {
        await givingUpWhenRefused(push(deps, document, untilLeaseEnds), {
          markFailed: (problem) => fail(deps, document, problem),
          async markNotTaken(cause) {
            await updateDocument(db, partnerId, documentId, { problem: NOT_TAKEN })
            await noteRefused(db, { partnerId, kind: 'documents', record: documentId }, cause, deps.clock.now())
          },
        })
      }
      return {}
    })
    if (!pushed) throw new CrmUnavailable('Another push of the document is under way.')
  },
  async giveUp({ db, jobs }, payload) {
    const document = await findDocument(db, payload.partnerId, payload.documentId)
    if (document?.state !== 'pending') return
    const isAwaited = (await findRecordStateOfAnyPartner(db, document.loid)) !== 'there'
    if (isAwaited || document.problem === NOT_TAKEN || document.problem === RECORD_AWAY) {
      await jobs.enqueue(db, DOCUMENT_QUEUE, payload)
    } else await fail({ db }, document, NOT_REACHED)
  },
})

async function push(deps: Deps, document: DocumentRow, signal: AbortSignal): Promise<void> {
  const { db, jobs, crm } = deps
  const { id, partner_id } = document
  const partner = await findPartnerToPush(db, partner_id)
  // The account is closed, or another push will be queued when the partner is connected.
  if (!partner || partner.crm === 'held') return
  await waitForOthers(deps, partner_id)
  if (document.problem === NOT_TAKEN) await waitForTry(deps, { partnerId: partner_id, kind: 'documents', record: id })
  if (await isWithdrawn(db, partner_id, document.loid)) return fail(deps, document, WITHDRAWN)
  if ((await findRecordStateOfAnyPartner(db, document.loid)) === 'gone') return waitForRecord(deps, document)
  const records = await findNotedRecordsOfAnyPartner(db, document.loid)
  const [record] = records
  if (!record) throw new NotYet('the document’s record has not reached the CRM yet')
  const places = records.map(({ module, zoho_id }) => ({ module, record_zoho_id: zoho_id }))
  const place = { module: record.module, record_zoho_id: record.zoho_id }
  if (await isHeldByScanner(deps, document, signal)) return
  const lists = await listAll(deps, places, signal)
  if (!lists[0]) return waitForRecord(deps, document)
  const there = lists.flatMap((list) => list ?? [])
  const mine = await findSent(deps, document, there)
  if (mine) return arrived(deps, document, mine, mine.zoho_id)

  const request = document.request_id === null ? undefined : await findRequestOfAnyPartner(db, document.request_id)
  const taken = there.filter(({ record_zoho_id }) => record_zoho_id === record.zoho_id).map(({ name }) => name)
  const name = nameInCrm(document.name, request?.subject, taken)
  if (!(await markDocumentSent(db, id, name))) {
    await jobs.enqueue(db, DOCUMENT_QUEUE, { partnerId: partner_id, documentId: id }, LOOK_AFTER_SECONDS)
    return
  }
  const file = { name, size: document.size, read: () => readDocumentParts(db, partner_id, id) }
  try {
    await arrived(deps, document, place, await crm.attach(place, file, signal))
  } catch (error) {
    const isAnswered = error instanceof CrmFileRefused || error instanceof CrmRefused || isOf(error)
    if (isAnswered) await clearDocumentSent(db, id)
    if (error instanceof CrmFileRefused) return fail(deps, document, error.message)
    if (error instanceof CrmUnanswered && !signal.aborted) {
      // Most files whose answer is lost have arrived.
      const sent = await findSent(
        deps,
        { ...document, sent_name: name },
        (await crm.listAttachments(place, signal)) ?? [],
      )
      if (sent) return arrived(deps, document, sent, sent.zoho_id)
    }
    if (!(error instanceof CrmStorageFull)) throw error
    // The file stays here, and is tried daily.
    await updateDocument(db, partner_id, id, { problem: `${error.message} The portal tries again every day.` })
    await jobs.enqueue(db, DOCUMENT_QUEUE, { partnerId: partner_id, documentId: id }, STORAGE_FULL_SECONDS)
  }
}

async function waitForRecord({ db }: Pick<Deps, 'db'>, { id, partner_id }: DocumentRow): Promise<never> {
  await updateDocument(db, partner_id, id, { problem: RECORD_AWAY })
  throw new NotYet('the document’s record is in the recycle bin')
}

/** Whether the error says that the CRM has not taken the file. */
function isOf(error: unknown): boolean {
  return error instanceof CrmUnavailable && !(error instanceof CrmUnanswered)
}

/** The files of each of the records. Null for a record in the recycle bin. */
async function listAll({ crm }: Pick<Deps, 'crm'>, places: readonly AttachmentPlace[], signal: AbortSignal) {
  const lists: (CrmAttachment[] | null)[] = []
  for (const place of places) lists.push(await crm.listAttachments(place, signal))
  return lists
}

/** The file in the CRM that an earlier push of this document sent. */
async function findSent(
  { db }: Pick<Deps, 'db'>,
  { id, sent_name, size }: DocumentRow,
  there: readonly CrmAttachment[],
): Promise<CrmAttachment | undefined> {
  if (sent_name === null) return undefined
  const same = there.filter((one) => one.name === sent_name && one.size === size)
  const others = await findOtherDocumentsOfAnyPartner(
    db,
    id,
    same.map(({ zoho_id }) => zoho_id),
  )
  return same.find(({ zoho_id }) => !others.has(zoho_id))
}

async function arrived(deps: Deps, document: DocumentRow, place: AttachmentPlace, zohoId: string): Promise<void> {
  await deps.db.transaction().execute((tx) => markDocumentPushed(tx, document, place, zohoId))
  if (document.problem === NOT_TAKEN) await letOthersGo(deps, document.partner_id, 'documents', [document.id])
}

/** Keeps back what clamd did not find clean. A scanner that does not answer is asked again (D102). */
async function isHeldByScanner(deps: Deps, document: DocumentRow, signal: AbortSignal): Promise<boolean> {
  const { clamdUrl } = deps.config
  if (clamdUrl === undefined) return false
  const scanned = await scanFile(clamdUrl, readDocumentParts(deps.db, document.partner_id, document.id), signal)
  if (scanned === 'clean') return false
  if (scanned === 'no-answer') throw new NotYet('the virus scanner does not answer')
  const why =
    scanned === 'virus' ? 'A virus was found in the file.' : 'The file is too large to be checked for viruses.'
  await fail(deps, document, why)
  return true
}

function fail({ db }: Pick<Deps, 'db'>, { partner_id, id }: Pick<DocumentRow, 'partner_id' | 'id'>, problem: string) {
  return db.transaction().execute(async (tx) => {
    const document = await findDocument(tx, partner_id, id)
    if (document?.state !== 'pending') return
    await updateDocument(tx, partner_id, id, { state: 'failed', problem })
    await removeParts(tx, partner_id, id)
    await reopenRequest(tx, document)
  })
}
