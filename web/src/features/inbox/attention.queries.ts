import { markDone, readAttention, remindMe } from '@portal/contract/attention.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import { refreshAfterReading } from './inbox.queries.ts'

export function attentionQuery() {
  return queryOptions({
    queryKey: ['inbox', 'attention'],
    queryFn: ({ signal }) => call(readAttention, { signal }),
    ...LIST_FRESHNESS,
  })
}

/** Marks an item as done for the whole business. */
export async function markItemDone(queryClient: QueryClient, id: string) {
  await call(markDone, { params: { id } })
  await refreshAfterReading(queryClient)
}

/** Hides an item from the person until this time. */
export async function remindOfItem(queryClient: QueryClient, id: string, until: Date) {
  await call(remindMe, { params: { id }, body: { until: until.toISOString() } })
  await refreshAfterReading(queryClient)
}
