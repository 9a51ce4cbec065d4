import type { Pagination } from '@portal/contract/answer.ts'
import { LIST_TOTAL_MAX } from '@portal/contract/limits.ts'
import { type Expression, type RawBuilder, sql } from 'kysely'
import { contains, countUpTo, findNewest, type Listed, searchNewest, sendFiltered } from './find-newest.ts'
import { cutPage, offset, type Page } from './paging.ts'
import { type Sender, sendNamed } from './send-named.ts'
import { allOf, idIn } from './sql-conditions.ts'

const COUNTED_MAX = LIST_TOTAL_MAX + 1

export interface Order {
  /** What is sorted by. An index `*_sorted_by_*` has it after the partner. */
  by: RawBuilder<unknown>
  isDescending: boolean
}

interface Asked {
  page: number
  limit: number
  search?: string | undefined
  searchIn?: 'list' | 'all' | undefined
  /** Undefined means newest first. */
  order: Order | undefined
}

/**
 * Finds the ids of one page of leads or deals, and how many there are in all, counted up to LIST_TOTAL_MAX + 1 (D80). A
 * page that ends the list needs no counting. A search that is sorted sorts the newest LIST_TOTAL_MAX + 1 of what it finds.
 */
export async function findPage(
  sender: Sender,
  listed: Listed,
  asked: Asked,
): Promise<{ ids: string[]; pagination: Pagination }> {
  const { page, limit, search, searchIn: scope = 'list', order } = asked
  const part = { offset: offset(asked), limit: limit + 1 }
  const all = { offset: 0, limit: COUNTED_MAX }
  const searched = search
    ? await searchNewest(sender, listed, { text: search, scope }, order ? all : part, COUNTED_MAX)
    : undefined
  const isOfChange = order && !searched && listed.countedAlong === BY_CHANGE
  const changed = isOfChange ? await countUpTo(sender, listed, COUNTED_MAX) : undefined
  const findIds = () => {
    if (searched) return order ? sortFound(sender, listed, searched.ids, order, part) : searched.ids
    const areFew = changed !== undefined && changed < COUNTED_MAX
    return order && areFew ? sortFew(sender, listed, order, part) : findSorted(sender, listed, order, part)
  }
  const found = await findIds()
  const has_more = found.length > limit
  const isLastPage = !has_more && (found.length > 0 || page === 1)
  const total = isLastPage
    ? part.offset + found.length
    : (searched?.total ?? changed ?? (await (listed.keptCount?.() ?? countUpTo(sender, listed, COUNTED_MAX))))
  return {
    ids: found.slice(0, limit),
    pagination: { page, limit, has_more, total: Math.min(total, COUNTED_MAX) },
  }
}

/**
 * Rows without a value come last in either direction, as on the page. Two parts, each read along its index, are cheaper
 * than one order that no index has.
 */
async function findSorted(
  sender: Sender,
  listed: Listed,
  order: Order | undefined,
  part: { offset: number; limit: number },
): Promise<string[]> {
  if (!order) return findNewest(sender, listed, part)
  const { by } = order
  const where = sql`partner_id = ${listed.partnerId} and ${allOf([...listed.among, ...listed.matching])}`
  const direction = along(order)
  const end = part.offset + part.limit
  const statement = sql<{ id: string }>`
    select id from (
      (select id, created_at, ${by} as value, 0 as place from ${sql.table(listed.table)}
        where ${where} and ${by} is not null order by ${by} ${direction} limit ${end})
      union all
      (select id, created_at, ${by}, 1 from ${sql.table(listed.table)}
        where ${where} and ${by} is null order by created_at desc, id desc limit ${end})
    ) found
     order by place, value ${direction}
     limit ${part.limit} offset ${part.offset}`
  const rows = await sendFiltered(sender, listed, statement)
  return rows.map((row) => row.id)
}

/**
 * Gathers the rows along the index that has just these, and sorts them. In the wanted order they may be the last of the
 * partner's, so that its index would be read to the end.
 */
async function sortFew(
  sender: Sender,
  listed: Listed,
  { by, isDescending }: Order,
  part: { offset: number; limit: number },
): Promise<string[]> {
  const statement = sql<{ id: string }>`
    select id from (select id, created_at, ${by} as value from ${sql.table(listed.table)}
                     where partner_id = ${listed.partnerId} and ${allOf([...listed.among, ...listed.matching])}
                    offset 0) few
     order by value is null, value ${along({ by, isDescending })} limit ${part.limit} offset ${part.offset}`
  const rows = await sendFiltered(sender, listed, statement)
  return rows.map((row) => row.id)
}

/** Sorts what a search has found. No index helps, so that each row is read once. */
async function sortFound(
  { db, pool }: Sender,
  { table, partnerId }: Listed,
  ids: string[],
  order: Order,
  part: { offset: number; limit: number },
): Promise<string[]> {
  const statement = sql<{ id: string }>`
    select id from ${sql.table(table)} where partner_id = ${partnerId} and ${idIn(ids)}
     order by ${wholeOrder(order)} limit ${part.limit} offset ${part.offset}`
  const rows = await sendNamed(pool, statement.compile(db))
  return rows.map((row) => row.id)
}

/** What `countedAlong` is if the rows are limited only by the day of their last change. */
export const BY_CHANGE = sql`modified_time desc, created_at, id`

/**
 * What `countedAlong` is if the rows are limited by some values of this column and by nothing but their day. In the list's
 * own order PostgreSQL gathers all rows of several values before it counts the first.
 */
export function byValue(column: string): RawBuilder<unknown> {
  return sql`${sql.ref(column)}, created_at desc, id desc`
}

/** The statement of all rows, in the order in which `findPage` pages through them, however many a search finds. */
export function everyRow<Row>(
  columns: RawBuilder<Row>,
  { table, partnerId, among, matching }: Listed,
  { search, searchIn = 'list', order }: Pick<Asked, 'search' | 'searchIn' | 'order'>,
): RawBuilder<Row> {
  const found = search ? [contains({ text: search, scope: searchIn })] : []
  return sql<Row>`
    select ${columns} from ${sql.table(table)}
     where partner_id = ${partnerId} and ${allOf([...among, ...matching, ...found])}
     order by ${wholeOrder(order)}`
}

function wholeOrder(order: Order | undefined): RawBuilder<unknown> {
  return order ? sql`${order.by} is null, ${order.by} ${along(order)}` : sql`created_at desc, id desc`
}

/** An index that is read backwards turns the order of equal values as well. */
function along({ isDescending }: Order): RawBuilder<unknown> {
  return isDescending ? sql`desc, created_at, id` : sql`asc, created_at desc, id desc`
}

/** What the parameters `sort` and `order` say; undefined if nothing. Descending is the default, as with a first click on a column. */
export function orderOf<Column extends string>(
  { sort, order }: { sort?: Column | undefined; order?: 'asc' | 'desc' | undefined },
  orders: Record<NoInfer<Column>, RawBuilder<unknown>> & { created_at: RawBuilder<unknown> },
): Order | undefined {
  if (!sort && !order) return undefined
  return { by: sort ? orders[sort] : orders.created_at, isDescending: order !== 'asc' }
}

/** A text as people sort it: capitals and marks decide only between names that are otherwise the same. */
export function alphabetical(column: Expression<string | null>): RawBuilder<unknown> {
  return sql`${column} collate "und-x-icu"`
}

/** Whether the first page of the whole list is asked for, without a filter, search or order. */
export function isPlainFirstPage({ page, limit: _limit, ...filters }: { page: number; limit: number }): boolean {
  return page === 1 && Object.values(filters).every((value) => value === undefined || value === null)
}

/** The first page of a list, of rows that were read with one more than the page has and with how many there are in all. */
export function firstPage<Row extends { total: number | null }>(rows: Row[], limit: number): Page<Row> {
  const page = cutPage(rows, { page: 1, limit })
  const total = (page.pagination.has_more && rows[0]?.total) || rows.length
  return { ...page, pagination: { ...page.pagination, total: Math.min(total, COUNTED_MAX) } }
}

/** The rows in the order of their ids, without those that have gone since the ids were found. */
export function inOrderOf<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
