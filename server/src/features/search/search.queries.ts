import { SEARCH_TOTAL_MAX } from '@portal/contract/limits.ts'
import { sql } from 'kysely'
import { searchNewest } from '../../platform/db/find-newest.ts'
import type { ReadSource } from '../../platform/db/replica.ts'
import { findDealsInOrder } from '../../records/deals/deal-list.queries.ts'
import { findLeadsInOrder } from '../../records/leads/lead-list.queries.ts'

/**
 * Returns one page of the matches, newest first. `total` is exact up to SEARCH_TOTAL_MAX. A total of one more than this
 * means that there are further matches, which no page shows (D24, D55).
 */
export async function searchLeads(
  source: ReadSource,
  partner: { id: string; businessName: string },
  text: string,
  paging: Paging,
  notPartnersTurn: readonly string[],
) {
  const { ids, total } = await searchNewest(
    source,
    { table: 'leads', partnerId: partner.id, among: [sql`converted_at is null and archived_at is null`], matching: [] },
    { text, scope: 'all' },
    partOf(paging),
    SEARCH_TOTAL_MAX + 1,
  )
  return { rows: await findLeadsInOrder(source.reads, partner, ids, notPartnersTurn), total }
}

export async function searchDeals(
  source: ReadSource,
  partnerId: string,
  text: string,
  paging: Paging,
  notPartnersTurn: readonly string[],
) {
  const { ids, total } = await searchNewest(
    source,
    { table: 'deals', partnerId, among: [sql`archived_at is null`], matching: [] },
    { text, scope: 'all' },
    partOf(paging),
    SEARCH_TOTAL_MAX + 1,
  )
  return { rows: await findDealsInOrder(source.reads, partnerId, ids, notPartnersTurn), total }
}

interface Paging {
  page: number
  limit: number
}

function partOf({ page, limit }: Paging): { offset: number; limit: number } {
  const offset = Math.min((page - 1) * limit, SEARCH_TOTAL_MAX)
  return { offset, limit: Math.min(limit, SEARCH_TOTAL_MAX - offset) }
}
