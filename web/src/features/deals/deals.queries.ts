import {
  DEAL_SORT_COLUMNS,
  type DealSortColumn,
  exportDeals,
  listDeals,
  listStages,
  readDeal,
  readStageHistory,
} from '@portal/contract/deals.ts'
import { readStatusHistory } from '@portal/contract/leads.ts'
import { MONEY_MAX, PAGE_SIZE } from '@portal/contract/limits.ts'
import { parseMoney } from '@portal/contract/money.ts'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import type { DealListSearch } from '../../app/search-params.ts'
import { browserTimeZone, zoneOfDays } from '../../format/time-zone.ts'
import { type Sort, serverSort } from '../../ui/sort.ts'
import { timelineQuery } from '../referral/referral.queries.ts'
import { saveFile } from '../views/save-file.ts'

/** How often a deal's page fetches the deal again while the deal or one of its notes waits to reach the CRM. */
const PENDING_POLL_MS = 4_000
const LIST_PENDING_POLL_MS = 10_000

export type DealListFilters = Omit<DealListSearch, 'sort' | 'sorted' | 'minAmount' | 'view'> & {
  minAmount?: number
} & ReturnType<typeof dealOrder>

export const DEAL_SORT: Sort<DealSortColumn> = { column: 'created_at', direction: 'descending' }

/** Reads the filters of an address. A minimum that is not one amount (D141) is dropped. */
export function dealFiltersOf({ sort, sorted, minAmount, view: _, ...filters }: DealListSearch): DealListFilters {
  const amount = parseMoney(minAmount ?? '')
  return {
    ...filters,
    ...dealOrder({ sort, sorted }),
    minAmount: amount && amount <= MONEY_MAX ? amount : undefined,
  }
}

function dealOrder(search: Pick<DealListSearch, 'sort' | 'sorted'>) {
  return serverSort(search, DEAL_SORT_COLUMNS, DEAL_SORT)
}

/** After a change of page or filter, the old rows stay until the new rows have loaded. */
export function dealListQuery(filters: DealListFilters) {
  return queryOptions({
    queryKey: ['deals', 'list', filters],
    queryFn: async ({ signal, client }) => {
      const page = await call(listDeals, { query: { ...filters, ...zoneOfDays(filters), limit: PAGE_SIZE }, signal })
      for (const deal of page.data.deals) forgetOutdated(client, deal)
      return page
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.deals.some((deal) => deal.crm === 'pending') ? LIST_PENDING_POLL_MS : false,
    ...LIST_FRESHNESS,
  })
}

export function stagesQuery() {
  return queryOptions({ queryKey: ['deals', 'stages'], queryFn: ({ signal }) => call(listStages, { signal }) })
}

export function dealQuery(loid: string) {
  return queryOptions({
    queryKey: ['deals', 'detail', loid],
    queryFn: ({ signal }) => call(readDeal, { params: { id: loid }, signal }),
    enabled: loid !== '',
    refetchInterval: ({ state }) =>
      state.data?.deal.crm === 'pending' || state.data?.notes.some((note) => note.crm === 'pending')
        ? PENDING_POLL_MS
        : false,
    ...LIST_FRESHNESS,
  })
}

export function stageHistoryQuery(loid: string) {
  return queryOptions({
    queryKey: ['deals', 'stage-history', loid],
    queryFn: ({ signal }) => call(readStageHistory, { params: { id: loid }, signal }),
    enabled: loid !== '',
    ...LIST_FRESHNESS,
  })
}

/** The statuses of the leads that became the deal. The deal's LOID finds them (D17, D49). */
export function leadHistoryQuery(loid: string) {
  return queryOptions({
    queryKey: ['deals', 'lead-history', loid],
    queryFn: ({ signal }) => call(readStatusHistory, { params: { id: loid }, signal }),
    ...LIST_FRESHNESS,
  })
}

/** If the list has a newer version of a deal than the cache, opening the deal's page fetches the deal again. */
function forgetOutdated(client: QueryClient, { loid, modified_time }: { loid: string; modified_time: string }): void {
  const seen = client.getQueryData(dealQuery(loid).queryKey)
  if (!seen || seen.deal.modified_time >= modified_time) return
  for (const query of [dealQuery(loid), stageHistoryQuery(loid), timelineQuery({ kind: 'deal', loid })])
    void client.invalidateQueries({ queryKey: query.queryKey })
}

/** Saves all rows of the list, with its filters and in its order, or says why it could not. */
export async function saveDeals(search: DealListSearch): Promise<void> {
  const { page: _, ...filters } = dealFiltersOf({ ...search, sorted: 'all' })
  await saveFile(exportDeals, { query: { ...filters, timezone: browserTimeZone() } }, 'deals.csv')
}
