import type { CrmBatch, CrmDeal, CrmLead, CrmPartner } from '../../records/crm-records.ts'
import { itemsById } from './api.ts'
import type { ZohoParts } from './parts.ts'
import {
  type Displayed,
  dealFieldNames,
  dealReader,
  idOf,
  leadFieldNames,
  leadReader,
  partnerFactNames,
  partnerReader,
  type Reading,
  toBatch,
  zohoTime,
} from './wire.ts'

export interface RecordReader {
  /** Deleted records are neither among the records nor among the problems. */
  getLeads(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmLead>>
  getDeals(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmDeal>>
  /**
   * What the records of these partners say of them. Makes no call if the organisation has no such fields. Deleted
   * records are not among the results.
   */
  getPartners(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmPartner>>
  /** The same of all partners whose records have changed since this time, in pages, the oldest change first. */
  partnerPagesSince(since: string, signal?: AbortSignal): AsyncIterable<CrmBatch<CrmPartner>>
  /** Which of these partners' records the CRM has. */
  partnersThere(zohoIds: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>>
}

export function openRecordReader({ api, metadata, fieldMap, fieldsThere }: ZohoParts): RecordReader {
  const { partners, leads, deals } = fieldMap

  async function getBatch<Item>(
    module: string,
    zohoIds: readonly string[],
    fields: string[],
    reader: (displayed: Displayed) => (raw: unknown) => Reading<Item>,
    signal?: AbortSignal,
  ): Promise<CrmBatch<Item>> {
    const displayed = await metadata.displayedOf(module, signal)
    // Zoho shows converted leads only with this parameter, which other modules do not know.
    const hidden: Record<string, string> = module === leads.module ? { converted: 'both' } : {}
    const query = { fields: fields.join(','), approved: 'both', ...hidden }
    return toBatch((await itemsById(api, module, zohoIds, query, signal)).map(reader(displayed)))
  }

  async function partnersThere(zohoIds: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>> {
    const query = { fields: partners.fields.business_name }
    return new Set((await itemsById(api, partners.module, zohoIds, query, signal)).map(idOf))
  }

  return {
    partnersThere,
    async getPartners(zohoIds, signal) {
      const fields = await fieldsThere.partners(signal)
      const facts = partnerFactNames(fields)
      if (facts.length === 0) return { records: [], problems: [] }
      const reader = (displayed: Displayed) => partnerReader(fields, displayed)
      return getBatch(partners.module, zohoIds, [...facts, 'Modified_Time'], reader, signal)
    },
    async *partnerPagesSince(since, signal) {
      const fields = await fieldsThere.partners(signal)
      const facts = partnerFactNames(fields)
      if (facts.length === 0) return
      const displayed = await metadata.displayedOf(partners.module, signal)
      const query = { fields: [...facts, 'Modified_Time'].join(','), sort_by: 'Modified_Time', sort_order: 'asc' }
      const headers = { 'if-modified-since': zohoTime(since) }
      for await (const rows of api.pages(partners.module, query, { signal, headers })) {
        yield toBatch(rows.map(partnerReader(fields, displayed)))
      }
    },
    async getLeads(zohoIds, signal) {
      const fields = await fieldsThere.leads(signal)
      const reader = (displayed: Displayed) => leadReader(fields, displayed)
      return getBatch(leads.module, zohoIds, leadFieldNames(fields), reader, signal)
    },
    async getDeals(zohoIds, signal) {
      const fields = await fieldsThere.deals(signal)
      const reader = (displayed: Displayed) => dealReader(fields, displayed)
      return getBatch(deals.module, zohoIds, dealFieldNames(fields), reader, signal)
    },
  }
}
