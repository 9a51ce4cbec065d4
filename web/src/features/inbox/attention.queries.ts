import { type AttentionItem, putAway, readAttention } from '@portal/contract/attention.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

export function attentionQuery() {
  return queryOptions({
    queryKey: ['inbox', 'attention'],
    queryFn: ({ signal }) => call(readAttention, { signal }),
    ...LIST_FRESHNESS,
  })
}

export async function putItemAway(queryClient: QueryClient, { id }: AttentionItem) {
  await call(putAway, { params: { id } })
  await queryClient.invalidateQueries({ queryKey: attentionQuery().queryKey })
}
