import type { Deal, DealExport, DealFilters, DealSortColumn } from '@portal/contract/deals.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Listed } from '../../platform/db/find-newest.ts'
import {
  alphabetical,
  BY_CHANGE,
  byValue,
  everyRow,
  findPage,
  inOrderOf,
  orderOf,
} from '../../platform/db/find-page.ts'
import { isId } from '../../platform/db/ids.ts'
import type { Page } from '../../platform/db/paging.ts'
import { type Sender, sendNamed } from '../../platform/db/send-named.ts'
import { dayOrEarlier, dayOrLater, idIn, oneOf } from '../../platform/db/sql-conditions.ts'
import { DEAL_COLUMNS } from '../../platform/db/tables.ts'
import { countRecords } from '../kinds/record-counts.queries.ts'

/**
 * Finds a page of deals, newest first or sorted, without archived deals. First finds the ids, and then reads only the
 * rows of the page. Without a search, the ids come from an index alone, unless a filter and another order come together.
 */
export async function findDeals(
  sender: Sender,
  partnerId: string,
  filters: DealFilters,
  timezone: string,
): Promise<Page<Omit<Deal, 'side'>>> {
  const listed = listedDeals(sender, partnerId, filters, timezone)
  const order = orderOf(filters, DEAL_ORDERS)
  const { ids, pagination } = await findPage(sender, listed, { ...filters, order })
  const statement = sender.db
    .selectFrom('deals')
    .select(DEAL_COLUMNS)
    .where('partner_id', '=', partnerId)
    .where(idIn(ids))
    .compile()
  return { rows: inOrderOf(ids, await sendNamed(sender.pool, statement)), pagination }
}

const DEAL_ORDERS: Record<DealSortColumn, RawBuilder<unknown>> = {
  deal_name: alphabetical(sql.ref('deal_name')),
  loid: sql.ref('loid'),
  amount: sql.ref('amount'),
  stage: sql.ref('stage'),
  created_at: sql.ref('created_at'),
  modified_time: sql.ref('modified_time'),
}

function listedDeals(sender: Sender, partnerId: string, filters: DealExport, timezone: string): Listed {
  const { stage, minAmount, dateFrom, dateTo, changedFrom, person } = filters
  const zone = filters.timezone ?? timezone
  const among = [sql<SqlBool>`archived_at is null`]
  if (dateFrom) among.push(dayOrLater(sql.ref('created_at'), dateFrom, zone))
  if (dateTo) among.push(dayOrEarlier(sql.ref('created_at'), dateTo, zone))
  const matching: RawBuilder<SqlBool>[] = []
  if (changedFrom) matching.push(dayOrLater(sql.ref('modified_time'), changedFrom, zone))
  if (stage) matching.push(oneOf(sql.ref('stage'), stage))
  if (person) matching.push(isId(person) ? sql`submitter_id = ${person}` : sql`false`)
  if (minAmount !== null) matching.push(sql`amount >= ${minAmount}`)
  const along = changedFrom ? BY_CHANGE : stage ? byValue('stage') : undefined
  const countedAlong = matching.length === 1 ? along : undefined
  const isCountKept = among.length === 1 && matching.length === (stage ? 1 : 0)
  const keptCount = isCountKept ? () => countRecords(sender.pool, partnerId, 'deal', stage) : undefined
  return { table: 'deals', partnerId, among, matching, countedAlong, keptCount }
}

/** The statement of all rows of the list, with the filters and in the order of its pages. */
export function everyDeal(
  sender: Sender,
  partnerId: string,
  filters: DealExport,
  timezone: string,
): RawBuilder<Omit<Deal, 'side'>> {
  const columns = sql<Omit<Deal, 'side'>>`${sql.raw(DEAL_COLUMNS.join(', '))}`
  const listed = listedDeals(sender, partnerId, filters, timezone)
  return everyRow(columns, listed, { ...filters, order: orderOf(filters, DEAL_ORDERS) })
}
