import { WEBHOOK_LOG_STATUSES, type WebhookLog } from '@portal/contract/webhooks.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useEffect, useRef } from 'react'
import { failureDetail } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { type WebhookLogSearch, webhookLogSearch } from '../../app/search-params.ts'
import { useNavigate, useSearch } from '../../router/router-view.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { DeliveryGuide } from './delivery-guide.tsx'
import { EndpointPanel } from './endpoint-panel.tsx'
import { WebhookLogPanel } from './webhook-log-panel.tsx'
import { webhookEndpointQuery, webhookLogsQuery } from './webhooks.queries.ts'

export function startWebhook({ queryClient, search }: PageStart) {
  startQuery(queryClient, webhookEndpointQuery())
  startQuery(queryClient, webhookLogsQuery(knownFilters(webhookLogSearch(search))))
}

/** Drops an unknown status from the filters. */
function knownFilters({ status, ...filters }: WebhookLogSearch) {
  return { ...filters, status: WEBHOOK_LOG_STATUSES.find((one) => one === status) }
}

export function WebhookPage() {
  const search = knownFilters(useSearch(webhookLogSearch))
  const navigate = useNavigate()
  const endpoint = useQuery(webhookEndpointQuery())
  const logs = useQuery(webhookLogsQuery(search))
  useEndpointInStep(logs.data?.data)

  function handleChange(change: Partial<WebhookLogSearch>) {
    void navigate({
      ...paths.webhook,
      search: (previous) => ({ ...webhookLogSearch(previous), ...change }),
      resetScroll: false,
    })
  }

  function handleRetry() {
    void endpoint.refetch()
    void logs.refetch()
  }

  return (
    <>
      <PageHeader
        title="Webhook"
        description="Send every event of your leads and deals to your server, and see these deliveries and your systems’ submissions."
      />
      {endpoint.isError && !endpoint.data ? (
        <div className="panel">
          <Failure text="Failed to load webhook data" detail={failureDetail(endpoint.error)} onRetry={handleRetry} />
        </div>
      ) : (
        <div className="stack gap-8">
          {endpoint.data ? (
            <>
              <EndpointPanel endpoint={endpoint.data} />
              {/* On narrower screens the log comes before the guide, which a person reads only once. */}
              <div className="min-w-0 xl:order-1">
                <WebhookLogPanel logs={logs} search={search} onChange={handleChange} />
              </div>
              {/* Below a log of any length, it would move when the log comes. */}
              <div className={clsx(logs.isPending && 'max-xl:hidden')}>
                <DeliveryGuide />
              </div>
            </>
          ) : (
            <WaitingEndpoint />
          )}
        </div>
      )}
    </>
  )
}

/**
 * Fetches the endpoint again when the log shows new attempts, because the endpoint may now be failing, disabled or
 * working again.
 */
function useEndpointInStep(logs: readonly WebhookLog[] | undefined) {
  const queryClient = useQueryClient()
  const attempted = logs?.map(({ id, status, attempts }) => `${id} ${status} ${attempts}`).join()
  const before = useRef(attempted)
  useEffect(() => {
    const isNews = before.current !== undefined && before.current !== attempted
    before.current = attempted
    if (isNews) void queryClient.invalidateQueries(webhookEndpointQuery())
  }, [attempted, queryClient])
}

function WaitingEndpoint() {
  return (
    <div role="status" aria-label="Loading webhook" className="panel grid content-start gap-5 p-5">
      <Skeleton className="h-4 w-32" />
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-9 w-56" />
    </div>
  )
}
