import { mayTell, RECORD_EVENT_TYPES } from '@portal/contract/event-types.ts'
import { MAIL_KINDS } from '@portal/contract/notifications.ts'
import type { PersonRight } from '@portal/contract/person-rights.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { MailNews } from './mail-news.ts'

/**
 * SQL: the types of events that this version knows and that a reader with these rights is told. A newer version, which
 * runs beside this one or ran before it, may have recorded others. Pages leave these out, and deliveries of them wait for
 * that version (D135).
 */
export function knownEventTypes(rights: readonly PersonRight[]): string {
  const told = RECORD_EVENT_TYPES.filter((type) => mayTell(type, rights))
  return told.map((type) => `'${type}'`).join(', ')
}

export function isKnownEventType(column: string, rights: readonly PersonRight[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} in (${sql.raw(knownEventTypes(rights))})`
}

const KNOWN_NEWS: Record<MailNews['type'], true> = {
  'lead.status_changed': true,
  'lead.verdict_changed': true,
  'lead.converted': true,
  'deal.stage_changed': true,
  'deal.paid': true,
  'note.added': true,
  'request.opened': true,
  'request.reopened': true,
  'request.accepted': true,
  'document.added': true,
  'push.given-up': true,
  'endpoint.disabled': true,
}

/** Whether this version can tell the news by mail. */
export function isKnownNews(table: string): RawBuilder<SqlBool> {
  const types = sql.join(Object.keys(KNOWN_NEWS).map((type) => sql.lit(type)))
  const kinds = sql.join(MAIL_KINDS.map((kind) => sql.lit(kind)))
  return sql<SqlBool>`${sql.ref(`${table}.type`)} in (${types}) and ${sql.ref(`${table}.kind`)} in (${kinds})`
}
