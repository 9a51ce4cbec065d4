import type { RECORD_EVENT_TYPES } from '@portal/contract/event-types.ts'
import type { Verdict } from '@portal/contract/verdict.ts'
import { sql } from 'kysely'
import { compiler, type Db, type Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { firstIdAt, newId } from '../../platform/db/ids.ts'
import { insertSet } from '../../platform/db/row-sets.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { Write } from '../../platform/db/write-together.ts'
import { newsOf, recordMailNews } from './mail-news.ts'

/**
 * The channel on which PostgreSQL tells every process that an event awaits delivery (migrations/0004_integrations.sql).
 */
export const EVENTS_TO_DELIVER = 'events_to_deliver'

/**
 * The name of the person or API key that submitted the record (D64). Null for records that were created in the CRM;
 * absent in events that are older than this field.
 */
interface SubmittedBy {
  submitted_by?: string | null
}

/** When the change happened, by the CRM's clock; absent in events that are older than this field. */
interface ChangedAt {
  changed_at?: string
}

/** What the lender asks (D105). An erasure empties the texts. */
interface RequestFacts {
  on: 'lead' | 'deal'
  business_name: string | null
  request_id: string
  subject: string | null
  reason: string | null
  due_on: string | null
}

/** What can happen to a lead, deal, note, request or document (D35). `data` has no field for an email address, phone or ABN. */
export interface EventData {
  'lead.created': { business_name: string | null; amount: number | null; status: string } & SubmittedBy
  'lead.status_changed': {
    business_name: string | null
    amount: number | null
    status: string
    previous: string
  } & ChangedAt
  'lead.verdict_changed': { business_name: string | null; amount: number | null } & Verdict
  'lead.corrected': { business_name: string | null; amount: number | null; fields: string[] } & SubmittedBy
  /** An erasure empties the reason. */
  'lead.withdrawn': { business_name: string | null; amount: number | null; reason: string | null } & SubmittedBy
  'lead.converted': { business_name: string | null; amount: number | null; deal_loid: string | null }
  'lead.restored': { business_name: string | null; amount: number | null; status: string }
  'lead.removed': { business_name: string | null; amount: number | null; reason: 'left-crm' }
  'deal.created': {
    deal_name: string | null
    business_name: string | null
    amount: number | null
    stage: string
  } & SubmittedBy
  'deal.stage_changed': {
    deal_name: string | null
    business_name: string | null
    amount: number | null
    stage: string
    previous: string
  } & ChangedAt
  /** Without the amount of the commission, which only people who see money are told (D111). */
  'deal.paid': { deal_name: string | null; business_name: string | null }
  'deal.updated': { deal_name: string | null; business_name: string | null; amount: number | null; stage: string }
  'deal.restored': { deal_name: string | null; business_name: string | null; amount: number | null; stage: string }
  'deal.removed': { deal_name: string | null; business_name: string | null; amount: number | null }
  'note.added': {
    on: 'lead' | 'deal'
    business_name: string | null
    created_by: string | null
    content: string
    /** The CRM's time of a note by the lender. */
    written_at?: string
  } & SubmittedBy
  'request.opened': RequestFacts
  'request.answered': RequestFacts & SubmittedBy
  'request.accepted': RequestFacts
  'request.reopened': RequestFacts
  'request.withdrawn': RequestFacts
  /** An erasure empties the name. */
  'document.added': {
    on: 'lead' | 'deal'
    business_name: string | null
    document_id: string
    document_name: string | null
    request_id: string | null
  } & SubmittedBy
}

export type EventType = (typeof RECORD_EVENT_TYPES)[number]

export interface PortalEvent<Type extends EventType = EventType> {
  partnerId: string
  loid: string
  type: Type
  data: EventData[Type]
  /** The person who acted; absent or null if the lender or an API key did (D72). */
  personId?: string | null
  at: string
}

/** An event of any type, with the data of that type. */
export type AnyEvent = { [Type in EventType]: PortalEvent<Type> }[EventType]

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
  [Type in (typeof TOLD)[number]]: { id: string; created_at: string; type: Type; data: EventData[Type] }
}[(typeof TOLD)[number]]

/** What the lender said and asked, what the partner changed, and the documents, as far as events are kept. */
export async function findToldChanges(db: Db, partnerId: string, loids: readonly string[]): Promise<ToldChange[]> {
  const { rows } = await sql<ToldChange>`
    select id, created_at, type, data from events
     where partner_id = ${partnerId} and loid = any(${loids}) and type = any(${TOLD})`.execute(db)
  return rows
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
