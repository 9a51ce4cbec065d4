import type { PipelineStage } from '@portal/contract/dashboard.ts'
import { lazy } from 'react'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Spinner } from '../../ui/spinner.tsx'

/** Fetches the chart's code, so that it comes together with its data rather than after. */
export async function loadPipeline() {
  const { Pipeline } = await import('./pipeline.tsx')
  return { default: Pipeline }
}

const Pipeline = lazy(loadPipeline)

const frameClass = 'grid min-h-96 grid-cols-1'

export function WaitingPipeline() {
  return (
    <Card title="Deal Pipeline" padded={false}>
      <div className={frameClass}>
        <Spinner label="Loading pipeline" />
      </div>
    </Card>
  )
}

export function FailedPipeline({ detail, onRetry }: { detail: string | undefined; onRetry: () => void }) {
  return (
    <Card title="Deal Pipeline" padded={false}>
      <Failure text="Failed to fetch pipeline data" detail={detail} onRetry={onRetry} />
    </Card>
  )
}

/** Shown only when there are deals to show (section 2). */
export function PipelineSection({ stages }: { stages: PipelineStage[] }) {
  if (stages.length === 0) return null
  return (
    <Card title="Deal Pipeline" padded={false}>
      <div className={frameClass}>
        <Pipeline stages={stages} />
      </div>
    </Card>
  )
}
