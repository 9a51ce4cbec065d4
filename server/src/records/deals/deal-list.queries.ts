import type { Deal, DealExport, DealFilters, DealSortColumn } from '@portal/contract/deals.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Listed } from '../../platform/db/find-newest.ts'
import {
  alphabetical,
  BY_CHANGE,
  byValue,
  everyRow,
  findPage,
  firstPage,
  inOrderOf,
  orderOf,
} from '../../platform/db/find-page.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { isId } from '../../platform/db/ids.ts'
import type { Page } from '../../platform/db/paging.ts'
import type { ReadSource } from '../../platform/db/replica.ts'
import { type Sender, sendNamed } from '../../platform/db/send-named.ts'
import { dayOrEarlier, dayOrLater, oneOf } from '../../platform/db/sql-conditions.ts'
import { DEAL_COLUMNS } from '../../platform/db/tables.ts'
import { type PassedTurn, passedTurnUnless } from '../histories/answered-turns.queries.ts'
import type { StatusMeanings } from '../histories/status-meanings.ts'
import { isTurnOf } from '../histories/turn-filter.queries.ts'
import { countRecords, OPEN_RECORDS } from '../kinds/record-counts.queries.ts'

/** A deal with what decides whose turn it is. */
type FoundDeal = Omit<Deal, 'side'> & PassedTurn

/**
 * Finds a page of deals, newest first or sorted, without archived deals. First finds the ids, and then reads only the
 * rows of the page. Without a search, the ids come from an index alone, unless a filter and another order come together.
 */
export async function findDeals(
  source: ReadSource,
  partnerId: string,
  filters: DealFilters,
  timezone: string,
  statusMeanings: StatusMeanings,
): Promise<Page<FoundDeal>> {
  const listed = await listedDeals(source, partnerId, filters, timezone, statusMeanings)
  const order = orderOf(filters, DEAL_ORDERS)
  const { ids, pagination } = await findPage(source, listed, { ...filters, order })
  const notPartnersTurn = statusMeanings.notPartnersTurn['deal-stage']
  return { rows: await findDealsInOrder(source.reads, partnerId, ids, notPartnersTurn), pagination }
}

/** The partner's deals with these ids, in their order, without those that have gone since the ids were found. */
export async function findDealsInOrder(
  reads: Reads,
  partnerId: string,
  ids: readonly string[],
  notPartnersTurn: readonly string[],
): Promise<FoundDeal[]> {
  if (ids.length === 0) return []
  const rows = await sendNamed<FoundDeal>(reads, {
    sql: `select ${LISTED} from deals where partner_id = $1 and id = any($2)`,
    parameters: [partnerId, ids, notPartnersTurn],
  })
  return inOrderOf(ids, rows)
}

/** Finds the first page of the list without filters, which every visit requests. */
export async function findNewestDeals(
  reads: Reads,
  partnerId: string,
  limit: number,
  notPartnersTurn: readonly string[],
): Promise<Page<FoundDeal>> {
  const rows = await sendNamed<FoundDeal & { total: number | null }>(reads, {
    sql: `select ${LISTED}, (${OPEN_RECORDS.deals}) as total
            from deals
           where partner_id = $1 and archived_at is null
           order by created_at desc, id desc
           limit $2`,
    parameters: [partnerId, limit + 1, notPartnersTurn],
  })
  return firstPage(rows, limit)
}

/** SQL: the columns of a `FoundDeal` of the partner $1, which has nothing to do in the stages $3. */
const LISTED = `${DEAL_COLUMNS.join(', ')}, ${passedTurnUnless('deals', '$3')}`

const DEAL_ORDERS: Record<DealSortColumn, RawBuilder<unknown>> = {
  deal_name: alphabetical(sql.ref('deal_name')),
  loid: sql.ref('loid'),
  amount: sql.ref('amount'),
  stage: sql.ref('stage'),
  created_at: sql.ref('created_at'),
  modified_time: sql.ref('modified_time'),
}

async function listedDeals(
  sender: Sender,
  partnerId: string,
  filters: DealExport,
  timezone: string,
  statusMeanings: StatusMeanings,
): Promise<Listed> {
  const { stage, minAmount, dateFrom, dateTo, changedFrom, person, turn } = filters
  const zone = filters.timezone ?? timezone
  const among = [sql<SqlBool>`archived_at is null`]
  if (dateFrom) among.push(dayOrLater(sql.ref('created_at'), dateFrom, zone))
  if (dateTo) among.push(dayOrEarlier(sql.ref('created_at'), dateTo, zone))
  const matching: RawBuilder<SqlBool>[] = []
  if (changedFrom) matching.push(dayOrLater(sql.ref('modified_time'), changedFrom, zone))
  if (stage) matching.push(oneOf(sql.ref('stage'), stage))
  if (person) matching.push(isId(person) ? sql`submitter_id = ${person}` : sql`false`)
  if (minAmount !== null) matching.push(sql`amount >= ${minAmount}`)
  if (turn) matching.push(await isTurnOf(sender, partnerId, 'deals', turn, statusMeanings))
  const along = changedFrom ? BY_CHANGE : stage || turn ? byValue('stage') : undefined
  const countedAlong = matching.length === 1 ? along : undefined
  const isCountKept = among.length === 1 && matching.length === (stage ? 1 : 0)
  const keptCount = isCountKept ? () => countRecords(sender.pool, partnerId, 'deal', stage) : undefined
  return { table: 'deals', partnerId, among, matching, countedAlong, keptCount }
}

/** The statement of all rows of the list, with the filters and in the order of its pages. */
export async function everyDeal(
  sender: Sender,
  partnerId: string,
  filters: DealExport,
  timezone: string,
  statusMeanings: StatusMeanings,
): Promise<RawBuilder<Omit<Deal, 'side'>>> {
  const columns = sql<Omit<Deal, 'side'>>`${sql.raw(DEAL_COLUMNS.join(', '))}`
  const listed = await listedDeals(sender, partnerId, filters, timezone, statusMeanings)
  return everyRow(columns, listed, { ...filters, order: orderOf(filters, DEAL_ORDERS) })
}
