import type { Deal, DealFilters } from '@portal/contract/deals.ts'
import { parseLoid } from '@portal/contract/loid.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Reads } from '../../db/hot-reads.ts'
import { isId } from '../../db/ids.ts'
import { createdFrom, createdUntil, everyWordIn } from '../../db/matches.ts'
import { cutPage, offset, type Page } from '../../db/paging.ts'
import { DEAL_COLUMNS, type DealRow } from '../../db/tables.ts'
import { NotFound } from '../../errors.ts'

/** Newest first, without the archived. Reads one row too many, which tells `has_more` without counting. */
export async function findDeals(
  db: Db,
  partnerId: string,
  filters: DealFilters,
  timezone: string,
): Promise<Page<Deal>> {
  const { stage, minAmount, dateFrom, dateTo, search } = filters
  let query = db
    .selectFrom('deals')
    .select(DEAL_COLUMNS)
    .where('partner_id', '=', partnerId)
    .where('archived_at', 'is', null)
  if (stage) query = query.where('stage', '=', stage)
  if (minAmount !== null) query = query.where('amount', '>=', minAmount)
  if (dateFrom) query = query.where((eb) => createdFrom(eb.ref('created_at'), dateFrom, timezone))
  if (dateTo) query = query.where((eb) => createdUntil(eb.ref('created_at'), dateTo, timezone))
  if (search) {
    query = query
      // The wider column has the index; the narrower says what this search looks in.
      .where((eb) => everyWordIn(eb.ref('search_text'), search))
      .where((eb) => everyWordIn(eb.ref('list_text'), search))
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filters.limit + 1)
    .offset(offset(filters))
    .execute()
  return cutPage(rows, filters)
}

/** By LOID or id. */
export async function getDeal(reads: Reads, partnerId: string, idOrLoid: string): Promise<Deal> {
  const key = readKey(idOrLoid)
  if (!key) throw noSuchDeal()
  const { rows } = await reads.query<Deal>({
    name: `deal-by-${key.column}`,
    text: `select ${DEAL_COLUMNS.join(', ')}
             from deals
            where partner_id = $1 and ${key.column} = $2 and archived_at is null`,
    values: [partnerId, key.value],
  })
  const [deal] = rows
  if (!deal) throw noSuchDeal()
  return deal
}

/** The LOID of one of the partner's deals, given by LOID or id. */
export async function getDealLoid(db: Db | Tx, partnerId: string, idOrLoid: string): Promise<string> {
  const key = readKey(idOrLoid)
  const row =
    key &&
    (await db
      .selectFrom('deals')
      .select('loid')
      .where('partner_id', '=', partnerId)
      .where(key.column, '=', key.value)
      .where('archived_at', 'is', null)
      .executeTakeFirst())
  if (!row) throw noSuchDeal()
  return row.loid
}

export function findDealRow(db: Db | Tx, partnerId: string, loid: string): Promise<DealRow | undefined> {
  return db
    .selectFrom('deals')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('loid', '=', loid)
    .executeTakeFirst()
}

function readKey(idOrLoid: string): { column: 'id' | 'loid'; value: string } | undefined {
  if (isId(idOrLoid)) return { column: 'id', value: idOrLoid }
  const loid = parseLoid(idOrLoid)
  return loid === null ? undefined : { column: 'loid', value: loid }
}

function noSuchDeal(): NotFound {
  return new NotFound('Deal not found')
}
