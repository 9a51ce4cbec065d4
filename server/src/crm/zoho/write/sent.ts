import type { CrmModule, SentDeal, SentLead, SentRecords } from '../../../records/crm-records.ts'
import { CrmRefused } from '../errors.ts'
import { moduleName } from '../field-map.ts'
import type { AllPartnersLister } from '../list/of-all-partners.ts'
import type { ZohoParts } from '../parts.ts'
import { dealName, fitted, isSameText, named, personNames } from './fields.ts'
import type { Inserter } from './insert.ts'
import { loidsOf } from './records.ts'

export interface SentFinder {
  /** Finds out what happened to records that an earlier push sent. */
  findSentLeads(sent: readonly SentLead[], signal?: AbortSignal): Promise<SentRecords>
  findSentDeals(sent: readonly SentDeal[], signal?: AbortSignal): Promise<SentRecords>
}

/** The largest expected difference between Zoho's clock and the portal's. */
const CLOCKS_MS = 60_000

export function openSentFinder(
  { metadata, fieldMap }: ZohoParts,
  { findByLoids, findLeadsByLoid }: Inserter,
  { deletionsOfAllPartners }: Pick<AllPartnersLister, 'deletionsOfAllPartners'>,
): SentFinder {
  const { leads, deals } = fieldMap
  async function findSentLeads(sent: readonly SentLead[], signal?: AbortSignal): Promise<SentRecords> {
    const there = await findLeadsByLoid(loidsOf(sent), signal)
    const missing = without(sent, there).map((lead) => ({ ...lead, names: named(personNames(lead), leads.fields) }))
    return { there, deleted: await findDeleted('Leads', missing, signal) }
  }

  async function findSentDeals(sent: readonly SentDeal[], signal?: AbortSignal): Promise<SentRecords> {
    const there = await findByLoids(deals, loidsOf(sent), signal)
    const missing = without(sent, there).map((deal) => {
      return { ...deal, names: named({ deal_name: dealName(deal) }, deals.fields) }
    })
    return { there, deleted: await findDeleted('Deals', missing, signal) }
  }

  /**
   * `names` holds the fields that make up the record's name, in order. As in a push, the names are cut to the lengths
   * of the CRM's fields.
   */
  async function findDeleted(
    module: CrmModule,
    missing: readonly { loid: string; names: Record<string, unknown>; sent_at: string }[],
    signal?: AbortSignal,
  ): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>()
    const [first] = missing.map((one) => one.sent_at).toSorted()
    if (first === undefined) return found
    const { fields } = module === 'Leads' ? leads : deals
    const settings = await metadata.fieldsOf(moduleName(fieldMap, module), signal)
    const sent = missing.map((one) => {
      return {
        ...one,
        name: Object.values(fitted(one.names, settings, fields))
          .filter(Boolean)
          .join(' '),
      }
    })
    try {
      for await (const deletions of deletionsOfAllPartners(module, earlier(first, CLOCKS_MS), signal)) {
        for (const { loid, name, sent_at } of sent) {
          const same = deletions.filter((deletion) => {
            return isSameText(deletion.name, name) && deletion.deleted_time >= earlier(sent_at, CLOCKS_MS)
          })
          if (same.length > 0) found.set(loid, [...(found.get(loid) ?? []), ...same.map((one) => one.zoho_id)])
        }
      }
    } catch (error) {
      // There are more deletions than Zoho lists. The listed deletions are used.
      if (!(error instanceof CrmRefused)) throw error
    }
    return found
  }

  return { findSentLeads, findSentDeals }
}

function without<Record extends { loid: string }>(records: readonly Record[], there: ReadonlyMap<string, string>) {
  return records.filter((record) => !there.has(record.loid))
}

function earlier(instant: string, byMs: number): string {
  return new Date(Date.parse(instant) - byMs).toISOString()
}
