import type { Side } from '@portal/contract/meanings.ts'
import type { Deps } from '../../deps.ts'
import { findPassedTurns } from './answered-turns.queries.ts'

type SideDeps = Pick<Deps, 'reads' | 'statusMeanings'>
type Lead = { loid: string; lead_status: string; awaits_deal_since: string | null; converted_to_deal?: object | null }
type Deal = { loid: string; stage: string }
type Sided<Row> = Row & { side: Side | null }

/**
 * Adds whose turn it is to leads (D127). A lead that has become a deal has no side: its deal has one. While a converted
 * lead has no deal, the lender has to make it (D124).
 */
export async function leadsWithSide<Row extends Lead>(
  deps: SideDeps,
  partnerId: string,
  leads: readonly Row[],
): Promise<Sided<Row>[]> {
  const sides = leads.map((lead) => {
    if (lead.converted_to_deal) return null
    return lead.awaits_deal_since ? 'lender' : deps.statusMeanings('lead-status', lead.lead_status).side
  })
  const now = await passOn(deps, partnerId, 'leads', leads, sides)
  return leads.map((lead, index) => ({ ...lead, side: now[index] ?? null }))
}

export async function leadWithSide<Row extends Lead>(
  deps: SideDeps,
  partnerId: string,
  lead: Row,
): Promise<Sided<Row>> {
  const [sided] = await leadsWithSide(deps, partnerId, [lead])
  return { ...lead, side: sided?.side ?? null }
}

/** Adds whose turn it is to deals (D127). */
export async function dealsWithSide<Row extends Deal>(
  deps: SideDeps,
  partnerId: string,
  deals: readonly Row[],
): Promise<Sided<Row>[]> {
  const sides = deals.map((deal) => deps.statusMeanings('deal-stage', deal.stage).side)
  const now = await passOn(deps, partnerId, 'deals', deals, sides)
  return deals.map((deal, index) => ({ ...deal, side: now[index] ?? null }))
}

export async function dealWithSide<Row extends Deal>(
  deps: SideDeps,
  partnerId: string,
  deal: Row,
): Promise<Sided<Row>> {
  const [sided] = await dealsWithSide(deps, partnerId, [deal])
  return { ...deal, side: sided?.side ?? null }
}

/**
 * Passes the turn to the lender where the partner has answered since the status or stage began, and to the partner where
 * the lender asks something (D105).
 */
async function passOn(
  { reads }: SideDeps,
  partnerId: string,
  table: 'leads' | 'deals',
  rows: readonly { loid: string }[],
  sides: readonly (Side | null)[],
): Promise<(Side | null)[]> {
  const theirs = rows.flatMap(({ loid }, index) => (sides[index] === 'partner' ? loid : []))
  const loids = rows.flatMap(({ loid }, index) => (sides[index] ? loid : []))
  const turns = await findPassedTurns(reads, partnerId, table, { loids, theirs })
  return rows.map(({ loid }, index) => {
    const turn = turns.get(loid)
    if (turn?.is_asked) return 'partner'
    return turn?.is_answered ? 'lender' : (sides[index] ?? null)
  })
}
