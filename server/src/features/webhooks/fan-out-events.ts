import type { Deps } from '../../deps.ts'
import { lockEventsToDeliverOfAllPartners, markEventsFannedOut } from '../../records/events/events-to-deliver.ts'
import { insertDeliveries } from './deliveries.queries.ts'
import { deliveryBody } from './delivery-body.ts'
import { findActiveEndpointsOfPartners } from './endpoints.queries.ts'

const BATCH = 200

/**
 * Makes deliveries for the oldest events that are not fanned out yet, in one transaction. Each event gets at most one
 * delivery, even if several processes run this function or one of them is killed. An event gets no delivery if the
 * endpoint is disabled or belongs to an inactive partner. Returns true if more events may be waiting.
 */
export async function fanOutEvents({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const events = await lockEventsToDeliverOfAllPartners(tx, BATCH)
    if (events.length === 0) return false
    const partnerIds = [...new Set(events.map((event) => event.partner_id))]
    const endpoints = await findActiveEndpointsOfPartners(tx, partnerIds)
    const deliveries = events.flatMap((event) => {
      const endpoint = endpoints.get(event.partner_id)
      if (!endpoint) return []
      return {
        // The event's own id, so that the primary key alone ensures at most one delivery for each event.
        id: event.id,
        partner_id: event.partner_id,
        endpoint,
        event_id: event.id,
        event_type: event.type,
        loid: event.loid,
        request_body: deliveryBody(event),
        created_at: event.created_at,
      }
    })
    await insertDeliveries(tx, deliveries)
    await markEventsFannedOut(tx, events)
    return events.length === BATCH
  })
}
