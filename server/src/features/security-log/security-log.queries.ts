import { personName } from '@portal/contract/person-name.ts'
import {
  SECURITY_EVENT_WORDS,
  SECURITY_EVENTS,
  SECURITY_LOG_SIZE,
  type SecurityEntry,
  type SecurityEvent,
  type SecurityLogFilters,
} from '@portal/contract/security-log.ts'
import { FORMER_COLLEAGUE } from '@portal/contract/submitted-by.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { firstIdAt, newId } from '../../platform/db/ids.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'
import type { NewSecurityLogRow } from '../../platform/db/tables.ts'

export async function insertSecurityEntry(
  db: Db | Tx,
  partnerId: string,
  entry: Omit<NewSecurityLogRow, 'id' | 'partner_id' | 'kind'>,
): Promise<void> {
  const id = newId(new Date(entry.at))
  const { kind } = SECURITY_EVENT_WORDS[entry.event]
  await db
    .insertInto('security_log')
    .values({ id, partner_id: partnerId, kind, ...entry })
    .execute()
}

/** Whether the partner's log has such an entry since this time. */
export async function hasSecurityEntry(
  db: Db,
  partnerId: string,
  { event, subject, detail }: { event: SecurityEvent; subject: string | null; detail: string },
  since: Date,
): Promise<boolean> {
  const found = await db
    .selectFrom('security_log')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('kind', '=', SECURITY_EVENT_WORDS[event].kind)
    .where('id', '>=', firstIdAt(since))
    .where('event', '=', event)
    .where('subject_id', 'is not distinct from', subject)
    .where('detail', '=', detail)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Returns a page of entries, newest first. Reads one row more than the page shows, to find out whether there is a next
 * page. In an entry, `person` has the present name of the person who acted, and `subject` is the name that the affected
 * person had at the time of the event.
 */
export async function findSecurityEntries(
  db: Db,
  partnerId: string,
  { cursor, type, person }: SecurityLogFilters,
): Promise<{ entries: SecurityEntry[]; next_cursor: string | null }> {
  let query = db
    .selectFrom('security_log as log')
    .leftJoin('people', 'people.id', 'log.person_id')
    .select(['log.id', 'log.at', 'log.event', 'log.subject_name as subject', 'log.detail', 'log.reason'])
    .select(['log.ip', 'log.browser', 'log.person_id', 'people.first_name', 'people.last_name', 'people.email'])
    .where('log.partner_id', '=', partnerId)
    // A newer version may have recorded events that this version does not know (D135).
    .where('log.event', 'in', SECURITY_EVENTS)
  if (cursor !== undefined) query = query.where('log.id', '<', cursor)
  if (type !== undefined) query = query.where('log.kind', '=', type)
  if (person !== undefined) query = query.where('log.person_id', '=', person)
  const rows = await query
    .orderBy('log.id', 'desc')
    .limit(SECURITY_LOG_SIZE + 1)
    .execute()
  const entries = rows.slice(0, SECURITY_LOG_SIZE).map(({ person_id, first_name, last_name, email, ...entry }) => ({
    ...entry,
    person:
      person_id === null
        ? null
        : { id: person_id, name: personName({ first_name, last_name, email: email ?? FORMER_COLLEAGUE }) },
  }))
  return { entries, next_cursor: rows.length > SECURITY_LOG_SIZE ? (entries.at(-1)?.id ?? null) : null }
}

/** The newest entries, for operators, also of events that only a newer version knows. Includes all partners and people unless the caller names a partner or person. */
export function findNewestSecurityEntriesOfAllPartners(
  db: Db,
  { partnerId, personId }: { partnerId?: string; personId?: string },
  limit: number,
) {
  let query = db
    .selectFrom('security_log as log')
    .innerJoin('partners', 'partners.id', 'log.partner_id')
    .leftJoin('people', 'people.id', 'log.person_id')
    .select(['log.at', 'log.event', 'log.person_id', 'log.subject_name', 'log.detail', 'log.reason', 'log.ip'])
    .select(['log.browser', 'partners.business_name', 'people.email'])
  if (partnerId !== undefined) query = query.where('log.partner_id', '=', partnerId)
  if (personId !== undefined) query = query.where('log.person_id', '=', personId)
  return query.orderBy('log.id', 'desc').limit(limit).execute()
}

/** Removes entries that are older than this time. Returns how many. */
export function removeSecurityEntriesOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'security_log', key: ['id'], time: 'at' }, before, rowsMax)
}
