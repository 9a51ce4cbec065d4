import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { failureText } from '../../api/failure.ts'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { pipelineQuery } from './dashboard.queries.ts'

const Pipeline = lazy(() => import('./pipeline.tsx').then((module) => ({ default: module.Pipeline })))

/** Shown only when there are deals to show (section 2). */
export function PipelineSection() {
  const pipeline = useQuery(pipelineQuery())
  if (pipeline.isSuccess && pipeline.data.pipeline.length === 0) return null
  return (
    <Card title="Deal Pipeline" padded={false}>
      <div className="grid min-h-96 grid-cols-1">
        {pipeline.isPending && <Spinner label="Loading pipeline" />}
        {pipeline.isError && (
          <Failure
            text="Failed to load pipeline"
            detail={failureText(pipeline.error)}
            onRetry={() => void pipeline.refetch()}
          />
        )}
        {pipeline.isSuccess && (
          <Suspense fallback={<Spinner label="Loading pipeline" />}>
            <Pipeline stages={pipeline.data.pipeline} />
          </Suspense>
        )}
      </div>
    </Card>
  )
}
