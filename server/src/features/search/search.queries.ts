import { SEARCH_TOTAL_MAX } from '@portal/contract/limits.ts'
import { sql } from 'kysely'
import { searchNewest } from '../../platform/db/find-newest.ts'
import { type Sender, sendNamed } from '../../platform/db/send-named.ts'
import { idIn } from '../../platform/db/sql-conditions.ts'
import { DEAL_COLUMNS, LEAD_COLUMNS } from '../../platform/db/tables.ts'
import { VERDICT } from '../../records/leads/leads.queries.ts'

/**
 * Returns one page of the matches, newest first. `total` is exact up to SEARCH_TOTAL_MAX. A total of one more than this
 * means that there are further matches, which no page shows (D24, D55).
 */
export async function searchLeads(
  sender: Sender,
  partner: { id: string; businessName: string },
  text: string,
  paging: Paging,
) {
  const ids = await searchNewest(
    sender,
    { table: 'leads', partnerId: partner.id, among: [sql`converted_at is null and archived_at is null`], matching: [] },
    { text, scope: 'all' },
    { offset: 0, limit: SEARCH_TOTAL_MAX + 1 },
  )
  if (ids.length === 0) return { rows: [], total: 0 }
  const statement = sender.db
    .selectFrom('leads')
    .select(LEAD_COLUMNS)
    .select(VERDICT)
    .select([
      sql<string | null>`nullif(concat_ws(' ', first_name, last_name), '')`.as('lead_name'),
      sql<string>`${partner.businessName}::text`.as('partner'),
    ])
    .where('partner_id', '=', partner.id)
    .where(idIn(pageOf(ids, paging)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .compile()
  return { rows: await sendNamed(sender.pool, statement), total: ids.length }
}

export async function searchDeals(sender: Sender, partnerId: string, text: string, paging: Paging) {
  const ids = await searchNewest(
    sender,
    { table: 'deals', partnerId, among: [sql`archived_at is null`], matching: [] },
    { text, scope: 'all' },
    { offset: 0, limit: SEARCH_TOTAL_MAX + 1 },
  )
  if (ids.length === 0) return { rows: [], total: 0 }
  const statement = sender.db
    .selectFrom('deals')
    .select(DEAL_COLUMNS)
    .select('contact_name as contact_person')
    .where('partner_id', '=', partnerId)
    .where(idIn(pageOf(ids, paging)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .compile()
  return { rows: await sendNamed(sender.pool, statement), total: ids.length }
}

interface Paging {
  page: number
  limit: number
}

function pageOf(ids: string[], { page, limit }: Paging): string[] {
  return ids.slice((page - 1) * limit, Math.min(page * limit, SEARCH_TOTAL_MAX))
}
