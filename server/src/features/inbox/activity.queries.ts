import type { ActivityFilters } from '@portal/contract/activity.ts'
import { ACTIVITY_SIZE } from '@portal/contract/limits.ts'
import type { PersonRight } from '@portal/contract/person-rights.ts'
import { type SqlBool, sql } from 'kysely'
import { timeOfId } from '../../platform/db/ids.ts'
import { type Sender, sendNamed } from '../../platform/db/send-named.ts'
import { allOf, dayOrEarlier, dayOrLater } from '../../platform/db/sql-conditions.ts'
import type { RecordedEvent } from '../../records/events/activity.ts'
import { dataNow } from '../../records/events/data-now.ts'
import { isKnownEventType } from '../../records/events/known-types.ts'

export interface ActivityRow extends RecordedEvent {
  actor: string | null
  /** The person's current name. */
  first_name: string | null
  last_name: string | null
  email: string | null
}

/**
 * Finds events, newest first. Reads one more row than a page has, to know whether there is a next page. `person` is a
 * person's id, `lender` or `api-key`.
 */
export async function findActivity(
  sender: Sender,
  partnerId: string,
  { cursor, type, person, dateFrom, dateTo, timezone }: ActivityFilters,
  portalTimezone: string,
  rights: readonly PersonRight[],
): Promise<ActivityRow[]> {
  const time = sql.ref<string>('event.created_at')
  const conditions = [sql<SqlBool>`event.partner_id = ${partnerId}`, isKnownEventType('event.type', rights)]
  if (cursor) conditions.push(sql`(event.created_at, event.id) < (${timeOfId(cursor)}::timestamptz, ${cursor}::uuid)`)
  if (type) conditions.push(sql`event.type = ${type}`)
  if (person) conditions.push(sql`event_actor(event.type, event.person_id, event.data) = ${person}`)
  if (dateFrom) conditions.push(dayOrLater(time, dateFrom, timezone ?? portalTimezone))
  if (dateTo) conditions.push(dayOrEarlier(time, dateTo, timezone ?? portalTimezone))
  const statement = sql<ActivityRow>`
    select event.id, event.type, event.loid, ${sql.raw(dataNow('event.data', 'event.partner_id'))} as data, event.created_at,
           event_actor(event.type, event.person_id, event.data) as actor, doer.first_name, doer.last_name, doer.email
      from events as event
      left join people as doer on doer.id = event.person_id
     where ${allOf(conditions)}
     order by event.created_at desc, event.id desc
     limit ${ACTIVITY_SIZE + 1}`
  return sendNamed(sender.pool, statement.compile(sender.db))
}
