import type { PipelineStage } from '@portal/contract/dashboard.ts'
import type { StageCount } from './dashboard.queries.ts'

/**
 * Puts the stages into the CRM's order. Stages that the CRM no longer lists come last. Adds each stage's percentage of
 * all deals, by number (D21).
 */
export function pipelineOf(counts: readonly StageCount[], stages: readonly string[]): PipelineStage[] {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const order = new Map(stages.map((stage, i) => [stage, i]))
  return counts
    .map((stage) => ({ ...stage, percentage: Math.round((stage.count / total) * 1_000) / 10 }))
    .sort((a, b) => place(a) - place(b) || a.stage.localeCompare(b.stage))

  function place({ stage }: StageCount): number {
    return order.get(stage) ?? stages.length
  }
}
