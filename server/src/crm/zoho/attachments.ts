import { Readable } from 'node:stream'
import * as z from 'zod/mini'
import type { Clock } from '../../platform/clock.ts'
import { cutText } from '../../platform/cut-text.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { AttachmentPlace, CrmAttachment } from '../../records/crm-records.ts'
import { isMissing, readResults, refusal } from './answers.ts'
import { readItems } from './api.ts'
import { errorCode, type FileToSend, type ZohoAnswer } from './client.ts'
import { CrmFileRefused, CrmForbidden, CrmRefused, CrmStorageFull } from './errors.ts'
import { moduleName } from './field-map.ts'
import type { ZohoParts } from './parts.ts'
import { readLookupId, readParent } from './wire.ts'
import { ZohoId, ZohoInstant } from './wire-values.ts'

export interface Attachments {
  /** The files of a record, without links. Null while the record is in the recycle bin. */
  listAttachments(place: AttachmentPlace, signal?: AbortSignal): Promise<CrmAttachment[] | null>
  /**
   * The files of a record, and then of the deal and the contact if it is a lead that was converted, because a conversion
   * may move them. Null stands for a record that the CRM does not show, so that its files are not known.
   */
  followAttachments(place: AttachmentPlace, signal?: AbortSignal): AsyncIterable<CrmAttachment[] | null>
  /**
   * Pages of the files that have been attached to the organisation's leads and deals since this time, the newest first.
   * Throws `AttachmentsNotListed` if Zoho does not list them. After a refusal it is asked again a day later.
   */
  attachmentPagesSince(since: string, signal?: AbortSignal): AsyncIterable<CrmAttachment[]>
  /**
   * Sends a file and returns its id. The call is not repeated, so that no file arrives twice: throws `CrmUnanswered` if
   * the file may have arrived, `CrmFileRefused` if the CRM does not take this file, and `CrmStorageFull` if it has no room
   * for any.
   */
  attach(place: AttachmentPlace, file: FileToSend, signal?: AbortSignal): Promise<string>
  /**
   * The content of a file, as it arrives. Null if the CRM does not have the file there. The signal ends the wait for the
   * beginning of the content.
   */
  openAttachment(place: AttachmentPlace & { zoho_id: string }, signal?: AbortSignal): Promise<Readable | null>
  /** Deletes a file. A file that is not there any more is no error. */
  removeAttachment(place: AttachmentPlace & { zoho_id: string }, signal?: AbortSignal): Promise<void>
  /** The contact that a conversion made together with this deal. Undefined if the contact is older or newer. */
  findContactMadeWithDeal(
    dealZohoId: string,
    signal?: AbortSignal,
  ): Promise<{ zoho_id: string; made_at: string } | undefined>
}

/** Only some organisations may list the attachments of all records (D103). */
export class AttachmentsNotListed extends Error {
  override name = 'AttachmentsNotListed'
}

const FIELDS = 'id,File_Name,Size,Created_Time,Created_By,$type'
/** A look at all attachments reads at most this many pages. Any others are found when their record is opened. */
const PAGES_OF_ALL_MAX = 10
const REFUSED_MS = 86_400_000
/** Zoho's limit for a file's name. */
export const ATTACHMENT_NAME_LENGTH_MAX = 250
/** A conversion makes its records in this time. */
const TOGETHER_MS = 5_000

const WireAttachment = z.object({
  id: ZohoId,
  File_Name: z.string(),
  // Zoho sends the size as text.
  Size: z.pipe(z.union([z.string(), z.number()]), z.transform(Number)),
  Created_Time: ZohoInstant,
  Created_By: z.catch(z.nullish(z.object({ name: z.nullish(z.string()) })), null),
  $type: z.catch(z.nullish(z.string()), null),
})

export function openAttachments(
  { api, fieldMap }: Pick<ZohoParts, 'api' | 'fieldMap'>,
  { api: readingApi }: Pick<ZohoParts, 'api'>,
  crmClock: Clock,
): Attachments {
  function nameOf({ module }: AttachmentPlace): string {
    return module === 'Contacts'
      ? module
      : module === 'Partners'
        ? fieldMap.partners.module
        : moduleName(fieldMap, module)
  }

  function pathOf(place: AttachmentPlace): string {
    return `${nameOf(place)}/${place.record_zoho_id}/Attachments`
  }

  /** When Zoho last refused to list the attachments of all records. */
  let refusedAt = Number.NEGATIVE_INFINITY

  async function timeOf(path: string, fields: string, signal?: AbortSignal) {
    const answer = await readingApi.get(path, { fields }, { signal })
    const [row] = isMissing(answer) ? [] : readItems(answer).items
    const at = z.object({ Created_Time: ZohoInstant }).safeParse(row).data?.Created_Time
    return at === undefined ? undefined : { row, at }
  }

  async function listAttachments(place: AttachmentPlace, signal?: AbortSignal): Promise<CrmAttachment[] | null> {
    const all: CrmAttachment[] = []
    let isThere = false
    for await (const rows of api.pages(pathOf(place), { fields: FIELDS }, { signal })) {
      isThere = true
      all.push(...rows.flatMap((raw) => readAttachment(raw, place)))
    }
    return isThere ? all : null
  }

  /** What a conversion has made of a lead; nothing of any other record. Null if the CRM does not show the record. */
  async function findMadeOf(place: AttachmentPlace, signal?: AbortSignal): Promise<AttachmentPlace[] | null> {
    const query = { ids: place.record_zoho_id, approved: 'both' }
    if (place.module !== 'Leads') {
      const rows = await api.items(nameOf(place), { ...query, fields: 'Created_Time' }, { signal })
      return rows.length > 0 ? [] : null
    }
    const fields = 'Converted_Deal,Converted_Contact'
    const [lead] = await api.items(nameOf(place), { ...query, fields, converted: 'both' }, { signal })
    if (lead === undefined) return null
    return (['Deals', 'Contacts'] as const).flatMap((module) => {
      const record_zoho_id = readLookupId(lead, module === 'Deals' ? 'Converted_Deal' : 'Converted_Contact')
      return record_zoho_id === null ? [] : { module, record_zoho_id }
    })
  }

  async function* followAttachments(
    place: AttachmentPlace,
    signal?: AbortSignal,
  ): AsyncGenerator<CrmAttachment[] | null> {
    const there = await listAttachments(place, signal)
    yield there
    // The record is read after its files, because it may be converted in between. To a list of files, Zoho answers alike
    // that a record has none and that the API user may not see it.
    const made = there && (await findMadeOf(place, signal))
    if (!made) yield null
    for (const next of made ?? []) yield* followAttachments(next, signal)
  }

  return {
    listAttachments,
    followAttachments,

    async *attachmentPagesSince(since, signal) {
      if (crmClock.now().getTime() - refusedAt < REFUSED_MS)
        throw new AttachmentsNotListed('The CRM has refused the list before.')
      const query = { fields: `${FIELDS},Parent_Id`, sort_by: 'Modified_Time', sort_order: 'desc' }
      let pages = 0
      try {
        for await (const rows of readingApi.pages('Attachments', query, { signal })) {
          const files = rows.flatMap((raw) => {
            const parent = readParent(raw)
            const module = (['Leads', 'Deals'] as const).find((one) => moduleName(fieldMap, one) === parent?.module)
            return parent && module ? readAttachment(raw, { module, record_zoho_id: parent.zoho_id }) : []
          })
          const recent = files.filter((one) => one.added_at >= since)
          if (recent.length > 0) yield recent
          pages += 1
          if (recent.at(-1) !== files.at(-1) || pages === PAGES_OF_ALL_MAX) return
        }
      } catch (error) {
        if (!(error instanceof CrmRefused || error instanceof CrmForbidden)) throw error
        refusedAt = crmClock.now().getTime()
        throw new AttachmentsNotListed(error.message, { cause: error })
      }
    },

    async attach(place, file, signal) {
      const name = cutText(file.name, ATTACHMENT_NAME_LENGTH_MAX)
      const answer = await api.upload(pathOf(place), { ...file, name }, signal)
      if (answer.status >= 300) throw fileRefusal(answer)
      const [result] = readResults(answer)
      if (result && 'zohoId' in result) return result.zohoId
      throw new CrmUnavailable('The CRM’s answer cannot be read.')
    },

    async openAttachment({ zoho_id, ...place }, signal) {
      const waiting = new AbortController()
      const stopWaiting = () => waiting.abort(signal?.reason)
      signal?.addEventListener('abort', stopWaiting)
      const answer = await readingApi
        .open(`${pathOf(place)}/${zoho_id}`, waiting.signal)
        .finally(() => signal?.removeEventListener('abort', stopWaiting))
      if (isMissing(answer)) return null
      if (answer.status !== 200) throw refusal(answer)
      if (!(answer.body instanceof Readable)) throw new CrmUnavailable('The CRM’s answer cannot be read.')
      return answer.body
    },

    async removeAttachment({ zoho_id, ...place }, signal) {
      const answer = await api.remove(`${pathOf(place)}/${zoho_id}`, signal)
      if (answer.status >= 300 && !isMissing(answer)) throw refusal(answer)
    },

    async findContactMadeWithDeal(dealZohoId, signal) {
      const deal = await timeOf(`${fieldMap.deals.module}/${dealZohoId}`, 'Contact_Name,Created_Time', signal)
      const zoho_id = deal && readLookupId(deal.row, 'Contact_Name')
      const contact = zoho_id && (await timeOf(`Contacts/${zoho_id}`, 'Created_Time', signal))
      if (!deal || !contact || Math.abs(Date.parse(contact.at) - Date.parse(deal.at)) > TOGETHER_MS) return undefined
      return { zoho_id, made_at: contact.at }
    },
  }
}

/** Nothing for a link, or for a file that cannot be read. */
function readAttachment(raw: unknown, { module, record_zoho_id }: AttachmentPlace): CrmAttachment[] {
  const row = WireAttachment.safeParse(raw).data
  if (!row || row.$type === 'Link') return []
  return [
    {
      module,
      record_zoho_id,
      zoho_id: row.id,
      name: row.File_Name.replaceAll('\u0000', '').toWellFormed(),
      size: Number.isFinite(row.Size) ? row.Size : 0,
      added_by: row.Created_By?.name ?? null,
      added_at: row.Created_Time,
    },
  ]
}

/**
 * Why the CRM does not take a file. Zoho does not document the code for a full storage, so any code or message that names
 * the storage says it.
 */
function fileRefusal(answer: ZohoAnswer): Error {
  const code = errorCode(answer.body)
  const words = `${code} ${z.catch(z.object({ message: z.string() }), { message: '' }).parse(answer.body).message}`
  if (answer.status === 413 || /SIZE/.test(code))
    return new CrmFileRefused('The file is too large for the lender’s CRM.')
  if (code === 'VIRUS_DETECTED') return new CrmFileRefused('The lender’s CRM found a virus in the file.')
  if (/storage/i.test(words)) return new CrmStorageFull('The lender’s CRM has no room for files at the moment.')
  if (isMissing(answer)) return new CrmUnavailable('The record is in the recycle bin.')
  return refusal(answer)
}
