import type { MONEY_EVENT_TYPES } from '@portal/contract/event-types.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { EventData, EventType } from './event-data.ts'
import { isKnownEventType } from './known-types.ts'

type MoneyEventType = (typeof MONEY_EVENT_TYPES)[number]

/** A recorded event of a type that endpoints are told, with the data of its type. */
export type EventToDeliver = {
  [Type in Exclude<EventType, MoneyEventType>]: {
    id: string
    partner_id: string
    type: Type
    loid: string | null
    data: EventData[Type]
    created_at: string
  }
}[Exclude<EventType, MoneyEventType>]

/**
 * Returns the oldest events first. Locks the events until the transaction ends, and skips events that another process
 * has locked. Leaves out events of types that only a newer version knows.
 */
export async function lockEventsToDeliverOfAllPartners(tx: Tx, limit: number): Promise<EventToDeliver[]> {
  const rows = await tx
    .selectFrom('events')
    .select(['id', 'partner_id', 'type', 'loid', 'data', 'created_at'])
    .where('to_deliver', '=', true)
    .where(isKnownEventType('type', []))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  // oxlint-disable-next-line typescript/consistent-type-assertions -- recordEvent wrote types and data that fit
  return rows as EventToDeliver[]
}

export async function markEventsFannedOut(tx: Tx, events: readonly { id: string }[]): Promise<void> {
  await tx
    .updateTable('events')
    .set({ to_deliver: false })
    .where(
      'id',
      'in',
      events.map((event) => event.id),
    )
    .execute()
}

/** Makes the partner's waiting events get no delivery. Waits for a process that is making their deliveries. */
export async function withholdEvents(tx: Tx, partnerId: string): Promise<void> {
  await tx
    .updateTable('events')
    .set({ to_deliver: false })
    .where('partner_id', '=', partnerId)
    .where('to_deliver', '=', true)
    .execute()
}
