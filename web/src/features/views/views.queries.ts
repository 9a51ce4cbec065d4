import { changeView, createView, listViews, removeView, type ViewedList } from '@portal/contract/views.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

/** The views of all lists, which are few. */
export function viewsQuery() {
  return queryOptions({
    queryKey: ['views'],
    queryFn: ({ signal }) => call(listViews, { signal }),
    ...LIST_FRESHNESS,
  })
}

export function refreshViews(queryClient: QueryClient) {
  return queryClient.invalidateQueries({ queryKey: viewsQuery().queryKey })
}

export function saveView(body: { list: ViewedList; name: string; query: string }) {
  return call(createView, { body, idempotencyKey: crypto.randomUUID() })
}

export function updateView(id: string, body: { name: string } | { is_shared: boolean } | { is_default: boolean }) {
  return call(changeView, { params: { id }, body })
}

export function deleteView(id: string) {
  return call(removeView, { params: { id } })
}
