import { SEARCH_TOTAL_MAX } from '@portal/contract/limits.ts'
import { sql } from 'kysely'
import { searchNewest } from '../../platform/db/find-newest.ts'
import { type Sender, sendNamed } from '../../platform/db/send-named.ts'
import { idIn } from '../../platform/db/sql-conditions.ts'
import { DEAL_COLUMNS } from '../../platform/db/tables.ts'
import { selectLeads } from '../../records/leads/lead-list.queries.ts'

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
  const { ids, total } = await searchNewest(
    sender,
    { table: 'leads', partnerId: partner.id, among: [sql`converted_at is null and archived_at is null`], matching: [] },
    { text, scope: 'all' },
    partOf(paging),
    SEARCH_TOTAL_MAX + 1,
  )
  if (ids.length === 0) return { rows: [], total }
  const statement = selectLeads(sender.db, partner)
    .where(idIn(ids))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .compile()
  return { rows: await sendNamed(sender.pool, statement), total }
}

export async function searchDeals(sender: Sender, partnerId: string, text: string, paging: Paging) {
  const { ids, total } = await searchNewest(
    sender,
    { table: 'deals', partnerId, among: [sql`archived_at is null`], matching: [] },
    { text, scope: 'all' },
    partOf(paging),
    SEARCH_TOTAL_MAX + 1,
  )
  if (ids.length === 0) return { rows: [], total }
  const statement = sender.db
    .selectFrom('deals')
    .select(DEAL_COLUMNS)
    .select('contact_name as contact_person')
    .where('partner_id', '=', partnerId)
    .where(idIn(ids))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .compile()
  return { rows: await sendNamed(sender.pool, statement), total }
}

interface Paging {
  page: number
  limit: number
}

function partOf({ page, limit }: Paging): { offset: number; limit: number } {
  const offset = Math.min((page - 1) * limit, SEARCH_TOTAL_MAX)
  return { offset, limit: Math.min(limit, SEARCH_TOTAL_MAX - offset) }
}
