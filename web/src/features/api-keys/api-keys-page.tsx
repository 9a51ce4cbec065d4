import { useQuery } from '@tanstack/react-query'
import { failureDetail } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { Failure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ApiKeyGuide } from './api-key-guide.tsx'
import { ApiKeyPanel } from './api-key-panel.tsx'
import { apiKeyStatusQuery } from './api-keys.queries.ts'
import { apiKeyFailureText } from './failure-text.ts'
import { UsageExample } from './usage-example.tsx'

export function startApiKeys({ context: { queryClient } }: PageStart) {
  startQuery(queryClient, apiKeyStatusQuery())
}

export function ApiKeysPage() {
  const status = useQuery(apiKeyStatusQuery())
  return (
    <>
      <PageHeader title="API Keys" description="Submit leads from your own systems, without anybody signing in." />
      {status.isError && !status.data ? (
        <div className="panel">
          <Failure
            text={apiKeyFailureText('status', status.error)}
            detail={failureDetail(status.error)}
            onRetry={() => void status.refetch()}
          />
        </div>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
          <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-6">
            {/* The area is as high without a key as with one, so that the parts below do not move when the status has
                loaded. */}
            <div className="grid min-h-89 min-w-0 grid-cols-[minmax(0,1fr)] gap-6 sm:min-h-78">
              {status.data ? <ApiKeyPanel status={status.data} /> : <WaitingKey />}
            </div>
            {status.data ? <UsageExample baseUrl={status.data.base_url} /> : <WaitingExample />}
          </div>
          <ApiKeyGuide />
        </div>
      )}
    </>
  )
}

function WaitingExample() {
  return <Skeleton className="h-83" />
}

function WaitingKey() {
  return (
    <div role="status" aria-label="Loading API key" className="panel grid content-start gap-5 p-5">
      <Skeleton className="h-4 w-24" />
      <Skeleton className="h-4 w-1/2" />
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-9 w-48" />
    </div>
  )
}
