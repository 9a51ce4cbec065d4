import * as z from 'zod/mini'
import { cutText } from '../../platform/cut-text.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { AttachmentPlace, CrmAttachment } from '../../records/crm-records.ts'
import { isMissing, readItems, readResults, refusal } from './answers.ts'
import { errorCode, type FileToSend, type ZohoAnswer } from './client.ts'
import { CrmFileRefused, CrmStorageFull } from './errors.ts'
import { moduleName } from './field-map.ts'
import type { ZohoParts } from './parts.ts'
import { readLookupId, ZohoId, ZohoInstant } from './wire.ts'

export interface Attachments {
  /** The files of a record, without links. Null while the record is in the recycle bin. */
  listAttachments(place: AttachmentPlace, signal?: AbortSignal): Promise<CrmAttachment[] | null>
  /**
   * Sends a file and returns its id. The call is not repeated, so that no file arrives twice: throws `CrmUnanswered` if
   * the file may have arrived, `CrmFileRefused` if the CRM does not take this file, and `CrmStorageFull` if it has no room
   * for any.
   */
  attach(place: AttachmentPlace, file: FileToSend, signal?: AbortSignal): Promise<string>
  /** The content of a file, as it arrives. Null if the CRM does not have the file there. */
  openAttachment(
    place: AttachmentPlace & { zoho_id: string },
    signal?: AbortSignal,
  ): Promise<ReadableStream<Uint8Array> | null>
  /** Deletes a file. A file that is not there any more is no error. */
  removeAttachment(place: AttachmentPlace & { zoho_id: string }, signal?: AbortSignal): Promise<void>
  /** The contact that a conversion made together with this deal. Undefined if the contact is older or newer. */
  findContactMadeWithDeal(
    dealZohoId: string,
    signal?: AbortSignal,
  ): Promise<{ zoho_id: string; made_at: string } | undefined>
}

const FIELDS = 'id,File_Name,Size,Created_Time,Created_By,$type'
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
): Attachments {
  function pathOf({ module, record_zoho_id }: AttachmentPlace): string {
    const named =
      module === 'Contacts' ? module : module === 'Partners' ? fieldMap.partners.module : moduleName(fieldMap, module)
    return `${named}/${record_zoho_id}/Attachments`
  }

  async function timeOf(path: string, fields: string, signal?: AbortSignal) {
    const answer = await readingApi.get(path, { fields }, { signal })
    const [row] = isMissing(answer) ? [] : readItems(answer).items
    const at = z.object({ Created_Time: ZohoInstant }).safeParse(row).data?.Created_Time
    return at === undefined ? undefined : { row, at }
  }

  return {
    async listAttachments(place, signal) {
      const all: CrmAttachment[] = []
      let isThere = false
      for await (const rows of api.pages(pathOf(place), { fields: FIELDS }, { signal })) {
        isThere = true
        for (const raw of rows) {
          const row = WireAttachment.safeParse(raw).data
          if (!row || row.$type === 'Link') continue
          const { module, record_zoho_id } = place
          all.push({
            module,
            record_zoho_id,
            zoho_id: row.id,
            name: row.File_Name.replaceAll('\u0000', '').toWellFormed(),
            size: Number.isFinite(row.Size) ? row.Size : 0,
            added_by: row.Created_By?.name ?? null,
            added_at: row.Created_Time,
          })
        }
      }
      return isThere ? all : null
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
      const answer = await readingApi.open(`${pathOf(place)}/${zoho_id}`, signal)
      if (isMissing(answer)) return null
      if (answer.status !== 200) throw refusal(answer)
      if (!(answer.body instanceof ReadableStream)) throw new CrmUnavailable('The CRM’s answer cannot be read.')
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
  if (isMissing(answer)) return new CrmFileRefused('The lender has removed the record.')
  return refusal(answer)
}
