import { compiler, type Db, type Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { firstIdAt, newId } from '../../platform/db/ids.ts'
import { insertSet } from '../../platform/db/row-sets.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { Write } from '../../platform/db/write-together.ts'
import type { AnyEvent, EventData, PortalEvent } from './event-data.ts'
import { newsOf, recordMailNews } from './mail-news.ts'

/**
 * The channel on which PostgreSQL tells every process that an event awaits delivery (migrations/0004_integrations.sql).
 */
export const EVENTS_TO_DELIVER = 'events_to_deliver'

/**
 * Records an event in the same transaction as the change, so that neither exists without the other. A trigger on the
 * table decides whether the event is delivered: an endpoint receives only events that happen while its URL is active
 * (D35).
 */
export async function recordEvent(tx: Tx, event: AnyEvent): Promise<void> {
  const row = toRow(event)
  await tx.executeQuery(insertOf(event, row))
  await recordMailNews(tx, newsOf(event, row.id))
}

/** Records that a record was submitted, which is no news to the partner's people. */
export function insertOfCreation(event: PortalEvent<'lead.created'> | PortalEvent<'deal.created'>): Write {
  return insertOf(event, toRow(event))
}

function insertOf({ data }: PortalEvent, row: ReturnType<typeof toRow>) {
  return compiler
    .insertInto('events')
    .values({ ...row, data: JSON.stringify(data) })
    .compile()
}

/** Records many events, in the given order. */
export async function recordEvents(tx: Tx, events: readonly AnyEvent[]): Promise<void> {
  const recorded = events.map((event) => ({ event, row: { ...toRow(event), data: event.data } }))
  await insertSet(
    tx,
    'events',
    recorded.map(({ row }) => row),
  )
  await recordMailNews(
    tx,
    recorded.flatMap(({ event, row }) => newsOf(event, row.id)),
  )
}

function toRow({ partnerId, loid, type, personId = null, at }: PortalEvent) {
  return { id: newId(new Date(at)), partner_id: partnerId, type, loid, person_id: personId, created_at: at }
}

/** Returns the oldest events first. Uses the hot reads, because after a restart all open pages reconnect at once. */
export function findEventsSince(
  reads: Reads,
  partnerId: string,
  since: Date,
  rowsMax: number,
): Promise<{ id: string; type: string; loid: string | null; created_at: string }[]> {
  return sendNamed(reads, {
    sql: `select id, type, loid, created_at from events
           where partner_id = $1 and created_at >= $2
           order by created_at, id
           limit $3`,
    parameters: [partnerId, since.toISOString(), rowsMax],
  })
}

const TOLD = [
  'lead.verdict_changed',
  'lead.corrected',
  'lead.withdrawn',
  'request.opened',
  'request.accepted',
  'request.reopened',
  'request.withdrawn',
  'document.added',
] as const

export type ToldChange = {
  [Type in (typeof TOLD)[number]]: {
    id: string
    created_at: string
    type: Type
    data: EventData[Type]
    /** Whether this is a document that was taken back, or that the lender removed. */
    is_gone: boolean
  }
}[(typeof TOLD)[number]]

/** What the lender said and asked, what the partner changed, and the documents, as far as events are kept. */
export function findToldChanges(reads: Reads, partnerId: string, loids: readonly string[]): Promise<ToldChange[]> {
  return sendNamed(reads, {
    sql: `select id, created_at, type, data,
                 type = 'document.added' and not exists (
                   select from documents where id = (data->>'document_id')::uuid and removed_at is null) as is_gone
            from events
           where partner_id = $1 and loid = any($2) and type = any($3)`,
    parameters: [partnerId, loids, TOLD],
  })
}

/**
 * Removes the oldest events first. An id contains the time, so the primary key finds old events. Returns how many
 * events it removed.
 */
export async function removeEventsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('events')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('events')
        .select('id')
        .where('id', '<', firstIdAt(new Date(before)))
        .orderBy('id')
        .limit(rowsMax),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}
