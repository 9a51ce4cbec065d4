import { chunksOf } from '../../../platform/chunks-of.ts'
import type { PartnerReport, PartnerToPush, PushedPartner } from '../../../records/crm-records.ts'
import { OPTIONAL_PARTNER_FIELDS } from '../../../records/crm-records.ts'
import { isInvalidId, isItemAnswer, isMissing, itemRefusal, readResults, writtenId } from '../answers.ts'
import { RECORDS_A_CALL_MAX, type WriteCall, writeRecords } from '../api.ts'
import { CrmRefused } from '../errors.ts'
import type { ZohoParts } from '../parts.ts'
import type { RecordReader } from '../read-records.ts'
import { readText } from '../wire.ts'
import { fitted, isContactRefused, isSameText, named, withoutNulls } from './fields.ts'

export interface PartnerWriter {
  /** Finds the partner records with this email, the oldest first. */
  findPartnerRecords(email: string, signal?: AbortSignal): Promise<{ zoho_id: string; business_name: string | null }[]>
  /** Returns null if the CRM no longer has the record. */
  updatePartner(zohoId: string, changed: Partial<PartnerToPush>, signal?: AbortSignal): Promise<PushedPartner | null>
  /**
   * Writes into partners' records what the portal tells the lender's team. Leaves out fields that the organisation lacks
   * and records that it refuses.
   */
  writePartnerFacts(reports: readonly PartnerReport[], signal?: AbortSignal): Promise<void>
  createPartner(partner: PartnerToPush, signal?: AbortSignal): Promise<PushedPartner>
}

export function openPartnerWriter(
  { api, metadata, fieldMap: { partners }, fieldsThere }: ZohoParts,
  { partnersThere }: Pick<RecordReader, 'partnersThere'>,
): PartnerWriter {
  // Zoho's documentation contradicts itself on how to escape quotes in a query, so a wildcard replaces each quote.
  async function findPartnerRecords(address: string, signal?: AbortSignal) {
    const { business_name: name, email } = partners.fields
    const test = /['\\%]/.test(address) ? `like '${address.replace(/['\\%]/g, '%')}'` : `= '${address}'`
    const rows = await api.coql(
      `select id, ${name}, ${email} from ${partners.module} where ${email} ${test} order by id asc limit 0, 200`,
      signal,
    )
    return rows.flatMap((row) => {
      const zoho_id = readText(row, 'id')
      if (zoho_id === null || !isSameText(readText(row, email), address)) return []
      return { zoho_id, business_name: readText(row, name) }
    })
  }

  async function updatePartner(zohoId: string, changed: Partial<PartnerToPush>, signal?: AbortSignal) {
    const { record, lacking } = await partnerRecord(changed, signal)
    if (Object.keys(record).length === 0) {
      const isThere = (await partnersThere([zohoId], signal)).has(zohoId)
      return isThere ? { zoho_id: zohoId, left_out: [], lacking, was_there: false } : null
    }
    const call = { method: 'PUT', path: `${partners.module}/${zohoId}`, isRepeatable: true, signal } as const
    return writePartner(call, record, lacking)
  }

  async function createPartner(partner: PartnerToPush, signal?: AbortSignal): Promise<PushedPartner> {
    const call = { method: 'POST', path: partners.module, isRepeatable: false, signal } as const
    const { record, lacking } = await partnerRecord(partner, signal)
    const made = await writePartner(call, withoutNulls(record), lacking)
    if (!made) throw new CrmRefused('INVALID_MODULE', `The CRM has no module ${partners.module}.`)
    return made
  }

  async function writePartnerFacts(reports: readonly PartnerReport[], signal?: AbortSignal): Promise<void> {
    const fields: Record<string, string> = await fieldsThere.partners(signal)
    const call = { method: 'PUT', path: partners.module, isRepeatable: true, signal } as const
    for (const chunk of chunksOf(reports, RECORDS_A_CALL_MAX)) {
      const records = chunk.map(({ zoho_id, facts }) => ({ id: zoho_id, ...named(facts, fields) }))
      // The portal's bookkeeping must not trigger the lender's workflows.
      await writeRecords(api, call, records, { trigger: [] })
    }
  }

  async function partnerRecord(partner: Partial<PartnerToPush>, signal?: AbortSignal) {
    const fields: Record<string, string> = await fieldsThere.partners(signal)
    const settings = await metadata.fieldsOf(partners.module, signal)
    return {
      record: fitted(named(partner, fields), settings, partners.fields),
      lacking: Object.keys(partner).filter((field) => fields[field] === undefined),
    }
  }

  /**
   * Writes the partner's record. Returns null if the record does not exist. Contact details and optional fields that
   * the CRM does not accept are left out and named in `left_out`.
   */
  async function writePartner(
    call: WriteCall,
    record: Record<string, unknown>,
    lacking: readonly string[],
  ): Promise<PushedPartner | null> {
    const spared: readonly string[] = (['email', 'phone', ...OPTIONAL_PARTNER_FIELDS] as const).map(
      (name) => partners.fields[name],
    )
    let sent = record
    const leftOut: string[] = []
    for (;;) {
      const answer = await api.write({ ...call, body: { data: [sent] } })
      if (isMissing(answer) && !isItemAnswer(answer)) return null
      const [result] = readResults(answer)
      if (!result || 'zohoId' in result)
        return { zoho_id: writtenId(result), left_out: leftOut, lacking, was_there: false }
      if (isInvalidId(result)) return null
      const { code, field } = result
      const isSpared = field !== null && spared.includes(field)
      if (!isContactRefused(code) || !isSpared || !(field in sent)) throw itemRefusal(result)
      const { [field]: _, ...rest } = sent
      sent = rest
      leftOut.push(field)
    }
  }

  return { findPartnerRecords, updatePartner, writePartnerFacts, createPartner }
}
