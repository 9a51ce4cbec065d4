import { ATTENTION_MAX } from '@portal/contract/limits.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../../db/database.ts'
import { sendNamed } from '../../db/send-named.ts'
import { BEGAN_AT, isUnseen, OPENED } from './news.queries.ts'

/** Every query reads one more row than is shown, to know whether there are more items. */
const LIMIT = ATTENTION_MAX + 1
/** At most this many unread notes are considered. */
const NOTES_MAX = 2_000

interface Found {
  record_id: string
  /** The current version of the item, which changes with the record. */
  version: number
  loid: string
  about: 'lead' | 'deal'
  name: string | null
  at: string
}

/** SQL: whether the person $2 has put away this version of the item. Later versions are shown. */
function isPutAway(kind: string, recordId: string, version: string): string {
  return `exists (select from put_away where person_id = $2 and kind = '${kind}' and record_id = ${recordId}
                                          and version = ${version})`
}

const FAILED_VERSION = '(extract(epoch from crm_failed_at) * 1000)::bigint'

/**
 * Finds leads, deals and notes whose push to the CRM failed, the latest first. A note is left out if its lead or deal
 * failed too, because the lead or deal is shown. Archived leads and deals, and their notes, are left out.
 */
export function findFailedPushes(
  pool: pg.Pool,
  partnerId: string,
  personId: string,
): Promise<(Found & { kind: 'lead' | 'deal' | 'note'; problem: string | null })[]> {
  return sendNamed(pool, {
    sql: `select * from (
        (select 'lead' as kind, id as record_id, ${FAILED_VERSION} as version, loid, 'lead' as about, business_name as name,
                crm_failed_at as at, crm_problem as problem
           from leads
          where partner_id = $1 and crm = 'failed' and archived_at is null
            and not ${isPutAway('crm-failed', 'leads.id', FAILED_VERSION)}
          order by crm_failed_at desc limit $3)
        union all
        (select 'deal', id, ${FAILED_VERSION}, loid, 'deal', coalesce(deal_name, business_name), crm_failed_at, crm_problem
           from deals
          where partner_id = $1 and crm = 'failed' and archived_at is null
            and not ${isPutAway('crm-failed', 'deals.id', FAILED_VERSION)}
          order by crm_failed_at desc limit $3)
        union all
        (select 'note', notes.id, ${FAILED_VERSION}, notes.loid, case when deal.id is null then 'lead' else 'deal' end,
                coalesce(deal.deal_name, deal.business_name, lead.business_name), crm_failed_at, crm_problem
           from notes
           left join lateral (select id, deal_name, business_name, crm from deals
                               where partner_id = $1 and loid = notes.loid and archived_at is null) as deal on true
           left join lateral (select id, business_name, crm from leads
                               where partner_id = $1 and loid = notes.loid and archived_at is null) as lead on true
          where partner_id = $1 and notes.crm = 'failed' and coalesce(deal.crm, lead.crm) <> 'failed'
            and not ${isPutAway('crm-failed', 'notes.id', FAILED_VERSION)}
          order by crm_failed_at desc limit $3)
      ) as failed
      order by at desc, record_id
      limit $3`,
    parameters: [partnerId, personId, LIMIT],
  })
}

/**
 * Finds records with a note that the lender has added since the person last opened the record. The record with the
 * newest note comes first.
 */
export function findUnreadNotes(
  pool: pg.Pool,
  partnerId: string,
  personId: string,
): Promise<(Found & { content: string; by: string | null; count: number })[]> {
  // The version includes the count, because a note whose transaction commits late may be older than the newest note
  // that the person put away.
  const version = '((extract(epoch from note.at) * 1000)::bigint * 1000 + least(note.count, 999))'
  return sendNamed(pool, {
    sql: `with unread as materialized (
        select event.id, event.loid, event.created_at, event.data
          from events as event ${OPENED}
         where event.partner_id = $1 and event.type = 'note.added' and event.data -> 'submitted_by' = 'null'
           and event.created_at > ${BEGAN_AT}
           and (opened.loid is null or ${isUnseen('opened.seen_until', 'opened.snapshot')})
         order by event.created_at desc, event.id desc
         limit ${NOTES_MAX}),
      note as (
        select loid, count(*) as count, max(created_at) as at, (array_agg(id order by created_at desc, id desc))[1] as newest
          from unread group by loid),
      item as (
        select record.record_id, ${version} as version, record.loid, record.about, record.name, note.at, note.count, note.newest
          from note
          cross join lateral (
            select * from (
              select deals.id as record_id, deals.loid, 'deal' as about, coalesce(deal_name, deals.business_name) as name
                from deals left join leads on leads.partner_id = $1 and leads.loid = note.loid
               where deals.partner_id = $1 and deals.loid = coalesce(leads.deal_loid, note.loid) and deals.archived_at is null
              union all
              select id, loid, 'lead', business_name
                from leads
               where partner_id = $1 and loid = note.loid and converted_at is null and archived_at is null
            ) as either limit 1
          ) as record)
      select item.record_id, item.version, item.loid, item.about, item.name, item.at, item.count,
             unread.data ->> 'content' as content, unread.data ->> 'created_by' as by
        from item join unread on unread.id = item.newest
       where not ${isPutAway('lender-note', 'item.record_id', 'item.version')}
       order by item.at desc, item.record_id
       limit $3`,
    parameters: [partnerId, personId, LIMIT],
  })
}

/** A status or stage, with the time that decides which records in it are overdue. */
interface Overdue {
  value: string
  /** A record that entered the status or stage before this time is overdue. */
  before: string
}

const STANDING = {
  lead: {
    table: 'leads',
    value: 'lead_status',
    since: 'status_since',
    name: 'business_name',
    isOpen: 'converted_at is null and archived_at is null',
  },
  deal: {
    table: 'deals',
    value: 'stage',
    since: 'stage_since',
    name: 'coalesce(deal_name, business_name)',
    isOpen: 'archived_at is null',
  },
}

/**
 * Finds leads or deals that have been in their status or stage for too long. Those that became overdue most recently
 * come first.
 */
export function findUnmoved(
  pool: pg.Pool,
  partnerId: string,
  personId: string,
  about: 'lead' | 'deal',
  overdue: readonly Overdue[],
): Promise<(Found & { value: string })[]> {
  const { table, value, since, name, isOpen } = STANDING[about]
  const version = `(extract(epoch from ${since}) * 1000)::bigint`
  return sendNamed(pool, {
    sql: `select unmoved.*, '${about}' as about
            from unnest($4::text[], $5::timestamptz[]) as overdue (value, before)
           cross join lateral (
             select id as record_id, ${version} as version, loid, ${name} as name, ${since} as at, ${value} as value
               from ${table}
              where partner_id = $1 and ${value} = overdue.value and ${since} < overdue.before and ${isOpen}
                and not ${isPutAway('no-movement', `${table}.id`, version)}
              order by ${since} desc
              limit $3) as unmoved
           order by overdue.before - unmoved.at, unmoved.record_id
           limit $3`,
    parameters: [partnerId, personId, LIMIT, overdue.map((one) => one.value), overdue.map((one) => one.before)],
  })
}

/** Whether the partner has this record. */
export async function hasRecord(
  db: Db,
  partnerId: string,
  table: 'leads' | 'deals' | 'notes',
  id: string,
): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertPutAway(
  db: Db,
  item: { person_id: string; kind: 'crm-failed' | 'lender-note' | 'no-movement'; record_id: string; version: number },
  at: string,
): Promise<void> {
  await db
    .insertInto('put_away')
    .values({ ...item, put_away_at: at })
    .onConflict((conflict) =>
      conflict.columns(['person_id', 'kind', 'record_id']).doUpdateSet({ version: item.version, put_away_at: at }),
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
