import { z } from 'zod'
import { chunksOf } from '../chunks-of.ts'
import { isMissing, readItems } from './answers.ts'
import { itemsOf } from './api.ts'
import type { CrmBatch, CrmChange, CrmDeal, CrmDeletion, CrmLead, CrmModule, CrmVersion } from './crm-records.ts'
import { CrmRefused } from './errors.ts'
import { moduleName } from './field-map.ts'
import type { ZohoParts } from './parts.ts'
import {
  type Displayed,
  dealFieldNames,
  leadFieldNames,
  type Reading,
  readDeal,
  readDeletion,
  readLead,
  readLookupId,
  readVersion,
  ZohoId,
  zohoTime,
} from './wire.ts'

export interface RecordReader {
  /** Every lead of the partner, converted ones included. */
  leadVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]>
  dealVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]>
  countLeads(partnerZohoId: string, signal?: AbortSignal): Promise<number>
  /**
   * Pages of all partners' records, the longest unchanged first, records of one second by id. Each page begins behind the
   * last record of the one before, not at a number: a record that changes meanwhile moves none of the others past the
   * reader.
   */
  changesOfAllPartners(module: CrmModule, window: ChangeWindow, signal?: AbortSignal): AsyncIterable<CrmChange[]>
  /** In no particular order, those of `since` included. */
  deletionsOfAllPartners(module: CrmModule, since: string, signal?: AbortSignal): Promise<CrmDeletion[]>
  /** Records that are gone are neither among the records nor among the problems. */
  getLeads(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmLead>>
  getDeals(zohoIds: readonly string[], signal?: AbortSignal): Promise<CrmBatch<CrmDeal>>
  /** Null when there is none; one that cannot be read is `CrmRefused`. */
  findLead(zohoId: string, signal?: AbortSignal): Promise<CrmLead | null>
  findDeal(zohoId: string, signal?: AbortSignal): Promise<CrmDeal | null>
}

/** Both ends belong to it. */
export interface ChangeWindow {
  from: string
  until: string
}

const COQL_ROWS_MAX = 2_000
/** A query costs a credit for 200 rows and three for 2,000: most are over with the first page. */
const FIRST_ROWS_MAX = 200
const RECORDS_A_CALL_MAX = 100
const PAGE_SIZE = 200
const SEARCH_PAGES_MAX = 10

export function openRecordReader({ api, metadata, fieldMap }: ZohoParts): RecordReader {
  const { leads, deals } = fieldMap

  async function versions(module: string, columns: string, where: string, signal?: AbortSignal): Promise<CrmVersion[]> {
    const all: CrmVersion[] = []
    let after = ''
    for (;;) {
      const rows = await api.coql(
        `select ${columns} from ${module} where ${after ? `(${where} and id > '${after}')` : where} order by id asc limit 0, ${COQL_ROWS_MAX}`,
        signal,
      )
      all.push(...rows.flatMap((row) => readVersion(row) ?? []))
      const last = z.object({ id: ZohoId }).safeParse(rows.at(-1)).data?.id
      if (rows.length < COQL_ROWS_MAX || last === undefined) return all
      after = last
    }
  }

  async function leadVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]> {
    const columns = 'id, Modified_Time, Converted__s'
    const found = await versions(leads.module, columns, `${leads.fields.partner} = '${partnerZohoId}'`, signal)
    // Whether queries show converted leads could not be confirmed; when none is among them, they are asked for.
    if (found.some((version) => version.is_converted)) return found
    const byId = new Map(found.map((version) => [version.zoho_id, version]))
    for (const version of await convertedVersions(partnerZohoId, signal)) byId.set(version.zoho_id, version)
    return [...byId.values()]
  }

  async function convertedVersions(partnerZohoId: string, signal?: AbortSignal): Promise<CrmVersion[]> {
    const { partner } = leads.fields
    const fields = `${partner},Modified_Time`
    const rows: unknown[] = []
    for (let page = 1; ; page++) {
      const query = { criteria: `(${partner}.id:equals:${partnerZohoId})`, converted: 'true', fields }
      const paged = { ...query, page: String(page), per_page: String(PAGE_SIZE) }
      const { items, next } = readItems(await api.get(`${leads.module}/search`, paged, { signal }))
      rows.push(...items)
      if (!next) break
      if (page < SEARCH_PAGES_MAX) continue
      // Search ends at two thousand. The listing does not, but cannot be limited to one partner.
      const listed = { converted: 'true', approved: 'both', fields, sort_by: 'id', sort_order: 'asc' }
      rows.push(...(await itemsOf(api.pages(leads.module, listed, { signal }))))
      break
    }
    return rows
      .filter((row) => readLookupId(row, partner) === partnerZohoId)
      .flatMap((row) => readVersion(row) ?? [])
      .map((version) => ({ ...version, is_converted: true }))
  }

  async function* changesOfAllPartners(
    module: CrmModule,
    { from, until }: ChangeWindow,
    signal?: AbortSignal,
  ): AsyncGenerator<CrmChange[]> {
    const partnerField = (module === 'Leads' ? leads : deals).fields.partner
    const columns = module === 'Leads' ? 'id, Modified_Time, Converted__s' : 'id, Modified_Time'
    const end = `Modified_Time <= '${zohoTime(until)}'`
    let where = `Modified_Time >= '${zohoTime(from)}' and ${end}`
    for (let rowsMax = FIRST_ROWS_MAX; ; rowsMax = COQL_ROWS_MAX) {
      const rows = await api.coql(
        `select ${columns}, ${partnerField} from ${moduleName(fieldMap, module)} where ${where} order by Modified_Time asc, id asc limit 0, ${rowsMax}`,
        signal,
      )
      const changes = rows.flatMap((row) => {
        const version = readVersion(row)
        return version ? [{ ...version, partner_zoho_id: readLookupId(row, partnerField) }] : []
      })
      if (changes.length > 0) yield changes
      const last = changes.at(-1)
      if (rows.length < rowsMax || !last) return
      const time = zohoTime(last.modified_time)
      where = `((Modified_Time = '${time}' and id > '${last.zoho_id}') or (Modified_Time > '${time}' and ${end}))`
    }
  }

  async function deletionsOfAllPartners(
    module: CrmModule,
    since: string,
    signal?: AbortSignal,
  ): Promise<CrmDeletion[]> {
    // Whether the header's own second belongs to the answer could not be confirmed.
    const headers = { 'if-modified-since': zohoTime(new Date(Date.parse(since) - 1_000).toISOString()) }
    const path = `${moduleName(fieldMap, module)}/deleted`
    const rows = await itemsOf(api.pages(path, { type: 'all' }, { signal, headers }))
    return rows.flatMap((row) => readDeletion(row) ?? [])
  }

  async function getBatch<Item>(
    module: string,
    zohoIds: readonly string[],
    fields: string[],
    read: (raw: unknown, displayed: Displayed) => Reading<Item>,
    signal?: AbortSignal,
  ): Promise<CrmBatch<Item>> {
    const displayed = await metadata.displayedOf(module, signal)
    // Converted leads show only when asked for; other modules do not know the parameter.
    const hidden: Record<string, string> = module === leads.module ? { converted: 'both' } : {}
    const pages = await Promise.all(
      chunksOf(zohoIds, RECORDS_A_CALL_MAX).map(async (chunk) => {
        const query = { ids: chunk.join(','), fields: fields.join(','), approved: 'both', ...hidden }
        const paged = { ...query, per_page: String(RECORDS_A_CALL_MAX) }
        return readItems(await api.get(module, paged, { signal })).items
      }),
    )
    const readings = pages.flat().map((raw) => read(raw, displayed))
    return {
      records: readings.flatMap((reading) => ('record' in reading ? reading.record : [])),
      problems: readings.flatMap((reading) => ('problem' in reading ? reading.problem : [])),
    }
  }

  async function findOne<Item>(
    module: string,
    zohoId: string,
    fields: string[],
    read: (raw: unknown, displayed: Displayed) => Reading<Item>,
    signal?: AbortSignal,
  ): Promise<Item | null> {
    if (!ZohoId.safeParse(zohoId).success) return null
    const answer = await api.get(`${module}/${zohoId}`, { fields: fields.join(',') }, { signal })
    if (isMissing(answer)) return null
    const [raw] = readItems(answer).items
    if (raw === undefined) return null
    const reading = read(raw, await metadata.displayedOf(module, signal))
    if ('problem' in reading) throw new CrmRefused('UNREADABLE', reading.problem.reason)
    return reading.record
  }

  const leadNames = leadFieldNames(leads.fields)
  const dealNames = dealFieldNames(deals.fields)
  const asLead = (raw: unknown, displayed: Displayed) => readLead(raw, leads.fields, displayed)
  const asDeal = (raw: unknown, displayed: Displayed) => readDeal(raw, deals.fields, displayed)

  return {
    leadVersions,
    dealVersions: (partnerZohoId, signal) =>
      versions(deals.module, 'id, Modified_Time', `${deals.fields.partner} = '${partnerZohoId}'`, signal),
    countLeads: async (partnerZohoId, signal) => (await leadVersions(partnerZohoId, signal)).length,
    changesOfAllPartners,
    deletionsOfAllPartners,
    getLeads: (zohoIds, signal) => getBatch(leads.module, zohoIds, leadNames, asLead, signal),
    getDeals: (zohoIds, signal) => getBatch(deals.module, zohoIds, dealNames, asDeal, signal),
    findLead: (zohoId, signal) => findOne(leads.module, zohoId, leadNames, asLead, signal),
    findDeal: (zohoId, signal) => findOne(deals.module, zohoId, dealNames, asDeal, signal),
  }
}
