import { chunksOf } from '../../../platform/chunks-of.ts'
import type { ArrivedRecord, CrmModule, DealToPush, LeadToPush, LoidToPush } from '../../../records/crm-records.ts'
import { RECORDS_A_CALL_MAX, writeRecords } from '../api.ts'
import { moduleName } from '../field-map.ts'
import { usedChoices } from '../metadata.ts'
import type { ZohoParts } from '../parts.ts'
import { dealName, named, PIPELINE_FIELD, personNames } from './fields.ts'
import { type Inserter, type Target, wasThere } from './insert.ts'

export interface RecordWriter {
  /**
   * Returns the lead as it arrived. If the CRM already has a lead with this LOID, that lead belongs to the CRM and is
   * not changed. After a lost answer (`CrmUnavailable`), the lead may have arrived. A repeated push then finds it. If
   * the lead has to be sent, `beforeSending` is awaited first.
   */
  pushLead(lead: LeadToPush, signal?: AbortSignal, beforeSending?: BeforeSending): Promise<ArrivedRecord>
  pushDeal(deal: DealToPush, signal?: AbortSignal, beforeSending?: BeforeSending): Promise<ArrivedRecord>
  /**
   * Pushes up to fifty leads at once. Returns the leads that arrived, by LOID. To learn why a lead did
   * not arrive, push it alone.
   */
  pushLeads(
    leads: readonly LeadToPush[],
    signal?: AbortSignal,
    beforeSending?: BeforeSending,
  ): Promise<Map<string, ArrivedRecord>>
  pushDeals(
    deals: readonly DealToPush[],
    signal?: AbortSignal,
    beforeSending?: BeforeSending,
  ): Promise<Map<string, ArrivedRecord>>
  /**
   * Writes LOIDs into records that were made in the CRM. Also sets a record's partner if `loids` names one. A record
   * that cannot be written is skipped, because it is a converted lead or because its LOID is taken. To learn a record's
   * LOID, read the record again.
   */
  setLoids(module: CrmModule, loids: readonly LoidToPush[], signal?: AbortSignal): Promise<void>
}

/** Called with the LOIDs of the records that are sent next. */
type BeforeSending = (loids: readonly string[]) => Promise<void>

/** Zoho's standard layout demands an expected closing date for a deal. The lender sets the real date. */
const CLOSING_DAYS = 30

export function openRecordWriter(
  { api, metadata, fieldMap }: ZohoParts,
  { findByLoids, findLeadsByLoid, insertMany, insertByLoid }: Inserter,
): RecordWriter {
  const { leads, deals } = fieldMap
  const pushedLeads = pushedKind<LeadToPush>(leads, {
    find: findLeadsByLoid,
    toRecord: async (lead) => leadRecord(lead),
  })
  const pushedDeals = pushedKind<DealToPush>(deals, {
    find: (loids, signal) => findByLoids(deals, loids, signal),
    toRecord: dealRecord,
    ifMissing: ({ created_at }) => ({ [deals.fields.closing_date]: plainDateAfter(created_at, CLOSING_DAYS) }),
  })

  function pushedKind<Item extends { loid: string }>(target: Target, { find, toRecord, ifMissing }: PushedKind<Item>) {
    return {
      async pushOne(item: Item, signal?: AbortSignal, beforeSending?: BeforeSending): Promise<ArrivedRecord> {
        const there = (await find([item.loid], signal)).get(item.loid)
        if (there !== undefined) return wasThere(there)
        await beforeSending?.([item.loid])
        return insertByLoid(target, await toRecord(item, signal), signal, ifMissing?.(item))
      },
      async pushMany(items: readonly Item[], signal?: AbortSignal, beforeSending?: BeforeSending) {
        const there = await find(loidsOf(items), signal)
        const missing = items.filter((item) => !there.has(item.loid))
        await beforeSending?.(loidsOf(missing))
        const records = await Promise.all(missing.map((item) => toRecord(item, signal)))
        const found = Array.from(there, ([loid, zohoId]) => [loid, wasThere(zohoId)] as const)
        return new Map([...found, ...(await insertMany(target, records, signal))])
      },
    }
  }

  function leadRecord(lead: LeadToPush): Record<string, unknown> {
    const { partner_zoho_id, ...values } = lead
    const contact = [lead.first_name, lead.last_name].filter(Boolean).join(' ')
    return {
      ...named({ ...values, ...personNames(lead) }, leads.fields),
      [leads.fields.partner]: { id: partner_zoho_id },
      // Zoho's forms demand a company.
      [leads.fields.business_name]: lead.business_name ?? (contact || lead.loid),
    }
  }

  async function dealRecord(deal: DealToPush, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const { partner_zoho_id, created_at: _, ...values } = deal
    const [pipeline] = usedChoices((await metadata.fieldsOf(deals.module, signal))?.get(PIPELINE_FIELD))
    return {
      ...named(values, deals.fields),
      [deals.fields.partner]: { id: partner_zoho_id },
      [deals.fields.deal_name]: dealName(deal),
      // If pipelines are on, Zoho accepts no stage without a pipeline.
      ...(pipeline !== undefined && { [PIPELINE_FIELD]: pipeline }),
    }
  }

  async function setLoids(module: CrmModule, loids: readonly LoidToPush[], signal?: AbortSignal): Promise<void> {
    const { loid: loidField, partner: partnerField } = (module === 'Leads' ? leads : deals).fields
    const call = { method: 'PUT', path: moduleName(fieldMap, module), isRepeatable: true, signal } as const
    await Promise.all(
      chunksOf(loids, RECORDS_A_CALL_MAX).map((chunk) => {
        const records = chunk.map(({ zoho_id, loid, partner_zoho_id }) => ({
          id: zoho_id,
          [loidField]: loid,
          ...(partner_zoho_id && { [partnerField]: { id: partner_zoho_id } }),
        }))
        // The portal's bookkeeping must not trigger the lender's workflows.
        return writeRecords(api, call, records, { trigger: [] })
      }),
    )
  }

  return {
    pushLead: pushedLeads.pushOne,
    pushLeads: pushedLeads.pushMany,
    pushDeal: pushedDeals.pushOne,
    pushDeals: pushedDeals.pushMany,
    setLoids,
  }
}

/** Every difference between pushing leads and pushing deals. */
interface PushedKind<Item> {
  find(loids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>>
  toRecord(item: Item, signal?: AbortSignal): Promise<Record<string, unknown>>
  ifMissing?(item: Item): Record<string, string>
}

export function loidsOf(records: readonly { loid: string }[]): string[] {
  return records.map((record) => record.loid)
}

function plainDateAfter(instant: string, days: number): string {
  return new Date(Date.parse(instant) + days * 86_400_000).toISOString().slice(0, 10)
}
