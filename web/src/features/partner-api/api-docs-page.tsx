import { useQuery } from '@tanstack/react-query'
import { Braces } from 'lucide-react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Failure, LoadFailure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { ApiReference } from './api-reference.tsx'
import { apiDocsFailureText, INVALID_FORMAT } from './failure-text.ts'
import { apiDocsQuery } from './partner-api.queries.ts'

export function startApiDocs({ queryClient }: PageStart) {
  startQuery(queryClient, apiDocsQuery())
}

export function ApiDocsPage() {
  const docs = useQuery(apiDocsQuery())
  return (
    <>
      <PageHeader
        title="API Docs"
        description="Submit leads from your own systems and receive updates on them."
        actions={
          <a href="/api/openapi.json" target="_blank" rel="noreferrer" className={buttonClass('secondary')}>
            <Braces aria-hidden />
            OpenAPI (JSON)
          </a>
        }
      />
      {docs.isPending && <Spinner label="Loading API documentation" className="min-h-[60dvh]" />}
      {docs.isError && !docs.data && (
        <div className="panel">
          <LoadFailure text={apiDocsFailureText(docs.error)} query={docs} />
        </div>
      )}
      {docs.data === null && (
        <div className="panel">
          <Failure
            text={INVALID_FORMAT}
            detail="The server’s answer lacks authentication, endpoints or examples."
            onRetry={() => void docs.refetch()}
          />
        </div>
      )}
      {docs.data && <ApiReference docs={docs.data} />}
    </>
  )
}
