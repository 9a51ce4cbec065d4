import type { CrmBatch, CrmDeal, CrmLead, CrmModule, CrmVersion } from '../../../records/crm-records.ts'
import { readItems } from '../api.ts'
import type { ZohoParts } from '../parts.ts'
import type { RecordReader } from '../read-records.ts'
import {
  dealFieldNames,
  dealReader,
  idOf,
  isWholeDeal,
  leadColumnNames,
  leadReader,
  readLookupId,
  readVersion,
  toBatch,
} from '../wire.ts'
import { CONVERTED, isInvalidQuery, type Queries } from './queries.ts'

export interface PartnerLister {
  /** The ids and times of the partner's records, in pages ordered by id. */
  versionPages(module: CrmModule, partnerZohoId: string, signal?: AbortSignal): AsyncIterable<ListedPage<never>>
  /** The partner's whole records, in pages ordered by id. */
  leadPages(partnerZohoId: string, signal?: AbortSignal): AsyncIterable<ListedPage<CrmLead>>
  dealPages(partnerZohoId: string, signal?: AbortSignal): AsyncIterable<ListedPage<CrmDeal>>
  /**
   * Pages of the partner's converted leads, in no particular order. Needed if the CRM's queries hide these leads or do
   * not mark them as converted.
   */
  convertedPages(partnerZohoId: string, signal?: AbortSignal): AsyncIterable<CrmVersion[]>
  countLeads(partnerZohoId: string, signal?: AbortSignal): Promise<number>
}

/** A page of a partner's list. */
export interface ListedPage<Item> {
  versions: CrmVersion[]
  batch?: CrmBatch<Item>
  /** False if the organisation's queries do not say which leads are converted. */
  tellsConverted: boolean
  isLast: boolean
}

const PAGE_SIZE = 200
const SEARCH_PAGES_MAX = 10

export function openPartnerLister(
  { api, metadata, fieldMap: { leads, deals }, fieldsThere }: ZohoParts,
  { getLeads, getDeals }: RecordReader,
  { pagesById, refused }: Queries,
): PartnerLister {
  const ofPartner = (module: CrmModule, partnerZohoId: string) =>
    `${(module === 'Leads' ? leads : deals).fields.partner} = '${partnerZohoId}'`

  async function* versionPages(module: CrmModule, partnerZohoId: string, signal?: AbortSignal) {
    for await (const { rows, isLast } of pagesById(
      module,
      'id, Modified_Time',
      ofPartner(module, partnerZohoId),
      signal,
    )) {
      yield { versions: versionsOf(rows), tellsConverted: !refused.has(CONVERTED), isLast }
    }
  }

  /**
   * Pages of whole records. If the organisation refuses one of the fields in queries, the records are read by their
   * ids.
   */
  async function* wholePages<Item>(
    module: CrmModule,
    partnerZohoId: string,
    columns: string[],
    toRecords: (rows: unknown[]) => Promise<CrmBatch<Item>>,
    getRecords: (zohoIds: string[]) => Promise<CrmBatch<Item>>,
    signal?: AbortSignal,
  ): AsyncGenerator<ListedPage<Item>> {
    const where = ofPartner(module, partnerZohoId)
    const key = columns.join(', ')
    if (!refused.has(key)) {
      let isBegun = false
      try {
        for await (const { rows, isLast } of pagesById(module, key, where, signal)) {
          isBegun = true
          const tellsConverted = !refused.has(CONVERTED)
          yield { versions: versionsOf(rows), batch: await toRecords(rows), tellsConverted, isLast }
        }
        return
      } catch (error) {
        if (isBegun || !isInvalidQuery(error)) throw error
        refused.add(key)
      }
    }
    for await (const page of versionPages(module, partnerZohoId, signal)) {
      yield { ...page, batch: await getRecords(page.versions.map((version) => version.zoho_id)) }
    }
  }

  async function* leadPages(partnerZohoId: string, signal?: AbortSignal) {
    const fields = await fieldsThere.leads(signal)
    const toLeads = async (rows: unknown[]) => {
      const displayed = await metadata.displayedOf(leads.module, signal)
      return toBatch(rows.map(leadReader(fields, displayed)))
    }
    const get = (zohoIds: string[]) => getLeads(zohoIds, signal)
    yield* wholePages('Leads', partnerZohoId, leadColumnNames(fields), toLeads, get, signal)
  }

  async function* dealPages(partnerZohoId: string, signal?: AbortSignal) {
    const fields = await fieldsThere.deals(signal)
    const toDeals = async (rows: unknown[]) => {
      const displayed = await metadata.displayedOf(deals.module, signal)
      const read = toBatch(rows.filter((row) => isWholeDeal(row, fields)).map(dealReader(fields, displayed)))
      // Queries can give a lookup without the name of the record that it refers to.
      const nameless = rows.filter((row) => !isWholeDeal(row, fields)).map(idOf)
      const more = await getDeals(nameless, signal)
      return { records: [...read.records, ...more.records], problems: [...read.problems, ...more.problems] }
    }
    const get = (zohoIds: string[]) => getDeals(zohoIds, signal)
    yield* wholePages('Deals', partnerZohoId, dealFieldNames(fields), toDeals, get, signal)
  }

  async function* convertedPages(partnerZohoId: string, signal?: AbortSignal): AsyncGenerator<CrmVersion[]> {
    const { partner } = leads.fields
    const fields = `${partner},Modified_Time`
    const converted = (rows: unknown[]) =>
      versionsOf(rows.filter((row) => readLookupId(row, partner) === partnerZohoId)).map((version) => {
        return { ...version, is_converted: true }
      })
    const found = new Set<string>()
    for (let page = 1; page <= SEARCH_PAGES_MAX; page++) {
      const query = { criteria: `(${partner}.id:equals:${partnerZohoId})`, converted: 'true', fields }
      const paged = { ...query, page: String(page), per_page: String(PAGE_SIZE) }
      const { items, next } = readItems(await api.get(`${leads.module}/search`, paged, { signal }))
      const versions = converted(items)
      yield versions
      if (!next) return
      for (const { zoho_id } of versions) found.add(zoho_id)
    }
    // A search finds at most two thousand records. A listing has up to a hundred thousand, but cannot be limited to one
    // partner.
    const listed = { converted: 'true', approved: 'both', fields, sort_by: 'id', sort_order: 'asc' }
    for await (const rows of api.pages(leads.module, listed, { signal })) {
      yield converted(rows).filter((version) => !found.has(version.zoho_id))
    }
  }

  async function countLeads(partnerZohoId: string, signal?: AbortSignal): Promise<number> {
    const ids = new Set<string>()
    let isConvertedShown = false
    for await (const { versions } of versionPages('Leads', partnerZohoId, signal)) {
      for (const { zoho_id } of versions) ids.add(zoho_id)
      isConvertedShown ||= versions.some((version) => version.is_converted)
    }
    if (isConvertedShown) return ids.size
    for await (const versions of convertedPages(partnerZohoId, signal))
      for (const { zoho_id } of versions) ids.add(zoho_id)
    return ids.size
  }

  return { versionPages, leadPages, dealPages, convertedPages, countLeads }
}

function versionsOf(rows: unknown[]): CrmVersion[] {
  return rows.flatMap((row) => readVersion(row) ?? [])
}
