import { readTimeZone } from '@portal/contract/dashboard.ts'
import { markNewsSeen, type News, readNews } from '@portal/contract/inbox.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

export function newsQuery() {
  return queryOptions({
    queryKey: ['inbox', 'news'],
    queryFn: ({ signal }) => call(readNews, { signal }),
    ...LIST_FRESHNESS,
  })
}

export function timeZoneQuery() {
  return queryOptions({
    queryKey: ['time-zone'],
    queryFn: ({ signal }) => call(readTimeZone, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function refreshInbox(queryClient: QueryClient) {
  return queryClient.invalidateQueries({ queryKey: ['inbox'] })
}

/** Marks all news up to this answer as seen, but no later news. */
export async function markAllSeen(queryClient: QueryClient, { until, snapshot }: News) {
  await call(markNewsSeen, { body: { until, snapshot } })
  await refreshInbox(queryClient)
}

export async function markRecordSeen(queryClient: QueryClient, { until, snapshot }: News, loid: string) {
  await call(markNewsSeen, { body: { until, snapshot, loid } })
  await refreshInbox(queryClient)
}
