import type { WebhookAttempt, WebhookLog, WebhookLogFilters } from '@portal/contract/webhooks.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/ids.ts'
import { cutPage, offset, type Page } from '../../platform/db/paging.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'
import { containing, dayOrEarlier, dayOrLater, everyWordIn } from '../../platform/db/sql-conditions.ts'
import { NotFound } from '../../platform/errors.ts'

const LOG_COLUMNS = [
  'id',
  'direction',
  'status',
  'endpoint',
  'api_key',
  'event_type',
  'loid',
  'response_status',
  'error_message',
  'request_body',
  'response_body',
  'attempts',
  'next_attempt_at',
  'created_at',
] as const

/**
 * Returns a page of the partner's log, newest first. Reads one row more than the page has, to know `has_more` without
 * counting.
 */
export async function findWebhookLogs(
  db: Db,
  partnerId: string,
  filters: WebhookLogFilters,
  timezone: string,
): Promise<Page<WebhookLog>> {
  const { status, endpoint, dateFrom, dateTo, search } = filters
  let query = db.selectFrom('webhook_logs').select(LOG_COLUMNS).where('partner_id', '=', partnerId)
  if (status) query = query.where('status', '=', status)
  if (endpoint) query = query.where((eb) => containing(eb.ref('endpoint'), endpoint))
  if (dateFrom) query = query.where((eb) => dayOrLater(eb.ref('created_at'), dateFrom, filters.timezone ?? timezone))
  if (dateTo) query = query.where((eb) => dayOrEarlier(eb.ref('created_at'), dateTo, filters.timezone ?? timezone))
  if (search) query = query.where((eb) => everyWordIn(eb.ref('search_text'), search, 'lower case'))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filters.limit + 1)
    .offset(offset(filters))
    .execute()
  return cutPage(rows, filters)
}

export async function getWebhookLog(db: Db | Tx, partnerId: string, id: string): Promise<WebhookLog> {
  const row = isId(id)
    ? await db
        .selectFrom('webhook_logs')
        .select(LOG_COLUMNS)
        .where('partner_id', '=', partnerId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound('Webhook log not found')
  return row
}

/** The attempts of a delivery, the oldest first. The caller has checked that `logId` belongs to the partner. */
export function findAttempts(db: Db, logId: string): Promise<WebhookAttempt[]> {
  return db
    .selectFrom('webhook_attempts')
    .select(['number', 'started_at', 'duration_ms', 'response_status', 'error_message'])
    .where('log_id', '=', logId)
    .orderBy('number')
    .execute()
}

/**
 * Removes log rows that are older than this time (D37). Returns how many. The attempts are removed separately, month by
 * month.
 */
export function removeWebhookLogsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'webhook_logs', key: ['id'], time: 'created_at' }, before, rowsMax)
}
