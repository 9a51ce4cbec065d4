import { type DEAL_STAGES, isWonStage, type LEAD_STATUSES, LOST_WORDS } from './choices.ts'

/** The steps of a referral, in order (D75). */
export const STEPS = ['Submitted', 'In review', 'Qualified', 'With the lender', 'Funded'] as const
export type Step = (typeof STEPS)[number]

/** Whether a referral can still be funded here, was funded, is lost, or was handed to another lender or business. */
export const OUTCOMES = ['open', 'funded', 'lost', 'handed on'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const HISTORY_KINDS = ['lead-status', 'deal-stage'] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]

/**
 * The step and outcome of a status or stage. A lost referral stays at the step that it had reached, so the step of a
 * lost status is null.
 */
interface Place {
  step: Step | null
  outcome: Outcome
}

const at = (step: Step): Place => ({ step, outcome: 'open' })
const LOST: Place = { step: null, outcome: 'lost' }
const HANDED_ON: Place = { step: 'With the lender', outcome: 'handed on' }
const FUNDED: Place = { step: 'Funded', outcome: 'funded' }

const STATUS_PLACES: Record<(typeof LEAD_STATUSES)[number], Place> = {
  'New Lead': at('Submitted'),
  'Not Contacted': at('In review'),
  'Pre Call': at('In review'),
  'Contact Soon': at('In review'),
  'Attempting To Contact': at('In review'),
  Contacted: at('In review'),
  'Contact in Future': at('In review'),
  'Unable to Contact': at('In review'),
  'Re-engage': at('In review'),
  'Pre Qualified': at('Qualified'),
  'Junk Lead': LOST,
  'Test Lead': LOST,
  'Lost Lead': LOST,
  'Not Qualified': LOST,
  Duplicate: LOST,
}

/** Stages that hand a deal to a named lender are not listed here. `placeOf` judges them by their words. */
const STAGE_PLACES: Record<(typeof DEAL_STAGES)[number], Place> = {
  'Re-Engage': at('Qualified'),
  'Waiting On Application': at('Qualified'),
  'Information Received': at('With the lender'),
  'Consulting With Client': at('With the lender'),
  'Pending Approval': at('With the lender'),
  Approved: at('With the lender'),
  'Consumer Or Asset Deal': HANDED_ON,
  Funded: FUNDED,
  Closed: FUNDED,
}

const PLACES: Record<HistoryKind, ReadonlyMap<string, Place>> = {
  'lead-status': byLowerCase(STATUS_PLACES),
  'deal-stage': byLowerCase(STAGE_PLACES),
}

/**
 * Finds the step and outcome of a status or stage. The tables above have the specification's values. Values that the
 * lender's CRM adds are judged by their words.
 */
export function placeOf(kind: HistoryKind, value: string): Place {
  const known = PLACES[kind].get(value.toLowerCase())
  if (known) return known
  if (kind === 'deal-stage') {
    // A stage with 'closed' in it counts as won (section 4), unless another of its words means lost.
    if (LOST_WORDS.test(value.replace(/closed/i, ''))) return LOST
    if (isWonStage(value)) return /\bnot\b/i.test(value) ? LOST : FUNDED
    return /^(?:thrown to|with) /i.test(value) ? HANDED_ON : at('With the lender')
  }
  if (LOST_WORDS.test(value)) return LOST
  if (/qualified|approved/i.test(value)) return at('Qualified')
  return at(/^(?:new|submitted)\b/i.test(value) ? 'Submitted' : 'In review')
}

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
    const place = placeOf(moment.kind, moment.value)
    outcome = place.outcome
    step = place.step ?? step
    if (!reached.has(step)) reached.set(step, moment.at)
  }
  const position = STEPS.indexOf(step)
  const steps = STEPS.map((name, index) => ({
    name,
    reached_at: index <= position ? (reached.get(name) ?? null) : null,
  }))
  return { steps, step, outcome }
}

function byLowerCase(places: Record<string, Place>): ReadonlyMap<string, Place> {
  return new Map(Object.entries(places).map(([value, place]) => [value.toLowerCase(), place]))
}
