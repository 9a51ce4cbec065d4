import type { HistoryKind } from '@portal/contract/meanings.ts'
import type { UsualTime } from '@portal/contract/timeline.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { sendNamed } from '../../platform/db/send-named.ts'

/** The median number of days from entering a status or stage to leaving it. */
export interface UsualTimeOfValue extends UsualTime {
  kind: HistoryKind
  value: string
}

/**
 * A partner with fewer entries than this for a status or stage sees the usual time of all partners, if there is one.
 */
const OWN_ENTRIES_MIN = 10
/**
 * The usual time of all partners is the median of the partners' medians, so that no partner outweighs the others. It is
 * shown only if it cannot reveal a single record: several partners must have a few entries each.
 */
const EVERYBODY = { partnersMin: 5, entriesMin: 30, entriesOfEachMin: 3 }
const WINDOW = '1 year'
/** The maximum number of entries that are read for a partner's medians. About 7,000 records have this many entries. */
const ENTRIES_READ_MAX = 20_000

/** One median for each status and stage with enough entries. */
export function findUsualTimes(reads: Reads, partnerId: string): Promise<UsualTimeOfValue[]> {
  return sendNamed(reads, {
    sql: `select kind, value, days, entries, 'partner' as "of" from usual_times
           where partner_id = $1 and entries >= $2
          union all
          select kind, value, days, entries, 'everybody' from usual_times_of_everybody everybody
           where not exists (select from usual_times own
                              where own.partner_id = $1 and own.kind = everybody.kind and own.value = everybody.value
                                and own.entries >= $2)`,
    parameters: [partnerId, OWN_ENTRIES_MIN],
  })
}

/** The partners whose usual times must be computed now. Partners without usual times come first. */
export async function findDueForUsualTimesOfAllPartners(db: Db, now: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('partners')
    .leftJoin('usual_times_due as due', 'due.partner_id', 'partners.id')
    .select('partners.id')
    .where('partners.closed_at', 'is', null)
    .where((eb) => eb.or([eb('due.due_at', 'is', null), eb('due.due_at', '<=', now.toISOString())]))
    .orderBy('due.due_at', (order) => order.asc().nullsFirst())
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Computes the partner's usual times from the last year of its history. Returns how many entries they are based on.
 *
 * LOIDs are random, so the first entries in the index's order are a fair sample of a large partner's records. Within a
 * record, the index runs from the latest entry backwards, so the limit never separates an entry from the entry that
 * ended it. A lead's last status ends when the lead becomes a deal.
 */
export async function replaceUsualTimes(tx: Tx, partnerId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ entries: number }>`
    with timed as (
      select loid, kind, value, changed_time,
             lag(changed_time) over (partition by loid, kind order by changed_time desc, id desc) as left_at
        from (select id, loid, kind, value, changed_time
                from history_entries
               where partner_id = ${partnerId}
               order by loid, kind, changed_time desc, id desc
               limit ${ENTRIES_READ_MAX}) as sampled
    ), ended as (
      select kind, value, changed_time,
             coalesce(left_at, (
               select coalesce(deals.created_at, leads.converted_at)
                 from leads
                 left join deals on deals.partner_id = leads.partner_id and deals.loid = leads.deal_loid
                where leads.partner_id = ${partnerId} and leads.loid = timed.loid and timed.kind = 'lead-status'
             )) as left_at
        from timed
       where changed_time >= ${now.toISOString()}::timestamptz - ${WINDOW}::interval
    ), computed as (
      select kind, value, count(*) as entries,
             percentile_cont(0.5) within group (
               order by greatest(0, extract(epoch from left_at - changed_time)::double precision) / 86400) as days
        from ended
       where left_at is not null
       group by kind, value
    ), outdated as (
      delete from usual_times
       where partner_id = ${partnerId} and (kind, value) not in (select kind, value from computed)
    )
    insert into usual_times (partner_id, kind, value, days, entries)
    select ${partnerId}, kind, value, days, entries from computed
        on conflict (partner_id, kind, value) do update set days = excluded.days, entries = excluded.entries
    returning entries`.execute(tx)
  return rows.reduce((sum, row) => sum + row.entries, 0)
}

export async function markUsualTimesDue(tx: Tx, partnerId: string, dueAt: Date): Promise<void> {
  await tx
    .insertInto('usual_times_due')
    .values({ partner_id: partnerId, due_at: dueAt.toISOString() })
    .onConflict((conflict) =>
      conflict.column('partner_id').doUpdateSet((eb) => ({ due_at: eb.ref('excluded.due_at') })),
    )
    .execute()
}

/** Computes the usual times of all partners from each partner's medians. */
export async function replaceUsualTimesOfEverybody(tx: Tx): Promise<void> {
  await tx.deleteFrom('usual_times_of_everybody').execute()
  await tx
    .insertInto('usual_times_of_everybody')
    .columns(['kind', 'value', 'days', 'entries'])
    .expression((eb) =>
      eb
        .selectFrom('usual_times')
        .select(['kind', 'value', sql<number>`percentile_cont(0.5) within group (order by days)`.as('days')])
        .select(({ fn }) => fn.sum<number>('entries').as('entries'))
        .where('entries', '>=', EVERYBODY.entriesOfEachMin)
        .groupBy(['kind', 'value'])
        .having(({ fn }) => fn.countAll(), '>=', EVERYBODY.partnersMin)
        .having(({ fn }) => fn.sum('entries'), '>=', EVERYBODY.entriesMin),
    )
    .execute()
}
