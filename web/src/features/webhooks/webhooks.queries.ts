import { PAGE_SIZE } from '@portal/contract/limits.ts'
import {
  listWebhookLogs,
  readWebhookLog,
  readWebhookUrl,
  type WebhookEndpoint,
  type WebhookLog,
  type WebhookLogStatus,
} from '@portal/contract/webhooks.ts'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { type Answer, call } from '../../api/call.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import type { WebhookLogSearch } from '../../app/search-params.ts'
import { zoneOfDays } from '../../format/time-zone.ts'

const DUE_POLL_MS = 3_000
/** The interval if no pending delivery is due soon. */
const WAITING_POLL_MS = 30_000

/**
 * The key of the mutations that send test events or repeat deliveries. While such a mutation runs, the log shows new
 * rows at once.
 */
export const SEND_KEY = ['webhooks', 'send']

export function webhookEndpointQuery() {
  return queryOptions({
    queryKey: ['webhooks', 'endpoint'],
    queryFn: ({ signal }) => call(readWebhookUrl, { signal }),
    ...LIST_FRESHNESS,
  })
}

export type WebhookLogPage = Answer<typeof listWebhookLogs>

/**
 * After a change of page or filter, the old rows stay until the new rows have loaded. A page with a pending delivery is
 * fetched again at intervals.
 */
export function webhookLogsQuery(search: WebhookLogSearch & { status: WebhookLogStatus | undefined }) {
  const query = { ...search, limit: PAGE_SIZE }
  return queryOptions({
    queryKey: ['webhooks', 'logs', query],
    queryFn: ({ signal }) => call(listWebhookLogs, { query: { ...query, ...zoneOfDays(search) }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollMs(state.data?.data ?? [], Date.now()),
    ...LIST_FRESHNESS,
  })
}

/** A log row with its attempts. They are fetched again when the row has a new status or a new number of attempts. */
export function webhookAttemptsQuery({ id, status, attempts }: WebhookLog) {
  return queryOptions({
    queryKey: ['webhooks', 'attempts', id, status, attempts],
    queryFn: ({ signal }) => call(readWebhookLog, { params: { id }, signal }),
    placeholderData: keepPreviousData,
  })
}

/** The outcome of a test event. The query polls until the first attempt has ended. */
export function testEventQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'test', id],
    queryFn: ({ signal }) => call(readWebhookLog, { params: { id }, signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isAttempted(state.data) ? false : DUE_POLL_MS / 2),
  })
}

export function isAttempted({ status, attempts }: Pick<WebhookLog, 'status' | 'attempts'>): boolean {
  return status !== 'pending' || attempts > 0
}

export function showEndpoint(queryClient: QueryClient, endpoint: WebhookEndpoint) {
  queryClient.setQueryData(webhookEndpointQuery().queryKey, endpoint)
}

/** Fetches the log and the endpoint again, because a delivery may change whether the endpoint is failing. */
export function refreshAfterDelivery(queryClient: QueryClient) {
  void queryClient.invalidateQueries({ queryKey: ['webhooks', 'logs'] })
  void queryClient.invalidateQueries(webhookEndpointQuery())
}

/** How soon to fetch the log again while deliveries are pending. Returns false if no delivery is pending. */
export function pollMs(logs: readonly WebhookLog[], now: number): number | false {
  const pending = logs.filter((log) => log.status === 'pending')
  if (pending.length === 0) return false
  const isDue = pending.some(
    (log) => Date.parse(log.next_attempt_at ?? '') - now < WAITING_POLL_MS || !log.next_attempt_at,
  )
  return isDue ? DUE_POLL_MS : WAITING_POLL_MS
}
