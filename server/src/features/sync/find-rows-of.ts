import { findRowsOfAllPartners } from '../../apply/crm-rows.queries.ts'
import type { Deps } from '../../deps.ts'
import type { CrmModule } from '../../zoho/crm-records.ts'
import { DEAL_TABLE, type StoredDeal } from '../deals/deal-table.ts'
import { LEAD_TABLE, type StoredLead } from '../leads/lead-table.ts'

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
