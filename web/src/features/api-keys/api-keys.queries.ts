import { type ApiKeyStatus, listNamedKeys, type NamedKey, readApiKeyStatus } from '@portal/contract/api-keys.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'

export function apiKeyStatusQuery() {
  return queryOptions({
    queryKey: ['api-keys', 'status'],
    queryFn: ({ signal }) => call(readApiKeyStatus, { signal }),
    // The time of the key's last use changes without an action on this page.
    ...LIST_FRESHNESS,
  })
}

export function showApiKeyStatus(queryClient: QueryClient, status: ApiKeyStatus) {
  queryClient.setQueryData(apiKeyStatusQuery().queryKey, status)
}

export function namedKeysQuery() {
  return queryOptions({
    queryKey: ['api-keys', 'named'],
    queryFn: ({ signal }) => call(listNamedKeys, { signal }),
    // The times of the keys' last uses change without an action on this page.
    ...LIST_FRESHNESS,
  })
}

export function showNamedKeys(queryClient: QueryClient, keys: { keys: NamedKey[] }) {
  queryClient.setQueryData(namedKeysQuery().queryKey, keys)
}
