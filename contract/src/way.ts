import { type HistoryKind, meaningOf, type Outcome, STEPS, type Step } from './meanings.ts'

/** The moment when a status or stage began. */
interface Moment {
  kind: HistoryKind
  value: string
  at: string
}

export interface Way {
  /**
   * When each step was first reached. Null if the step was skipped or not reached, or if the referral went back to an
   * earlier step.
   */
  steps: { name: Step; reached_at: string | null }[]
  step: Step
  outcome: Outcome
}

/**
 * The steps that a referral has reached after these moments, which must be in order of time. If the referral went back,
 * the later steps count as not reached.
 */
export function wayOf(submittedAt: string, moments: readonly Moment[]): Way {
  const reached = new Map<Step, string>([['Submitted', submittedAt]])
  let step: Step = 'Submitted'
  let outcome: Outcome = 'open'
  for (const moment of moments) {
    const meaning = meaningOf(moment.kind, moment.value)
    outcome = meaning.outcome
    step = meaning.step ?? step
    if (!reached.has(step)) reached.set(step, moment.at)
  }
  const position = STEPS.indexOf(step)
  const steps = STEPS.map((name, index) => ({
    name,
    reached_at: index <= position ? (reached.get(name) ?? null) : null,
  }))
  return { steps, step, outcome }
}
