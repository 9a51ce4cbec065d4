// One table says what a status or stage means: its step, outcome, colour and side (D135). Badges, pipeline, figures,
// mails, timelines and attention all read it.
import * as z from 'zod/mini'
import type { DEAL_STAGES, LEAD_STATUSES } from './choices.ts'

/** The steps of a referral, in order (D75). */
export const STEPS = ['Submitted', 'In review', 'Qualified', 'With the lender', 'Funded'] as const
export type Step = (typeof STEPS)[number]

/** Whether a referral can still be funded here, was funded, is lost, or was handed to another lender or business. */
export const OUTCOMES = ['open', 'funded', 'lost', 'handed on'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const HISTORY_KINDS = ['lead-status', 'deal-stage'] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]

/** The variants of a badge (section 4). */
export type Colour = 'primary' | 'success' | 'warning' | 'error' | 'secondary'

const SIDES = ['partner', 'lender'] as const

/** Who is to act next: somebody of the partner's business, or the lender (D127). */
export const Side = z.enum(SIDES)
export type Side = z.infer<typeof Side>

/** A filter of lists, by the side whose turn it is. */
export const turn = z.optional(z.enum(SIDES, { error: 'turn must be partner or lender' }))

/** What lists, headers and mails say about a side. A referral that has ended has no side. */
export const SIDE_TEXTS: Record<Side, string> = { partner: 'Your turn', lender: 'Lender’s turn' }

export interface Meaning {
  /** Null for a lost referral, which stays at the step that it had reached. */
  step: Step | null
  outcome: Outcome
  colour: Colour
  /** Null if the referral has ended. The lender can override it in the file of meanings (D127). */
  side: Side | null
}

const open = (step: Step, colour: Colour, side: Side = 'lender'): Meaning => ({ step, outcome: 'open', colour, side })
const lost = (colour: Colour): Meaning => ({ step: null, outcome: 'lost', colour, side: null })
const funded: Meaning = { step: 'Funded', outcome: 'funded', colour: 'success', side: null }
const handedOn: Meaning = { step: 'With the lender', outcome: 'handed on', colour: 'secondary', side: null }

const STATUSES: Record<(typeof LEAD_STATUSES)[number], Meaning> = {
  'New Lead': open('Submitted', 'primary'),
  'Not Contacted': open('In review', 'primary'),
  'Pre Call': open('In review', 'warning'),
  'Contact Soon': open('In review', 'warning'),
  'Attempting To Contact': open('In review', 'warning'),
  Contacted: open('In review', 'warning'),
  'Contact in Future': open('In review', 'warning'),
  'Unable to Contact': open('In review', 'warning', 'partner'),
  'Re-engage': open('In review', 'secondary'),
  'Pre Qualified': open('Qualified', 'success'),
  'Junk Lead': lost('error'),
  'Test Lead': lost('secondary'),
  'Lost Lead': lost('error'),
  'Not Qualified': lost('error'),
  Duplicate: lost('error'),
}

/** The stages that hand a deal to a named lender are judged by their words. */
const STAGES: Record<(typeof DEAL_STAGES)[number], Meaning> = {
  'Re-Engage': open('Qualified', 'secondary'),
  'Waiting On Application': open('Qualified', 'warning'),
  'Information Received': open('With the lender', 'warning'),
  'Consulting With Client': open('With the lender', 'warning'),
  'Pending Approval': open('With the lender', 'warning'),
  Approved: open('With the lender', 'success'),
  'Consumer Or Asset Deal': handedOn,
  Funded: funded,
  Closed: funded,
}

const KNOWN: Record<HistoryKind, ReadonlyMap<string, Meaning>> = {
  'lead-status': byLowerCase(STATUSES),
  'deal-stage': byLowerCase(STAGES),
}

/** Words that mean lost. 'Not' counts only before something that would be won: 'Not Funded', but not 'Not Contacted'. */
const LOST =
  /\b(?:lost|junk|test|duplicate|dead|spam|declin\w*|reject\w*|withdr\w*|cancel\w*|disqualified|unqualified|not (?!yet\b)(?:\w+ )*(?:funded|approved|qualified|interested|proceeding))\b/i
const NOT_YET = /\bnot yet\b/i
const PARTNERS_TURN =
  /\b(?:(?:unable to|cannot|could not|can't) (?:contact|reach)|uncontactable|(?:needed|required|waiting|awaiting)\b.*\b(?:partner|broker|referrer))\b/i

/** Section 4's words and their colours. A more specific word comes before the words that it contains (D21). */
const COLOURS: [word: string, colour: Colour][] = [
  ['not contacted', 'primary'],
  ['not qualified', 'error'],
  ['lost lead', 'error'],
  ['junk lead', 'error'],
  ['new lead', 'primary'],
  ['re-engage', 'secondary'],
  ['duplicate', 'error'],
  ['pre call', 'warning'],
  ['attempting', 'warning'],
  ['contact', 'warning'],
  ['qualified', 'success'],
  ['pending', 'warning'],
  ['waiting', 'warning'],
  ['consulting', 'warning'],
  ['information received', 'warning'],
  ['approved', 'success'],
  ['funded', 'success'],
  ['closed', 'success'],
]

/**
 * What a status or stage means. The tables have the specification's values; a value that the lender's CRM adds is judged
 * by its words. Section 4 counts a stage with 'funded' or 'closed' as won, and colours it green, unless it says itself
 * that it is lost (D135).
 */
export function meaningOf(kind: HistoryKind, value: string): Meaning {
  return KNOWN[kind].get(value.toLowerCase()) ?? judge(kind, value)
}

function judge(kind: HistoryKind, value: string): Meaning {
  const text = value.toLowerCase()
  const colour = COLOURS.find(([word]) => text.includes(word))?.[1] ?? 'secondary'
  const isDeal = kind === 'deal-stage'
  // A closed lead has ended without a deal, and a closed deal is won.
  if (LOST.test(value) || (!isDeal && /\bclosed\b/.test(text))) return lost(colour === 'success' ? 'error' : colour)
  const isNotYet = NOT_YET.test(value)
  if (isDeal && !isNotYet && /funded|closed/.test(text)) return funded
  if (isDeal && /^(?:thrown to|with) /.test(text)) return { ...handedOn, colour }
  const side = PARTNERS_TURN.test(value) ? 'partner' : 'lender'
  return open(stepOf(isDeal, text), isNotYet && colour === 'success' ? 'secondary' : colour, side)
}

function stepOf(isDeal: boolean, text: string): Step {
  if (isDeal) return 'With the lender'
  if (/qualified|approved/.test(text)) return 'Qualified'
  return /^(?:new|submitted)\b/.test(text) ? 'Submitted' : 'In review'
}

function byLowerCase(meanings: Record<string, Meaning>): ReadonlyMap<string, Meaning> {
  return new Map(Object.entries(meanings).map(([value, meaning]) => [value.toLowerCase(), meaning]))
}

/** A lead in one of these statuses no longer counts as active (D21). The list is in lower case, for comparisons. */
export const INACTIVE_LEAD_STATUSES: readonly string[] = [...KNOWN['lead-status']].flatMap(([status, { outcome }]) =>
  outcome === 'lost' ? status : [],
)
