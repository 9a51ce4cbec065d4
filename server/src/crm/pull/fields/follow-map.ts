import type { Deps } from '../../../deps.ts'
import type { CrmDeal, CrmLead, CrmModule } from '../../../records/crm-records.ts'
import { DEAL_TABLE, ERASED_DEAL } from '../../../records/deals/deal-table.ts'
import { writeValues } from '../../../records/kinds/field-groups.queries.ts'
import { findFieldNames, keepFieldNames } from '../../../records/kinds/field-names.queries.ts'
import { ERASED_LEAD, LEAD_TABLE } from '../../../records/leads/lead-table.ts'
import { findConnectedPartners } from '../../../records/partners/partners-in-crm.queries.ts'
import { fieldsOf } from '../../zoho/fields.ts'

/**
 * What is more than the value of one field: histories belong to the status and the stage, and the names of people and
 * businesses are put together.
 */
const NOT_ALONE = ['lead_status', 'stage', 'last_name', 'contact_name']

/**
 * Reads the fields of all records again whose names in CRM_FIELD_MAP have changed: a record that does not change is not
 * read otherwise (D126). Nobody is told. If this is interrupted, the next run begins again.
 */
export async function followFieldMap(deps: Pick<Deps, 'db' | 'crm'>, signal: AbortSignal): Promise<void> {
  const { crm } = deps
  await follow<CrmLead>(deps, 'Leads', {
    table: 'leads',
    columns: LEAD_TABLE.crmColumns,
    names: crm.fieldMap.leads.fields,
    erased: ERASED_LEAD,
    pages: (partnerZohoId) => crm.leadPages(partnerZohoId, signal),
  })
  await follow<CrmDeal>(deps, 'Deals', {
    table: 'deals',
    columns: DEAL_TABLE.crmColumns,
    names: crm.fieldMap.deals.fields,
    erased: ERASED_DEAL,
    pages: (partnerZohoId) => crm.dealPages(partnerZohoId, signal),
  })
}

interface Followed<Item> {
  table: 'leads' | 'deals'
  columns: readonly string[]
  names: object
  /** The columns that stay empty in erased records. */
  erased: object
  pages(partnerZohoId: string): AsyncIterable<{ batch?: { records: Item[] } }>
}

async function follow<Item extends CrmLead | CrmDeal>(
  { db }: Pick<Deps, 'db'>,
  module: CrmModule,
  { table, columns, names, erased, pages }: Followed<Item>,
): Promise<void> {
  const isOptional = new Set(fieldsOf(table).flatMap(([field, description]) => ('group' in description ? [field] : [])))
  const followed = columns.filter((column) => !isOptional.has(column) && !NOT_ALONE.includes(column))
  const now = new Map(
    Object.entries<string>({ ...names }).filter(([field]) => followed.some((column) => column === field)),
  )
  const before = await findFieldNames(db, module)
  const renamed = followed.filter((column) => before.get(column) !== now.get(column))
  if (renamed.length === 0) return
  // The first start of a version that keeps the names cannot know which have changed.
  if (before.size > 0) {
    for (const partner of await findConnectedPartners(db)) {
      for await (const { batch } of pages(partner.zoho_id)) {
        if (batch) await writeValues(db, table, renamed, batch.records, erased)
      }
    }
  }
  await keepFieldNames(db, module, now)
}
