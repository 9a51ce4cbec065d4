import type { PipelineStage } from '@portal/contract/dashboard.ts'
import type { ComponentProps } from 'react'
import { Section } from '../../ui/card.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
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

export function FailedPipeline({ query }: Pick<ComponentProps<typeof LoadFailure>, 'query'>) {
  return (
    <Section title="Deal Pipeline" padded={false}>
      <LoadFailure text="Failed to fetch pipeline data" query={query} />
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
