import { useQuery } from '@tanstack/react-query'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { LoadFailure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ApiKeyGuide } from './api-key-guide.tsx'
import { ApiKeyPanel } from './api-key-panel.tsx'
import { apiKeyStatusQuery, namedKeysQuery } from './api-keys.queries.ts'
import { apiKeyFailureText } from './failure-text.ts'
import { NamedKeysCard } from './named-keys-card.tsx'
import { UsageExample } from './usage-example.tsx'

export function startApiKeys({ queryClient }: PageStart) {
  startQuery(queryClient, apiKeyStatusQuery())
  startQuery(queryClient, namedKeysQuery())
}

export function ApiKeysPage() {
  const status = useQuery(apiKeyStatusQuery())
  return (
    <>
      <PageHeader title="API Keys" description="Submit leads from your own systems, without anybody signing in." />
      {status.isError && !status.data ? (
        <div className="panel">
          <LoadFailure text={apiKeyFailureText('status', status.error)} query={status} />
        </div>
      ) : (
        <div className="stack gap-8 xl:grid-cols-[minmax(0,1fr)_22rem]">
          {status.data ? (
            <>
              <div className="stack content-start gap-8">
                <ApiKeyPanel status={status.data} />
                <NamedKeysCard />
                <UsageExample baseUrl={status.data.base_url} />
              </div>
              <ApiKeyGuide />
            </>
          ) : (
            <WaitingKey />
          )}
        </div>
      )}
    </>
  )
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
