import type { AttentionItem } from '@portal/contract/attention.ts'
import { ATTENTION_TOTAL_MAX } from '@portal/contract/limits.ts'
import type { HistoryKind } from '@portal/contract/meanings.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../../platform/db/database.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import { dataNow } from '../../records/events/data-now.ts'
import { BEGAN, isAnswered, isDone, versionOf } from '../../records/histories/answered-turns.queries.ts'
import { isUnseen, OPENED } from './news.queries.ts'

/** Every query reads one more row than is counted, to know whether there are more items. */
export const LIMIT = ATTENTION_TOTAL_MAX + 1
/** At most this many of the lender's notes are considered. */
const NOTES_MAX = 2_000

export type AttentionKind = AttentionItem['kind']

/** Whose items are read, and when. */
export interface Viewer {
  partnerId: string
  personId: string
  now: Date
}

export interface Found {
  record_id: string
  /** The current version of the item, which changes with the record. */
  version: number
  loid: string
  about: 'lead' | 'deal'
  name: string | null
  at: string
}

export const parametersOf = ({ partnerId, personId, now }: Viewer) => [partnerId, personId, now.toISOString(), LIMIT]

/**
 * SQL: whether the person $2 has put away this version of the item, or is to be reminded of it after $3. Later versions
 * are shown.
 */
export function isPutAway(kind: AttentionKind, recordId: string, version: string): string {
  return `exists (select from put_away where person_id = $2 and kind = '${kind}' and record_id = ${recordId}
                     and version = ${version} and (hidden_until is null or hidden_until > $3))`
}

/** SQL: whether somebody of the business has marked this version of the item as done, or the person $2 has hidden it. */
function isHidden(kind: AttentionKind, recordId: string, version: string): string {
  return `(${isDone(kind, recordId, version)} or ${isPutAway(kind, recordId, version)})`
}

/**
 * The statuses and stages of the partner's open records, and whether the partner's usual times were ever computed.
 */
export async function findOpenValues(
  pool: pg.Pool,
  partnerId: string,
): Promise<{ values: { kind: HistoryKind; value: string }[]; knows_usual_times: boolean }> {
  const rows = await sendNamed<{ kind: HistoryKind | null; value: string; knows_usual_times: boolean }>(pool, {
    sql: `select known.knows_usual_times, counted.kind, counted.value
            from (select exists (select from usual_times_due where partner_id = $1) as knows_usual_times) as known
            left join (select case kind when 'lead' then 'lead-status' else 'deal-stage' end as kind, value
                         from record_counts where partner_id = $1 and not is_converted
                        group by kind, value having sum(records) > 0) as counted on true`,
    parameters: [partnerId],
  })
  return {
    values: rows.flatMap(({ kind, value }) => (kind === null ? [] : { kind, value })),
    knows_usual_times: rows[0]?.knows_usual_times ?? false,
  }
}

const FAILED_VERSION = versionOf('crm_failed_at')

/**
 * Finds leads, deals and notes whose push to the CRM failed, the latest first. A note is left out if its lead or deal
 * failed too, because the lead or deal is shown. Archived leads and deals, and their notes, are left out.
 */
export function findFailedPushes(
  pool: pg.Pool,
  viewer: Viewer,
): Promise<(Found & { kind: 'lead' | 'deal' | 'note'; problem: string | null })[]> {
  return sendNamed(pool, {
    sql: `select * from (
        (select 'lead' as kind, id as record_id, ${FAILED_VERSION} as version, loid, 'lead' as about, business_name as name,
                crm_failed_at as at, crm_problem as problem
           from leads
          where partner_id = $1 and crm = 'failed' and archived_at is null
            and not ${isHidden('crm-failed', 'leads.id', FAILED_VERSION)}
          order by crm_failed_at desc limit $4)
        union all
        (select 'deal', id, ${FAILED_VERSION}, loid, 'deal', coalesce(deal_name, business_name), crm_failed_at, crm_problem
           from deals
          where partner_id = $1 and crm = 'failed' and archived_at is null
            and not ${isHidden('crm-failed', 'deals.id', FAILED_VERSION)}
          order by crm_failed_at desc limit $4)
        union all
        (select 'note', notes.id, ${FAILED_VERSION}, notes.loid, case when deal.id is null then 'lead' else 'deal' end,
                coalesce(deal.deal_name, deal.business_name, lead.business_name), crm_failed_at, crm_problem
           from notes
           left join lateral (select id, deal_name, business_name, crm from deals
                               where partner_id = $1 and loid = notes.loid and archived_at is null) as deal on true
           left join lateral (select id, business_name, crm from leads
                               where partner_id = $1 and loid = notes.loid and archived_at is null) as lead on true
          where partner_id = $1 and notes.crm = 'failed' and coalesce(deal.crm, lead.crm) <> 'failed'
            and not ${isHidden('crm-failed', 'notes.id', FAILED_VERSION)}
          order by crm_failed_at desc limit $4)
      ) as failed
      order by at desc, record_id
      limit $4`,
    parameters: parametersOf(viewer),
  })
}

/** SQL: when the lender wrote the note of an `event`, by the CRM's clock, in whole seconds. Its event has the portal's time. */
const writtenAt = (event: string) => `coalesce((${event}.data ->> 'written_at')::timestamptz, ${event}.created_at)`

/** SQL: whether the partner $1 has written a note on this `record` since the event `told`. */
const IS_ANSWERED = `exists (select from (values (told.loid), (record.record_loid)) as known (loid)
                              cross join lateral (
                                select 1 from notes
                                 where partner_id = $1 and loid = known.loid and not is_from_crm and created_at > told.created_at
                                 limit 1) as answer)`

/** SQL: whether somebody of the partner $1 has marked the note of the event `told`, on this `record`, as done. */
const IS_NOTE_DONE = `exists (select from attention_done as done
                               where partner_id = $1 and kind = 'lender-note' and done.record_id = record.record_id
                                 and ${versionOf('told.created_at')} <= done.version / 1000
                                 and coalesce(pg_visible_in_snapshot(told.xid, done.snapshot), true))`

/** SQL: whether the `record` has not moved since the note of the event `told`. */
const HAS_NOT_MOVED = `told.written_at >= date_trunc('second', record.since)`

/**
 * Finds out which of these events are notes that wait for no answer any more: somebody of the business has answered them
 * or marked them as done, or the record has moved on.
 */
export async function findSettledNotes(
  pool: pg.Pool,
  partnerId: string,
  eventIds: readonly string[],
): Promise<Set<string>> {
  const rows = await sendNamed<{ id: string }>(pool, {
    sql: `select told.id
            from (select id, loid, xid, created_at, ${writtenAt('events')} as written_at from events
                   where partner_id = $1 and id = any($2)) as told
           cross join lateral (
             select id as record_id, loid as record_loid, coalesce(status_since, created_at) as since
               from leads where partner_id = $1 and loid = told.loid
             union all
             select id, loid, coalesce(stage_since, created_at)
               from deals where partner_id = $1 and (loid = told.loid or lead_loid = told.loid)) as record
           where ${IS_ANSWERED} or ${IS_NOTE_DONE} or not ${HAS_NOT_MOVED}`,
    parameters: [partnerId, eventIds],
  })
  return new Set(rows.map((row) => row.id))
}

/**
 * Finds open records with notes of the lender's that nobody of the business has answered or marked as done, unless the
 * record has moved on since. The record with the newest note comes first. `is_read` says whether the person has opened
 * the record since its newest note.
 */
export function findUnansweredNotes(
  pool: pg.Pool,
  viewer: Viewer,
  open: Record<HistoryKind, readonly string[]>,
): Promise<
  (Found & { value: string; since: string; content: string; by: string | null; count: number; is_read: boolean })[]
> {
  // The lateral joins look up each note's record and answers by key. PostgreSQL plans for few notes, and other joins
  // would read all deals or all notes of the partner once for each.
  // The version includes the count, because a note whose transaction commits late may be older than the newest note
  // that the person put away.
  const version = `(${versionOf('note.at')} * 1000 + least(note.count, 999))`
  return sendNamed(pool, {
    sql: `with told as materialized (
        select event.id, event.loid, event.xid, event.created_at, event.data, ${writtenAt('event')} as written_at,
               opened.loid is not null and not ${isUnseen('opened.seen_until', 'opened.snapshot')} as is_read
          from events as event ${OPENED}
         where event.partner_id = $1 and event.type = 'note.added' and event.data -> 'submitted_by' = 'null'
         order by event.created_at desc, event.id desc
         limit ${NOTES_MAX}),
      unanswered as (
        select told.*, record.*
          from told
          cross join lateral (
            select coalesce((select deal_loid from leads where partner_id = $1 and loid = told.loid), told.loid) as deal_loid
            offset 0) as became
          cross join lateral (
            select * from (
              select id as record_id, loid as record_loid, 'deal' as about, coalesce(deal_name, business_name) as name,
                     stage as value, coalesce(stage_since, created_at) as since
                from deals
               where partner_id = $1 and loid = became.deal_loid and archived_at is null and stage = any($6)
              union all
              select id, loid, 'lead', business_name, lead_status, coalesce(status_since, created_at)
                from leads
               where partner_id = $1 and loid = told.loid and converted_at is null and archived_at is null
                 and lead_status = any($5)
            ) as either limit 1
          ) as record
         where ${HAS_NOT_MOVED} and not ${IS_ANSWERED} and not ${IS_NOTE_DONE}),
      note as (
        select record_id, record_loid as loid, about, name, value, since, count(*) as count, max(created_at) as at,
               bool_and(is_read) as is_read, (array_agg(data order by created_at desc, id desc))[1] as newest
          from unanswered group by record_id, record_loid, about, name, value, since)
      select note.record_id, ${version} as version, note.loid, note.about, note.name, note.value, note.since, note.at, note.count,
             note.is_read, ${dataNow('note.newest', '$1')} ->> 'content' as content, note.newest ->> 'created_by' as by
        from note
       where not ${isPutAway('lender-note', 'note.record_id', version)}
       order by note.at desc, note.record_id
       limit $4`,
    parameters: [...parametersOf(viewer), open['lead-status'], open['deal-stage']],
  })
}

/** A status or stage, and how old a standing in it has to be to need attention. */
export interface StandingIn {
  value: string
  /** A record that entered the status or stage before this time needs attention. */
  before: string
}

const STANDING = {
  lead: {
    table: 'leads' as const,
    value: 'lead_status',
    since: 'status_since',
    name: 'business_name',
    isOpen: 'converted_at is null and awaits_deal_since is null and archived_at is null',
  },
  deal: {
    table: 'deals' as const,
    value: 'stage',
    since: 'stage_since',
    name: 'coalesce(deal_name, business_name)',
    isOpen: 'archived_at is null',
  },
}

/** A record that waits in its status or stage, since `at`. */
export type Waiting = Found & { value: string }

/**
 * Finds leads or deals whose status or stage asks the partner to act, the latest first. A note that the partner wrote
 * since then answers it.
 */
export function findPartnersTurns(
  pool: pg.Pool,
  viewer: Viewer,
  about: 'lead' | 'deal',
  values: readonly string[],
): Promise<Waiting[]> {
  const { table, value, since, name, isOpen } = STANDING[about]
  const began = BEGAN[table]
  const version = versionOf(began)
  return sendNamed(pool, {
    sql: `select waiting.*, '${about}' as about
            from unnest($5::text[]) as asking (value)
           cross join lateral (
             select id as record_id, ${version} as version, loid, ${name} as name, ${began} as at, ${value} as value
               from ${table}
              where partner_id = $1 and ${value} = asking.value and ${isOpen}
                and not ${isHidden('your-turn', `${table}.id`, version)}
                and not ${isAnswered(table)}
              order by ${since} desc
              limit $4) as waiting
           order by waiting.at desc, waiting.record_id
           limit $4`,
    parameters: [...parametersOf(viewer), values],
  })
}

/** Finds leads that the lender converted without a deal, the latest first (D124). */
export function findLeadsAwaitingDeal(pool: pg.Pool, viewer: Viewer): Promise<Waiting[]> {
  const version = versionOf('awaits_deal_since')
  return sendNamed(pool, {
    sql: `select id as record_id, ${version} as version, loid, 'lead' as about, business_name as name, awaits_deal_since as at,
                 lead_status as value
            from leads
           where partner_id = $1 and awaits_deal_since is not null and converted_at is null and archived_at is null
             and not ${isHidden('awaits-deal', 'leads.id', version)}
           order by awaits_deal_since desc
           limit $4`,
    parameters: parametersOf(viewer),
  })
}

/** Days before the end of its protection at which a lead needs attention (D112). */
const PROTECTION_DAYS = 7

/** Finds open leads whose protection ends soon, the first to end first. Days are those of the lender's office. */
export function findEndingProtections(
  pool: pg.Pool,
  viewer: Viewer,
  timezone: string,
): Promise<(Waiting & { protected_until: string })[]> {
  const version = `(protected_until - date '2000-01-01')`
  const today = '($3::timestamptz at time zone $5)::date'
  return sendNamed(pool, {
    sql: `select id as record_id, ${version} as version, loid, 'lead' as about, business_name as name,
                 coalesce(status_since, created_at) as at, lead_status as value, protected_until
            from leads
           where partner_id = $1 and protected_until between ${today} and ${today} + ${PROTECTION_DAYS}
             and converted_at is null and archived_at is null
             and exists (select from crm_field_groups where name = 'verdict')
             and not ${isHidden('protection-ends', 'leads.id', version)}
           order by protected_until, id
           limit $4`,
    parameters: [...parametersOf(viewer), timezone],
  })
}

/**
 * Finds leads or deals that have been in their status or stage for too long. The most overdue come first: `overdue` is
 * the time in the status or stage, as a multiple of the time after which it is too long.
 */
export function findUnmoved(
  pool: pg.Pool,
  viewer: Viewer,
  about: 'lead' | 'deal',
  tooLong: readonly StandingIn[],
): Promise<(Waiting & { overdue: number })[]> {
  const { table, value, since, name, isOpen } = STANDING[about]
  const version = versionOf(since)
  return sendNamed(pool, {
    sql: `select unmoved.*, '${about}' as about,
                 (extract(epoch from $3 - unmoved.at) / extract(epoch from $3 - overdue.before))::double precision as overdue
            from unnest($5::text[], $6::timestamptz[]) as overdue (value, before)
           cross join lateral (
             select id as record_id, ${version} as version, loid, ${name} as name, ${since} as at, ${value} as value
               from ${table}
              where partner_id = $1 and ${value} = overdue.value and ${since} < overdue.before and ${isOpen}
                and not ${isHidden('no-movement', `${table}.id`, version)}
              order by ${since}
              limit $4) as unmoved
           order by overdue desc, unmoved.record_id
           limit $4`,
    parameters: [...parametersOf(viewer), tooLong.map((one) => one.value), tooLong.map((one) => one.before)],
  })
}

/** Finds the partner's webhook if it is disabled, or if every delivery has failed since before `failingBefore`. */
export async function findFailingWebhook(
  pool: pg.Pool,
  viewer: Viewer,
  failingBefore: string,
): Promise<{ version: number; url: string; failing_since: string | null; disabled_at: string | null } | undefined> {
  const version = versionOf('coalesce(disabled_at, failing_since)')
  const { partnerId, personId, now } = viewer
  const rows = await sendNamed<{
    version: number
    url: string
    failing_since: string | null
    disabled_at: string | null
  }>(pool, {
    sql: `select ${version} as version, url, failing_since, disabled_at
            from webhook_endpoints
           where partner_id = $1 and (disabled_at is not null or failing_since <= $4)
             and not ${isHidden('webhook-failing', 'webhook_endpoints.partner_id', version)}`,
    parameters: [partnerId, personId, now.toISOString(), failingBefore],
  })
  return rows[0]
}

/** The LOID of one of the partner's leads, deals or notes. Undefined if the partner has no such record. */
export async function findLoid(
  db: Db,
  partnerId: string,
  table: 'leads' | 'deals' | 'notes',
  id: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom(table)
    .select('loid')
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.loid
}

/** Hides an item from the person until the given time or, if `hidden_until` is null, until its record changes. */
export async function insertPutAway(
  db: Db,
  item: { person_id: string; kind: AttentionKind; record_id: string; version: number; hidden_until: string | null },
  at: string,
): Promise<void> {
  const { version, hidden_until } = item
  await db
    .insertInto('put_away')
    .values({ ...item, put_away_at: at })
    .onConflict((conflict) =>
      conflict.columns(['person_id', 'kind', 'record_id']).doUpdateSet({ version, hidden_until, put_away_at: at }),
    )
    .execute()
}

/** Marks an item as done for everybody of the partner's business. */
export async function insertDone(
  db: Db,
  item: { partner_id: string; kind: AttentionKind; record_id: string; version: number },
  at: string,
): Promise<void> {
  const snapshot = sql<string>`pg_current_snapshot()`
  await db
    .insertInto('attention_done')
    .values({ ...item, snapshot, done_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(['partner_id', 'kind', 'record_id'])
        .doUpdateSet({ version: item.version, snapshot, done_at: at }),
    )
    .execute()
}

/** Removes the marks of items that were put away before this time. Returns how many. */
export async function removePutAwayOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from put_away where (person_id, kind, record_id) in (
      select person_id, kind, record_id from put_away where put_away_at < ${before} limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows)
}

/** Removes the marks of items that were done before this time. Returns how many. */
export async function removeDoneOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from attention_done where (partner_id, kind, record_id) in (
      select partner_id, kind, record_id from attention_done where done_at < ${before} limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows)
}
