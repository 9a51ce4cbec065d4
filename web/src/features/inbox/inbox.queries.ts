import { readTimeZone } from '@portal/contract/dashboard.ts'
import { markNewsSeen, type News, readNews } from '@portal/contract/inbox.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import { tellOtherTabs } from './other-tabs.ts'

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

/** Shows what the person has just read or put away as such, here and on the person's other pages. */
export function refreshAfterReading(queryClient: QueryClient) {
  tellOtherTabs()
  return refreshInbox(queryClient)
}

export function refreshInbox(queryClient: QueryClient) {
  return queryClient.invalidateQueries({ queryKey: ['inbox'] })
}

/** Marks all news up to this answer as seen, but no later news. */
export async function markAllSeen(queryClient: QueryClient, { until, snapshot }: News) {
  await call(markNewsSeen, { body: { until, snapshot } })
  await refreshAfterReading(queryClient)
}

export async function markRecordSeen(queryClient: QueryClient, { until, snapshot }: News, loid: string) {
  await call(markNewsSeen, { body: { until, snapshot, loid } })
  await refreshAfterReading(queryClient)
}
