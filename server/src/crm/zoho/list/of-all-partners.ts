import { chunksOf } from '../../../platform/chunks-of.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { CrmBatch, CrmChange, CrmDeal, CrmDeletion, CrmLead, CrmModule } from '../../../records/crm-records.ts'
import { moduleName } from '../field-map.ts'
import type { ZohoParts } from '../parts.ts'
import { dealReader, idOf, leadReader, readDeletion, readLookupId, readVersion, toBatch, zohoTime } from '../wire.ts'
import { CONVERTED, COQL_ROWS_MAX, isInvalidQuery, type Queries } from './queries.ts'

export interface AllPartnersLister {
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
  deletionsOfAllPartners(
    module: CrmModule | 'Partners' | 'Tasks',
    since: string,
    signal?: AbortSignal,
  ): AsyncIterable<CrmDeletion[]>
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

interface IdRange {
  first: string
  last: string
}

/** A query costs one credit for 200 rows and three for 2,000. Most listings end with the first page. */
const FIRST_ROWS_MAX = 200
const CONVERTED_DEAL = 'Converted_Deal'
/** Every query accepts this many ids. */
const IDS_A_QUERY_MAX = 50

export function openAllPartnersLister(
  { api, metadata, fieldMap, fieldsThere }: ZohoParts,
  { coqlWithout, pagesById, refused }: Queries,
  crmClock: Clock,
): AllPartnersLister {
  const { leads, deals } = fieldMap

  async function* changesOfAllPartners(
    module: CrmModule,
    since: string,
    signal?: AbortSignal,
  ): AsyncGenerator<CrmChange[]> {
    const { partner } = (module === 'Leads' ? leads : deals).fields
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

  async function* deletionsOfAllPartners(
    module: CrmModule | 'Partners' | 'Tasks',
    since: string,
    signal?: AbortSignal,
  ) {
    // Zoho may leave out deletions in the very second that the header names, so the header names an earlier second.
    const headers = { 'if-modified-since': zohoTime(new Date(Date.parse(since) - 1_000).toISOString()) }
    const path = `${module === 'Tasks' ? module : moduleName(fieldMap, module)}/deleted`
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
    changesOfAllPartners,
    deletionsOfAllPartners,
    leadsOfDeals,
    leadValuesOfAllPartners,
    dealValuesOfAllPartners,
    idsOfAllPartners,
  }
}
