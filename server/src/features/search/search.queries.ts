import { SEARCH_RESULTS_MAX } from '@portal/contract/limits.ts'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { everyWordIn } from '../../db/matches.ts'
import { DEAL_COLUMNS, LEAD_COLUMNS } from '../../db/tables.ts'

/**
 * Newest first, at most 50; `total` counts all that match (D24). The matches are found in an index that holds what is
 * searched, or by trigrams where a partner has very many, and only the 50 are read whole.
 */
export async function searchLeads(db: Db, partner: { id: string; businessName: string }, text: string) {
  const matching = db
    .selectFrom('leads')
    .where('partner_id', '=', partner.id)
    .where('converted_at', 'is', null)
    .where('archived_at', 'is', null)
    .where((eb) => everyWordIn(eb.ref('search_text'), text))
  const newest = matching.select('id').orderBy('created_at', 'desc').orderBy('id', 'desc').limit(SEARCH_RESULTS_MAX)
  const rows = await db
    .selectFrom('leads')
    .where('id', 'in', newest)
    .select(LEAD_COLUMNS)
    .select([
      sql<string | null>`nullif(concat_ws(' ', first_name, last_name), '')`.as('lead_name'),
      sql<string>`${partner.businessName}::text`.as('partner'),
    ])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return {
    rows,
    total: await total(
      rows.length,
      matching.select((eb) => eb.fn.countAll<number>().as('count')),
    ),
  }
}

export async function searchDeals(db: Db, partnerId: string, text: string) {
  const matching = db
    .selectFrom('deals')
    .where('partner_id', '=', partnerId)
    .where('archived_at', 'is', null)
    .where((eb) => everyWordIn(eb.ref('search_text'), text))
  const newest = matching.select('id').orderBy('created_at', 'desc').orderBy('id', 'desc').limit(SEARCH_RESULTS_MAX)
  const rows = await db
    .selectFrom('deals')
    .where('id', 'in', newest)
    .select(DEAL_COLUMNS)
    .select('contact_name as contact_person')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return {
    rows,
    total: await total(
      rows.length,
      matching.select((eb) => eb.fn.countAll<number>().as('count')),
    ),
  }
}

/** Counts only when there may be more than was read. */
async function total(found: number, count: { executeTakeFirst(): Promise<{ count: number } | undefined> }) {
  if (found < SEARCH_RESULTS_MAX) return found
  return (await count.executeTakeFirst())?.count ?? found
}
