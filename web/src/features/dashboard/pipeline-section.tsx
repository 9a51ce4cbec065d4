import type { PipelineStage } from '@portal/contract/dashboard.ts'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Pipeline } from './pipeline.tsx'

const frameClass = 'grid min-h-96 grid-cols-1'

export function WaitingPipeline() {
  return (
    <Card className="max-sm:later-[24rem]" title="Deal Pipeline" padded={false}>
      <div className={frameClass}>
        <Spinner label="Loading pipeline" />
      </div>
    </Card>
  )
}

export function FailedPipeline({ detail, onRetry }: { detail: string | undefined; onRetry: () => void }) {
  return (
    <Card className="max-sm:later-[24rem]" title="Deal Pipeline" padded={false}>
      <Failure text="Failed to fetch pipeline data" detail={detail} onRetry={onRetry} />
    </Card>
  )
}

/** Shown only when there are deals to show (section 2). */
export function PipelineSection({ stages }: { stages: PipelineStage[] }) {
  if (stages.length === 0) return null
  return (
    <Card className="max-sm:later-[24rem]" title="Deal Pipeline" padded={false}>
      <div className={frameClass}>
        <Pipeline stages={stages} />
      </div>
    </Card>
  )
}
