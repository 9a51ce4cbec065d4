import type { LiveMessage } from '@portal/contract/live.ts'
import type { QueryKey } from '@tanstack/react-query'

type Stale = (loid: string) => QueryKey[]

const FIGURES: QueryKey[] = [['dashboard'], ['inbox']]
/** A push that fails records no event, so a change to a record also refreshes the items that need attention. */
const ATTENTION: QueryKey = ['inbox', 'attention']
const LEAD_LISTS: QueryKey[] = [['leads', 'list'], ['leads', 'recent'], ['search']]
const DEAL_LISTS: QueryKey[] = [['deals', 'list'], ['deals', 'recent'], ['search']]

const lead: Stale = (loid) => [
  ...LEAD_LISTS,
  ['leads', 'detail', loid],
  ['leads', 'status-history', loid],
  ['leads', 'timeline', loid],
]
const deal: Stale = (loid) => [
  ...DEAL_LISTS,
  ['deals', 'detail', loid],
  ['deals', 'stage-history', loid],
  ['deals', 'lead-history', loid],
  ['deals', 'timeline', loid],
  ['payments'],
]
const note: Stale = (loid) => [
  ['leads', 'detail', loid],
  ['leads', 'timeline', loid],
  ['deals', 'detail', loid],
  ['deals', 'timeline', loid],
]
/** A note of the partner's own passes the turn to the lender, and what the lender asks passes it back. */
const turn: Stale = (loid) => [...note(loid), ...LEAD_LISTS, ...DEAL_LISTS, ['dashboard', 'activity'], ['inbox']]
const all: Stale = () => [[]]

/**
 * The queries that a message makes stale, by the beginnings of their keys. A query of a closed page is fetched again
 * when the page opens.
 */
const STALE: Record<LiveMessage['type'], Stale> = {
  'lead.created': (loid) => [...lead(loid), ...FIGURES],
  'lead.status_changed': (loid) => [...lead(loid), ...FIGURES],
  'lead.verdict_changed': (loid) => [...lead(loid), ['leads', 'statuses'], ...FIGURES],
  'lead.corrected': (loid) => [...lead(loid), ...FIGURES],
  'lead.withdrawn': (loid) => [...lead(loid), ['leads', 'statuses'], ...FIGURES],
  'lead.converted': (loid) => [...lead(loid), ...deal(loid), ...FIGURES],
  'lead.removed': (loid) => [...lead(loid), ...FIGURES],
  'lead.restored': (loid) => [...lead(loid), ...FIGURES],
  'lead.changed': (loid) => [...lead(loid), ATTENTION],
  'deal.created': (loid) => [...deal(loid), ...FIGURES],
  'deal.stage_changed': (loid) => [...deal(loid), ...FIGURES],
  'deal.updated': (loid) => [...deal(loid), ...FIGURES],
  'deal.paid': (loid) => [...deal(loid), ...FIGURES],
  'deal.removed': (loid) => [...deal(loid), ...LEAD_LISTS, ...FIGURES],
  'deal.restored': (loid) => [...deal(loid), ...FIGURES],
  'deal.changed': (loid) => [...deal(loid), ATTENTION],
  'note.added': turn,
  'request.opened': turn,
  'request.answered': turn,
  'request.accepted': turn,
  'request.reopened': turn,
  'request.withdrawn': turn,
  'document.added': (loid) => [...note(loid), ['documents', loid], ['dashboard', 'activity'], ['inbox']],
  // A file that is refused or taken back leaves what it answered open.
  'document.changed': (loid) => [...turn(loid), ['documents', loid]],
  'note.changed': (loid) => [...note(loid), ATTENTION],
  'sync.progressed': () => [['sync']],
  // A first sync records no events, so its end refreshes everything it may have changed.
  'sync.ended': () => [['leads'], ['deals'], ['payments'], ['search'], ['sync'], ...FIGURES],
  'webhook.logged': () => [
    ['webhooks', 'logs'],
    ['webhooks', 'attempts'],
    ['webhooks', 'test'],
  ],
  'endpoint.changed': () => [['webhooks', 'endpoint'], ATTENTION],
  // What is done is the lender's turn.
  'attention.changed': () => [['inbox'], ['leads'], ['deals'], ['search']],
  // Somebody may have confirmed their email address, which the session tells.
  'team.changed': () => [['team'], ['accounts'], ['session']],
  'partner.changed': () => [['session'], ['accounts']],
  'security.logged': () => [['security-log'], ['team'], ['accounts'], ['api-keys']],
  // The server does not repeat messages without an id, so some may have been lost while the stream was interrupted.
  'stream.opened': all,
  'stream.reset': all,
}

export function staleQueries({ type, loid }: LiveMessage): QueryKey[] {
  return STALE[type](loid ?? '')
}
