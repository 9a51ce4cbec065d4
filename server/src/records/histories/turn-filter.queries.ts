import type { Side } from '@portal/contract/meanings.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Sender } from '../../platform/db/send-named.ts'
import { idIn, oneOf } from '../../platform/db/sql-conditions.ts'
import { countByValue } from '../kinds/record-counts.queries.ts'
import { findAskedIds } from '../requests/requests.queries.ts'
import { hasAnswered } from './answered-turns.queries.ts'
import type { StatusMeanings } from './status-meanings.ts'

const TURNS = {
  leads: { kind: 'lead-status', counted: 'lead', value: 'lead_status', isLenders: sql`awaits_deal_since is not null` },
  deals: { kind: 'deal-stage', counted: 'deal', value: 'stage', isLenders: sql`false` },
} as const

/**
 * The condition that an open lead or deal of the partner has this side, as `leadWithSide` and `dealWithSide` tell it.
 * Rows do not show whose turn it is while a record is not in the CRM, so such a record has no side here. What the lender
 * asks is read first, because there is little of it. So an index can find the rows where the partner is to act.
 */
export async function isTurnOf(
  sender: Sender,
  partnerId: string,
  table: 'leads' | 'deals',
  side: Side,
  statusMeanings: StatusMeanings,
): Promise<RawBuilder<SqlBool>> {
  const { kind, counted, value, isLenders } = TURNS[table]
  const [counts, asked] = await Promise.all([
    countByValue(sender.pool, partnerId, counted),
    findAskedIds(sender.pool, partnerId, table),
  ])
  const valuesOf = (...sides: (Side | null)[]) =>
    Object.keys(counts).filter((one) => sides.includes(statusMeanings(kind, one).side))
  const isOpen = oneOf(sql.ref(value), valuesOf('partner', 'lender'))
  const isAsked = idIn(asked)
  const isAsking = oneOf(sql.ref(value), valuesOf('partner'))
  const isAnswered = sql<SqlBool>`(${isLenders} or ${ofPartner(hasAnswered(table), partnerId)})`
  const isPartners = sql<SqlBool>`(${isAsked} or (${isAsking} and not ${isAnswered}))`
  return sql<SqlBool>`(crm = 'synced' and ${isOpen} and ${side === 'partner' ? isPartners : sql`not ${isPartners}`})`
}

/** SQL about the partner $1, as a part of a statement in which the partner has another number. */
function ofPartner(text: string, partnerId: string): RawBuilder<unknown> {
  return sql.join(
    text.split('$1').map((part) => sql.raw(part)),
    sql`${partnerId}`,
  )
}
