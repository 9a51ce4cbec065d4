import { search } from '@portal/contract/search.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

/** The newest leads and deals that contain the words: as many of each as a page has, unless fewer are enough. */
export function searchQuery(q: string, limit?: number) {
  return queryOptions({
    queryKey: ['search', q, limit],
    queryFn: ({ signal }) => call(search, { query: { q, limit }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
    ...LIST_FRESHNESS,
  })
}
