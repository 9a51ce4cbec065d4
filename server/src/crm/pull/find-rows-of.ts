import type { Deps } from '../../deps.ts'
import type { CrmModule } from '../../records/crm-records.ts'
import { DEAL_TABLE, type StoredDeal } from '../../records/deals/deal-table.ts'
import { findRowsOfAllPartners } from '../../records/kinds/crm-rows.queries.ts'
import { LEAD_TABLE, type StoredLead } from '../../records/leads/lead-table.ts'

/** Finds the rows of these CRM records, whatever their partner, including archived rows. */
export function findRowsOf(
  { db }: Pick<Deps, 'db'>,
  module: CrmModule,
  zohoIds: readonly string[],
): Promise<(StoredLead | StoredDeal)[]> {
  return module === 'Leads'
    ? findRowsOfAllPartners(db, LEAD_TABLE, zohoIds)
    : findRowsOfAllPartners(db, DEAL_TABLE, zohoIds)
}
