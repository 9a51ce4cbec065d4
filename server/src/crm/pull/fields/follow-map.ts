import { DEAL_RECORD } from '@portal/contract/deal-fields.ts'
import { LEAD_RECORD } from '@portal/contract/lead-fields.ts'
import { keysOf } from '@portal/contract/record-fields.ts'
import type { Deps } from '../../../deps.ts'
import type { CrmDeal, CrmLead, CrmModule } from '../../../records/crm-records.ts'
import { findFieldNames, keepFieldNames } from '../../../records/kinds/field-names.queries.ts'
import { findConnectedPartners } from '../../../records/partners/partners-in-crm.queries.ts'
import { fieldsOf } from '../../zoho/fields.ts'
import { findRowsOf } from '../find-rows-of.ts'
import { pullForAll } from '../pull-for-all.ts'
import { pullRecords } from '../pull-records.ts'

/**
 * If a name in CRM_FIELD_MAP has changed, pulls all records again that differ from their rows: a record that does not change
 * is not read otherwise (D126). Nobody is told. If this is interrupted, the next run begins again, and finds no difference
 * where the first one came to.
 */
export async function followFieldMap(deps: Deps, signal: AbortSignal): Promise<void> {
  const { crm } = deps
  const { leads, deals } = crm.fieldMap
  await follow(deps, signal, 'Leads', leads.fields, (zohoId) => crm.leadPages(zohoId, signal))
  await follow(deps, signal, 'Deals', deals.fields, (zohoId) => crm.dealPages(zohoId, signal))
}

async function follow(
  deps: Deps,
  signal: AbortSignal,
  module: CrmModule,
  names: object,
  pages: (partnerZohoId: string) => AsyncIterable<{ batch?: { records: (CrmLead | CrmDeal)[] } }>,
): Promise<void> {
  const table = module === 'Leads' ? 'leads' : 'deals'
  // The values of optional fields are read once the organisation has them.
  const own = new Set(fieldsOf(table).flatMap(([field, description]) => ('group' in description ? [] : field)))
  const now = new Map(Object.entries<string>({ ...names }).filter(([field]) => own.has(field)))
  const before = await findFieldNames(deps.db, module)
  // A name that was never kept cannot be compared: a version that keeps it has started for the first time.
  const isRenamed = [...now].some(([field, name]) => before.has(field) && before.get(field) !== name)
  if (isRenamed) {
    const columns = keysOf(module === 'Leads' ? LEAD_RECORD : DEAL_RECORD)
    const pull = { ...pullForAll(deps, table, signal), readsAgain: true }
    for (const partner of await findConnectedPartners(deps.db)) {
      for await (const { batch } of pages(partner.zoho_id)) {
        const records = batch?.records ?? []
        const rows = await findRowsOf(deps, module, records.map(idOf))
        const rowOf = new Map(rows.map((row) => [row.zoho_id, row]))
        const differing = records.filter((record) => {
          const row = rowOf.get(record.zoho_id)
          return row && columns.some((column) => Reflect.get(record, column) !== Reflect.get(row, column))
        })
        await pullRecords(pull, module, differing.map(idOf))
      }
    }
  }
  await keepFieldNames(deps.db, module, now)
}

function idOf({ zoho_id }: { zoho_id: string }): string {
  return zoho_id
}
