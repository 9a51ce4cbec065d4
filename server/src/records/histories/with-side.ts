import type { Side } from '@portal/contract/meanings.ts'
import type { Deps } from '../../deps.ts'
import type { PassedTurn } from './answered-turns.queries.ts'

type Meanings = Pick<Deps, 'statusMeanings'>
type Lead = PassedTurn & { lead_status: string; awaits_deal_since: string | null; converted_to_deal?: object | null }
type Deal = PassedTurn & { stage: string }
type Sided<Row> = Row & { side: Side | null }

/**
 * Adds whose turn it is to a lead (D127). A lead that has become a deal has no side: its deal has one. While a converted
 * lead has no deal, the lender has to make it (D124).
 */
export function leadWithSide<Row extends Lead>({ statusMeanings }: Meanings, lead: Row): Sided<Row> {
  if (lead.converted_to_deal) return { ...lead, side: null }
  const side = lead.awaits_deal_since ? 'lender' : statusMeanings('lead-status', lead.lead_status).side
  return { ...lead, side: passOn(side, lead) }
}

/** Adds whose turn it is to a deal (D127). */
export function dealWithSide<Row extends Deal>({ statusMeanings }: Meanings, deal: Row): Sided<Row> {
  return { ...deal, side: passOn(statusMeanings('deal-stage', deal.stage).side, deal) }
}

/** Whose turn it is, if the status or stage alone gives it to this side. */
export function passOn(side: Side | null, { is_asked, is_answered }: PassedTurn): Side | null {
  if (side && is_asked) return 'partner'
  return side === 'partner' && is_answered ? 'lender' : side
}
