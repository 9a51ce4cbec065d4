import {
  readPipeline,
  readRecentActivity,
  readStats,
  readTrends,
  type TrendPeriod,
} from '@portal/contract/dashboard.ts'
import { listDeals } from '@portal/contract/deals.ts'
import { listLeads } from '@portal/contract/leads.ts'
import { RECENT_SIZE } from '@portal/contract/limits.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

export function statsQuery() {
  return queryOptions({ queryKey: ['dashboard', 'stats'], queryFn: ({ signal }) => call(readStats, { signal }) })
}

export function activityQuery() {
  return queryOptions({
    queryKey: ['dashboard', 'activity'],
    queryFn: ({ signal }) => call(readRecentActivity, { signal }),
  })
}

export function pipelineQuery() {
  return queryOptions({ queryKey: ['dashboard', 'pipeline'], queryFn: ({ signal }) => call(readPipeline, { signal }) })
}

/** After a switch between weeks and months, the old points stay until the new points have loaded. */
export function trendsQuery(period: TrendPeriod) {
  return queryOptions({
    queryKey: ['dashboard', 'trends', period],
    queryFn: ({ signal }) => call(readTrends, { query: { period }, signal }),
    placeholderData: keepPreviousData,
  })
}

/** The key begins with 'leads', so everything that makes the lead lists stale also makes this query stale. */
export function recentLeadsQuery() {
  return queryOptions({
    queryKey: ['leads', 'recent'],
    queryFn: ({ signal }) => call(listLeads, { query: { page: 1, limit: RECENT_SIZE }, signal }),
    ...LIST_FRESHNESS,
  })
}

export function recentDealsQuery() {
  return queryOptions({
    queryKey: ['deals', 'recent'],
    queryFn: ({ signal }) => call(listDeals, { query: { page: 1, limit: RECENT_SIZE }, signal }),
    ...LIST_FRESHNESS,
  })
}
