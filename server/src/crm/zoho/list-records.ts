import { chunksOf } from '../../platform/chunks-of.ts'
import type { Clock } from '../../platform/clock.ts'
import type {
  CrmBatch,
  CrmChange,
  CrmDeal,
  CrmDeletion,
  CrmLead,
  CrmModule,
  CrmVersion,
} from '../../records/crm-records.ts'
import { readItems } from './answers.ts'
import { CrmRefused } from './errors.ts'
import { moduleName } from './field-map.ts'
import type { ZohoParts } from './parts.ts'
import { type RecordReader, toBatch } from './read-records.ts'
import {
  dealColumnNames,
  dealReader,
  idOf,
  isWholeDeal,
  leadColumnNames,
  leadReader,
  readDeletion,
  readLookupId,
  readVersion,
  ZohoId,
  zohoTime,
} from './wire.ts'

export interface RecordLister {
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
  /**
   * Pages of all partners' records that changed since `since`, the oldest change first. Records that changed in the
   * same second are in the order of their ids. Each page begins after the last record of the previous page, and not at
   * a page number, so no record is skipped if another record changes between two pages. Records that change after the
   * first page was read are not listed, so the reader's own writes are not listed either.
   */
  changesOfAllPartners(module: CrmModule, since: string, signal?: AbortSignal): AsyncIterable<CrmChange[]>
  /**
   * Deletions in no particular order, including deletions at `since` itself. Throws `CrmRefused` if there are more
   * deletions than Zoho returns.
   */
  deletionsOfAllPartners(module: CrmModule, since: string, signal?: AbortSignal): AsyncIterable<CrmDeletion[]>
  /** Ids of the leads that became these deals, if the organisation's queries give them. */
  leadsOfDeals(dealZohoIds: readonly string[], signal?: AbortSignal): Promise<string[]>
  /**
   * Pages of all partners' records that have a value in one of these optional fields, in the order of their ids. Only
   * these fields of the records are read.
   */
  leadValuesOfAllPartners(fields: readonly string[], signal?: AbortSignal): AsyncIterable<CrmBatch<CrmLead>>
  dealValuesOfAllPartners(fields: readonly string[], signal?: AbortSignal): AsyncIterable<CrmBatch<CrmDeal>>
  /** Pages of the ids in this range that the CRM has, in ascending order. */
  idsOfAllPartners(module: CrmModule, range: IdRange, signal?: AbortSignal): AsyncIterable<string[]>
}

/** A page of a partner's list. */
export interface ListedPage<Item> {
  versions: CrmVersion[]
  batch?: CrmBatch<Item>
  /** False if the organisation's queries do not say which leads are converted. */
  tellsConverted: boolean
  isLast: boolean
}

interface IdRange {
  first: string
  last: string
}

const COQL_ROWS_MAX = 2_000
/** A query costs one credit for 200 rows and three for 2,000. Most listings end with the first page. */
const FIRST_ROWS_MAX = 200
const PAGE_SIZE = 200
const SEARCH_PAGES_MAX = 10
/** Zoho's own field. At least one organisation refuses queries that name it. */
const CONVERTED = 'Converted__s'
const CONVERTED_DEAL = 'Converted_Deal'
/** Every query accepts this many ids. */
const IDS_A_QUERY_MAX = 50

export function openRecordLister(
  { api, metadata, fieldMap, fieldsThere }: ZohoParts,
  { getLeads, getDeals }: RecordReader,
  crmClock: Clock,
): RecordLister {
  const { leads, deals } = fieldMap
  const partnerField = (module: CrmModule) => (module === 'Leads' ? leads : deals).fields.partner
  /**
   * The columns that this organisation has refused in queries, and the lists of columns that it refused for
   * whole records. The portal does not request them again.
   */
  const refused = new Set<string>()

  /** The rows of a query. Once the organisation has refused the column, the query leaves it out. */
  async function coqlWithout(column: string, query: (more: string) => string, signal?: AbortSignal) {
    if (!refused.has(column)) {
      try {
        return await api.coql(query(`, ${column}`), signal)
      } catch (error) {
        if (!isInvalidQuery(error)) throw error
      }
    }
    const rows = await api.coql(query(''), signal)
    refused.add(column)
    return rows
  }

  /** The pages of a query, in the order of the ids. */
  async function* pagesById(module: CrmModule, columns: string, where: string, signal?: AbortSignal) {
    let after = ''
    for (;;) {
      const condition = after ? `(${where} and id > '${after}')` : where
      const ask = (more: string) =>
        `select ${columns}${more} from ${moduleName(fieldMap, module)} where ${condition} order by id asc limit 0, ${COQL_ROWS_MAX}`
      const rows = module === 'Leads' ? await coqlWithout(CONVERTED, ask, signal) : await api.coql(ask(''), signal)
      const last = ZohoId.safeParse(idOf(rows.at(-1))).data
      const isLast = rows.length < COQL_ROWS_MAX || last === undefined
      yield { rows, isLast }
      if (isLast) return
      after = last
    }
  }

  const ofPartner = (module: CrmModule, partnerZohoId: string) => `${partnerField(module)} = '${partnerZohoId}'`

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
    yield* wholePages('Deals', partnerZohoId, dealColumnNames(fields), toDeals, get, signal)
  }

  async function* leadValuesOfAllPartners(fields: readonly string[], signal?: AbortSignal) {
    const map = await fieldsThere.leads(signal)
    for await (const rows of valuesOf('Leads', map, fields, signal)) {
      yield toBatch(rows.map(leadReader(map, await metadata.displayedOf(leads.module, signal))))
    }
  }

  async function* dealValuesOfAllPartners(fields: readonly string[], signal?: AbortSignal) {
    const map = await fieldsThere.deals(signal)
    for await (const rows of valuesOf('Deals', map, fields, signal)) {
      yield toBatch(rows.map(dealReader(map, await metadata.displayedOf(deals.module, signal))))
    }
  }

  async function* valuesOf(module: CrmModule, map: object, fields: readonly string[], signal?: AbortSignal) {
    const [first, ...others] = Object.entries<string>({ ...map }).flatMap(([key, name]) =>
      fields.includes(key) ? [name] : [],
    )
    if (first === undefined) return
    const isThere = others.reduce((where, name) => `(${where} or ${name} is not null)`, `${first} is not null`)
    const columns = ['id', 'Modified_Time', first, ...others].join(', ')
    for await (const { rows } of pagesById(module, columns, isThere, signal)) yield rows
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

  async function* changesOfAllPartners(
    module: CrmModule,
    since: string,
    signal?: AbortSignal,
  ): AsyncGenerator<CrmChange[]> {
    const partner = partnerField(module)
    let where = `Modified_Time >= '${zohoTime(since)}'`
    let end: number | undefined
    for (let rowsMax = FIRST_ROWS_MAX; ; rowsMax = COQL_ROWS_MAX) {
      const ask = (more: string) =>
        `select id, Modified_Time, ${partner}${more} from ${moduleName(fieldMap, module)} where ${where} order by Modified_Time asc, id asc limit 0, ${rowsMax}`
      const rows = module === 'Leads' ? await coqlWithout(CONVERTED, ask, signal) : await api.coql(ask(''), signal)
      const changes = rows.flatMap((row) => {
        const version = readVersion(row)
        return version ? [{ ...version, partner_zoho_id: readLookupId(row, partner) }] : []
      })
      // The later pages stop at `end`, the start of the previous second by `crmClock`. `crmClock` can be almost a second
      // ahead of the CRM itself, so in the CRM the previous second may not be over yet.
      end ??= (Math.floor(crmClock.now().getTime() / 1_000) - 1) * 1_000
      if (changes.length > 0) yield changes
      const last = changes.at(-1)
      if (rows.length < rowsMax || !last || Date.parse(last.modified_time) >= end) return
      const time = zohoTime(last.modified_time)
      const isBehind = `((Modified_Time = '${time}' and id > '${last.zoho_id}') or Modified_Time > '${time}')`
      where = `(${isBehind} and Modified_Time < '${zohoTime(new Date(end).toISOString())}')`
    }
  }

  async function* deletionsOfAllPartners(module: CrmModule, since: string, signal?: AbortSignal) {
    // Zoho may leave out deletions in the very second that the header names, so the header names an earlier second.
    const headers = { 'if-modified-since': zohoTime(new Date(Date.parse(since) - 1_000).toISOString()) }
    const path = `${moduleName(fieldMap, module)}/deleted`
    for await (const rows of api.pages(path, { type: 'all' }, { signal, headers })) {
      yield rows.flatMap((row) => readDeletion(row) ?? [])
    }
  }

  async function leadsOfDeals(dealZohoIds: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const found: string[] = []
    for (const ids of chunksOf(dealZohoIds, IDS_A_QUERY_MAX)) {
      if (refused.has(CONVERTED_DEAL)) break
      const wanted = ids.map((id) => `'${id}'`).join(', ')
      const query = `select id from ${leads.module} where ${CONVERTED_DEAL} in (${wanted}) order by id asc limit 0, ${FIRST_ROWS_MAX}`
      try {
        found.push(...(await api.coql(query, signal)).map(idOf))
      } catch (error) {
        if (!isInvalidQuery(error)) throw error
        refused.add(CONVERTED_DEAL)
      }
    }
    return found
  }

  async function* idsOfAllPartners(module: CrmModule, { first, last }: IdRange, signal?: AbortSignal) {
    let where = `(id >= '${first}' and id <= '${last}')`
    for (;;) {
      const rows = await api.coql(
        `select id from ${moduleName(fieldMap, module)} where ${where} order by id asc limit 0, ${COQL_ROWS_MAX}`,
        signal,
      )
      const ids = rows.map(idOf)
      yield ids
      const after = ids.at(-1)
      if (rows.length < COQL_ROWS_MAX || !after) return
      where = `(id > '${after}' and id <= '${last}')`
    }
  }

  return {
    versionPages,
    leadPages,
    dealPages,
    leadValuesOfAllPartners,
    dealValuesOfAllPartners,
    convertedPages,
    countLeads,
    changesOfAllPartners,
    deletionsOfAllPartners,
    leadsOfDeals,
    idsOfAllPartners,
  }
}

function isInvalidQuery(error: unknown): boolean {
  return error instanceof CrmRefused && error.code === 'INVALID_QUERY'
}

function versionsOf(rows: unknown[]): CrmVersion[] {
  return rows.flatMap((row) => readVersion(row) ?? [])
}
