import { needsAnswer, type RequestState } from '@portal/contract/requests.ts'
import type { RequestRow } from '../../platform/db/tables.ts'
import type { AnyEvent, EventData } from '../events/event-data.ts'
import type { RequestOwner } from './requests.queries.ts'

/** What the lender did to a request: the event about its new state. Undefined if there is nothing to tell. */
export function requestEvent(
  row: RequestRow,
  owner: RequestOwner,
  before: RequestState | undefined,
  at: string,
): AnyEvent | undefined {
  if (row.state === before || (before === undefined && row.state !== 'asked')) return undefined
  const about = { partnerId: owner.partner_id, loid: owner.loid, at, data: requestFacts(row, owner) }
  if (needsAnswer(row)) return { ...about, type: before === undefined ? 'request.opened' : 'request.reopened' }
  if (row.state === 'accepted') return { ...about, type: 'request.accepted' }
  return row.state === 'withdrawn' ? { ...about, type: 'request.withdrawn' } : undefined
}

export function requestFacts(
  { id, subject, reason, due_on }: RequestRow,
  { about, business_name }: RequestOwner,
): EventData['request.opened'] {
  return { on: about, business_name, request_id: id, subject, reason, due_on }
}
