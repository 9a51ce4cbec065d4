import { MONEY_EVENT_TYPES } from '@portal/contract/event-types.ts'
import { NEWS_EVENTS_MAX, NEWS_LINES_MAX } from '@portal/contract/limits.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../../platform/db/database.ts'
import { removeOlder } from '../../platform/db/remove-older.ts'
import { sendNamed } from '../../platform/db/send-named.ts'
import type { RecordedEvent } from '../../records/events/activity.ts'
import { dataNow } from '../../records/events/data-now.ts'
import { knownEventTypes } from '../../records/events/known-types.ts'
import { SEES_MONEY } from '../../records/partners/sees-money.ts'

/** What a person saw when looking at the news: every event up to `until` that was visible in the database snapshot. */
export interface Look {
  until: string
  snapshot: string
}

/** A line of the news, without its text. */
export interface NewsGroup {
  key: string
  /** For a burst, the LOID of one of its records. */
  loid: string
  about: 'lead' | 'deal'
  /** What one author did with all records of a burst; null for a line about one record. */
  burst_of: 'submitted' | 'withdrawn' | null
  actor: string | null
  records: number
  changes: number
  at: string
  /** The ids of the record's newest events, newest first. For a burst, only the id of its newest event. */
  ids: string[]
}

/**
 * If one author submits at least this many leads, or this many deals, with no gap longer than BURST_GAP between them,
 * the submissions are a burst and share a line, and so do withdrawals. Fewer of them get a line each, and so does a
 * record to which anything else has happened.
 */
const BURST_MIN = 3
const BURST_GAP = '10 minutes'
/** The text of a line uses at most LINE_EVENTS events. Lists mark at most MARKED_RECORDS records as new. */
const LINE_EVENTS = 30
const MARKED_RECORDS = 200
/**
 * An event becomes visible when its transaction ends, which may be long after the event's time. So the search for
 * unseen events begins this long before the last look, and the snapshots decide which events were seen. No transaction
 * lasts longer than this.
 */
const LONGEST_TRANSACTION = '1 hour'

const MONEY_EVENTS = MONEY_EVENT_TYPES.map((type) => `'${type}'`).join(', ')

/** SQL: person $2's last look at the news, as one row. */
const ME = `me as materialized (
  select coalesce(seen.began_at, people.created_at) as began_at, coalesce(seen.seen_until, people.created_at) as seen_until,
         seen.snapshot, ${SEES_MONEY} as sees_money
    from people left join seen on seen.person_id = people.id
   where people.id = $2)`

/**
 * SQL: whether an `event` is news to the person $2. An event is news if neither the person nor the business's own API key
 * caused it, if the person has seen it neither in the news nor on the record's page (`opened`), and if the person may be
 * told of it.
 */
const IS_NEWS = `event.created_at > (select seen_until from me) - interval '${LONGEST_TRANSACTION}'
  and ${isUnseen('(select seen_until from me)', '(select snapshot from me)')}
  and (opened.loid is null or ${isUnseen('opened.seen_until', 'opened.snapshot')})
  and event.person_id is distinct from $2
  and (event.type not in (${MONEY_EVENTS}) or (select sees_money from me))
  and event_actor(event.type, event.person_id, event.data) is distinct from 'api-key'`

/** SQL: whether a look at the news up to this time, with this snapshot, missed the `event`. */
export function isUnseen(until: string, snapshot: string): string {
  return `(event.created_at > ${until} or not coalesce(pg_visible_in_snapshot(event.xid, ${snapshot}), true))`
}

/**
 * SQL: when the person $2 last opened the record of an `event`. The lateral join looks this up by key for each event.
 * With a plain join, PostgreSQL might keep a plan from before the person had opened any record, and compare each event
 * with all opened records.
 */
export const OPENED = `left join lateral (
  select loid, seen_until, snapshot from seen_records where person_id = $2 and loid = event.loid limit 1) as opened on true`

type NewsRow = Look &
  Omit<NewsFound, keyof Look | 'groups' | 'loids'> & { loids: string[] | null } & (NewsGroup | { key: null })

/** The newest groups of news, and the totals. */
interface NewsFound extends Look {
  groups: NewsGroup[]
  total: number
  leads: number
  deals: number
  /** True if there may be more events than were counted. */
  is_least: boolean
  loids: string[]
}

/** Groups the person's unseen events, but only the newest 5,000. */
export async function findNewsGroups(pool: pg.Pool, partnerId: string, personId: string): Promise<NewsFound> {
  const rows = await sendNamed<NewsRow>(pool, {
    sql: `with ${ME},
      unseen as materialized (
        select event.id, event.loid, event.created_at, event.type,
               event.type like 'deal.%' or event.data ->> 'on' is not distinct from 'deal' as is_deals,
               event_actor(event.type, event.person_id, event.data) as actor
          from events as event ${OPENED}
         where event.partner_id = $1 and event.loid is not null and event.type in (${knownEventTypes(['money'])}) and ${IS_NEWS}
         order by event.created_at desc, event.id desc
         limit $3),
      records as (
        select loid, case when bool_or(is_deals) then 'deal' else 'lead' end as about, count(*) as changes,
               max(created_at) as at, (array_agg(actor order by created_at desc, id desc))[1] as actor,
               case when bool_and(type in ('lead.created', 'deal.created')) then 'submitted'
                    when bool_and(type in ('lead.created', 'lead.withdrawn')) then 'withdrawn' end as done,
               (array_agg(id order by created_at desc, id desc))[1:${LINE_EVENTS}] as ids
          from unseen group by loid),
      begun as (
        select *, coalesce(at - lag(at) over (partition by done, about, actor order by at, loid) > interval '${BURST_GAP}', true)::int as gap
          from records),
      bursts as (
        select *, sum(gap) over (partition by done, about, actor order by at, loid) as burst from begun),
      sized as (
        select *, case when count(*) over (partition by done, about, actor, burst) >= ${BURST_MIN} then done end as burst_of
          from bursts),
      lines as (
        select loid as key, loid, about, burst_of, actor, 1::bigint as records, changes, at, ids from sized where burst_of is null
        union all
        select concat_ws('-', 'burst', burst_of, about, actor, burst), max(loid), about, burst_of, actor, count(*), sum(changes)::bigint, max(at),
               (array_agg(ids[1] order by at desc))[1:1]
          from sized where burst_of is not null
         group by burst_of, about, actor, burst)
      select look.*, line.* from (
        select pg_current_snapshot()::text as snapshot,
               coalesce((select created_at from events where partner_id = $1 order by created_at desc, id desc limit 1),
                        (select seen_until from me)) as until,
               (select count(*) from lines) as total,
               (select count(*) from lines where about = 'lead') as leads,
               (select count(*) from lines where about = 'deal') as deals,
               (select count(*) from unseen) = $3 as is_least,
               (select array_agg(loid) from (select loid from records order by at desc limit ${MARKED_RECORDS}) as newest) as loids
      ) as look
      left join (select * from lines order by at desc, key limit ${NEWS_LINES_MAX}) as line on true
      order by line.at desc, line.key`,
    parameters: [partnerId, personId, NEWS_EVENTS_MAX],
  })
  const [look] = rows
  if (!look) throw new Error('an aggregate without a row')
  const { until, snapshot, total, leads, deals, is_least, loids } = look
  const groups = rows.filter((row) => row.key !== null)
  return { until, snapshot, total, leads, deals, is_least, loids: loids ?? [], groups }
}

/** Finds events by their ids, in no particular order. */
export function findEvents(pool: pg.Pool, partnerId: string, ids: readonly string[]): Promise<RecordedEvent[]> {
  return sendNamed<RecordedEvent>(pool, {
    sql: `select id, type, loid, ${dataNow('events.data', '$1')} as data, created_at
            from events where partner_id = $1 and id = any($2)`,
    parameters: [partnerId, ids],
  })
}

/** Finds out which of these events are news to the person. */
export async function findUnseenIds(
  pool: pg.Pool,
  partnerId: string,
  personId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await sendNamed<{ id: string }>(pool, {
    sql: `with ${ME}
          select event.id from events as event ${OPENED}
           where event.partner_id = $1 and event.id = any($3) and ${IS_NEWS}`,
    parameters: [partnerId, personId, ids],
  })
  return new Set(rows.map((row) => row.id))
}

/** The database's current snapshot. */
export async function findSnapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`.execute(db)
  const [row] = rows
  if (!row) throw new Error('no row from PostgreSQL')
  return row.snapshot
}

/** Marks every event in this look as seen. Changes nothing if the stored look is later. */
export async function insertSeen(db: Db, personId: string, { until, snapshot }: Look): Promise<void> {
  await sql`
    insert into seen (person_id, began_at, seen_until, snapshot)
    select id, created_at, ${until}, ${snapshot}::pg_snapshot from people where id = ${personId}
    on conflict (person_id) do update set seen_until = excluded.seen_until, snapshot = excluded.snapshot
     where ${isLater('seen')}`.execute(db)
}

/** Marks every event of one record in this look as seen. `loids` are all LOIDs that the record has had. */
export async function insertSeenRecords(
  db: Db,
  personId: string,
  loids: readonly string[],
  { until, snapshot }: Look,
): Promise<void> {
  await sql`
    insert into seen_records (person_id, loid, seen_until, snapshot)
    select ${personId}, loid, ${until}, ${snapshot}::pg_snapshot from unnest(${loids}::text[]) as loid
    on conflict (person_id, loid) do update set seen_until = excluded.seen_until, snapshot = excluded.snapshot
     where ${isLater('seen_records')}`.execute(db)
}

function isLater(table: string) {
  const kept = sql.table(table)
  return sql`(excluded.seen_until, pg_snapshot_xmax(excluded.snapshot)) > (${kept}.seen_until, pg_snapshot_xmax(${kept}.snapshot))`
}

/**
 * Moves the person's look forward to just before the oldest unseen event, or to the newest event if all are seen. Then
 * the events before that time are not read again. Helps people who open records but never mark all news as seen.
 */
export async function moveSeen(pool: pg.Pool, partnerId: string, personId: string): Promise<void> {
  await pool.query(
    `with ${ME},
      oldest as (
        select event.created_at from events as event ${OPENED}
         where event.partner_id = $1 and event.loid is not null and ${IS_NEWS}
         order by event.created_at, event.id
         limit 1),
      reached as (
        select coalesce((select created_at - interval '1 ms' from oldest),
                        (select created_at from events where partner_id = $1 order by created_at desc, id desc limit 1)) as until)
     insert into seen (person_id, began_at, seen_until, snapshot)
     select $2, me.began_at, reached.until, pg_current_snapshot() from me, reached where reached.until > me.seen_until
     on conflict (person_id) do update set seen_until = excluded.seen_until, snapshot = excluded.snapshot
      where excluded.seen_until > seen.seen_until`,
    [partnerId, personId],
  )
}

/**
 * Finds the LOIDs of one of the partner's leads or deals. There are two if a lead became a deal with another LOID
 * (D49), and none if there is no such record.
 */
export async function findLoidsOf(db: Db, partnerId: string, loid: string): Promise<string[]> {
  const { rows } = await sql<{ loid: string }>`
    select loid from leads where partner_id = ${partnerId} and (loid = ${loid} or loid = (
      select lead_loid from deals where partner_id = ${partnerId} and loid = ${loid}))
    union
    select loid from deals where partner_id = ${partnerId} and (loid = ${loid} or loid = (
      select deal_loid from leads where partner_id = ${partnerId} and loid = ${loid}))`.execute(db)
  return rows.map((row) => row.loid)
}

/**
 * Removes the marks of records that were last opened before this time, because the events that the person saw then have
 * already been removed. Returns how many marks it removed.
 */
export function removeSeenRecordsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'seen_records', key: ['person_id', 'loid'], time: 'seen_until' }, before, rowsMax)
}
