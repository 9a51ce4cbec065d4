import type { PipelineStage } from '@portal/contract/dashboard.ts'
import { Section } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Pipeline } from './pipeline.tsx'

export function WaitingPipeline() {
  return (
    <Section title="Deal Pipeline" padded={false}>
      <div className="grid h-96">
        <Spinner label="Loading pipeline" />
      </div>
    </Section>
  )
}

export function FailedPipeline({ detail, onRetry }: { detail: string | undefined; onRetry: () => void }) {
  return (
    <Section title="Deal Pipeline" padded={false}>
      <Failure text="Failed to fetch pipeline data" detail={detail} onRetry={onRetry} />
    </Section>
  )
}

/** Shown only when there are deals to show (section 2). */
export function PipelineSection({ stages }: { stages: PipelineStage[] }) {
  if (stages.length === 0) return null
  return (
    <Section title="Deal Pipeline" padded={false}>
      <Pipeline stages={stages} />
    </Section>
  )
}
