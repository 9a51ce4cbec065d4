import { meaningOf } from '@portal/contract/meanings.ts'
import type { MailKind } from '@portal/contract/notifications.ts'
import type { Tx } from '../../platform/db/database.ts'
import { insertSet } from '../../platform/db/row-sets.ts'
import type { AnyEvent, EventData } from './event-data.ts'

/**
 * The news that people get by mail: some events, and two kinds that are not events because partners' systems do not
 * receive them.
 */
export interface NewsData
  extends Pick<
    EventData,
    | 'lead.status_changed'
    | 'lead.verdict_changed'
    | 'lead.converted'
    | 'deal.stage_changed'
    | 'deal.paid'
    | 'note.added'
    | 'request.opened'
    | 'request.reopened'
    | 'request.accepted'
    | 'document.added'
  > {
  'push.given-up': { business_name: string | null; what: 'lead' | 'deal' | 'note'; on: 'lead' | 'deal' }
  'endpoint.disabled': { url: string; reason: 'gone' | 'failing' }
}

export type MailNews = {
  [Type in keyof NewsData]: {
    id: string
    partnerId: string
    kind: MailKind
    type: Type
    loid: string | null
    data: NewsData[Type]
    personId: string | null
    at: string
  }
}[keyof NewsData]

/** Records news in the same transaction as its cause, so that neither exists without the other. */
export async function recordMailNews(tx: Tx, news: readonly MailNews[]): Promise<void> {
  await insertSet(
    tx,
    'mail_news',
    news.map(({ partnerId: partner_id, personId: person_id, at: created_at, ...rest }) => {
      return { ...rest, partner_id, person_id, created_at, to_fan_out: true }
    }),
  )
}

/** Turns an event into news if the lender caused it and a person should hear of it (D73, D106). */
export function newsOf(event: AnyEvent, id: string): MailNews[] {
  const { partnerId, loid, personId = null, at } = event
  const about = { id, partnerId, loid, personId, at }
  switch (event.type) {
    case 'lead.status_changed': {
      const isOver = meaningOf('lead-status', event.data.status).outcome === 'lost'
      return [{ ...about, type: event.type, data: event.data, kind: isOver ? 'outcome' : 'lead-status' }]
    }
    case 'lead.verdict_changed':
      return [{ ...about, type: event.type, data: event.data, kind: 'lead-status' }]
    case 'lead.converted':
      return [{ ...about, type: event.type, data: event.data, kind: 'lead-status' }]
    case 'deal.stage_changed': {
      const isOver = meaningOf('deal-stage', event.data.stage).outcome !== 'open'
      return [{ ...about, type: event.type, data: event.data, kind: isOver ? 'outcome' : 'deal-stage' }]
    }
    case 'deal.paid':
      return [{ ...about, type: event.type, data: event.data, kind: 'payment' }]
    case 'note.added': {
      const isLenders = personId === null && !event.data.submitted_by
      return isLenders ? [{ ...about, type: event.type, data: event.data, kind: 'lender-note' }] : []
    }
    case 'request.opened':
      return [{ ...about, type: event.type, data: event.data, kind: 'lender-note' }]
    case 'request.reopened':
      return [{ ...about, type: event.type, data: event.data, kind: 'lender-note' }]
    case 'request.accepted':
      return [{ ...about, type: event.type, data: event.data, kind: 'lender-note' }]
    case 'document.added': {
      const isLenders = personId === null && event.data.submitted_by === null
      return isLenders ? [{ ...about, type: event.type, data: event.data, kind: 'lender-note' }] : []
    }
    case 'lead.created':
    case 'lead.corrected':
    case 'lead.withdrawn':
    case 'lead.removed':
    case 'lead.restored':
    case 'deal.created':
    case 'deal.updated':
    case 'deal.removed':
    case 'deal.restored':
    case 'request.answered':
    case 'request.withdrawn':
      return []
  }
}
