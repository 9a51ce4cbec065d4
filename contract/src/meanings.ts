import * as z from 'zod/mini'
import { type HistoryKind, placeOf } from './way.ts'

/** Who is to act next: somebody of the partner's business, or the lender (D127). */
export const Side = z.enum(['partner', 'lender'])
export type Side = z.infer<typeof Side>

/** What lists, headers and mails say about a side. A referral that has ended has no side. */
export const SIDE_TEXTS: Record<Side, string> = { partner: 'Your turn', lender: 'Lender’s turn' }

/** Words of a status or stage that asks the partner to act, such as 'Unable to Contact'. */
const PARTNERS_TURN =
  /\b(?:(?:unable to|cannot|could not|can't) (?:contact|reach)|uncontactable|(?:needed|required|waiting|awaiting)\b.*\b(?:partner|broker|referrer))\b/i

/**
 * Finds whose turn it is while a referral has this status or stage. Null if the referral has ended. The lender can
 * override this in the file of meanings.
 */
export function sideOf(kind: HistoryKind, value: string): Side | null {
  if (placeOf(kind, value).outcome !== 'open') return null
  return PARTNERS_TURN.test(value) ? 'partner' : 'lender'
}
