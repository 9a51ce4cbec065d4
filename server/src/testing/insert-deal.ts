import type { Insertable } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { newId } from '../platform/db/ids.ts'
import { searchColumns } from '../platform/db/search-columns.ts'
import type { Tables } from '../platform/db/tables.ts'

type DealValues = Insertable<Tables['deals']>

let deals = 0

/** Inserts a deal with the values that the test gives, but no history and no event. */
export async function insertDeal(db: Db, partnerId: string, deal: Partial<DealValues> = {}): Promise<DealValues> {
  deals += 1
  const at = deal.created_at ?? new Date(Date.now() + deals).toISOString()
  const row: DealValues = {
    id: newId(),
    partner_id: partnerId,
    loid: `LO-D${String(deals).padStart(7, '0')}`,
    deal_name: `Deal ${deals}`,
    stage: 'Approved',
    crm: 'synced',
    created_at: at,
    modified_time: at,
    ...deal,
  }
  await db
    .insertInto('deals')
    .values({ ...row, ...searchColumns('deals', row) })
    .execute()
  return row
}
