import { meaningOf } from '@portal/contract/meanings.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { PartnerRow } from '../../platform/db/tables.ts'
import type { PartnerFacts } from '../crm-records.ts'

/** The numbers are of the last 90 days. */
const WINDOW = '90 days'

export interface DueForFacts {
  id: string
  zoho_id: string
  /** What the record shows. Empty if the portal has written nothing into it. */
  told: Partial<PartnerFacts>
}

/** Finds partners whose facts were not compared since this time, the longest ago first. */
export async function findDueForFactsOfAllPartners(db: Db, since: string, limit: number): Promise<DueForFacts[]> {
  const { rows } = await sql<DueForFacts>`
    select partners.id, partners.zoho_id,
           case when told.zoho_id = partners.zoho_id then told.facts else '{}'::jsonb end as told
      from partners left join told_facts told on told.partner_id = partners.id
     where partners.zoho_id is not null and partners.crm <> 'held' and partners.closed_at is null
       and (told.zoho_id is distinct from partners.zoho_id or told.facts_at is null or told.facts_at < ${since})
     order by told.facts_at nulls first, partners.id
     limit ${limit}`.execute(db)
  return rows
}

/** What the lender's team wants to know of a partner. `timezone` decides on which day somebody was last seen. */
export async function findPartnerFacts(
  db: Db,
  partnerId: string,
  { now, timezone }: { now: Date; timezone: string },
): Promise<PartnerFacts> {
  const since = sql`${now.toISOString()}::timestamptz - ${WINDOW}::interval`
  const { rows } = await sql<Omit<PartnerFacts, 'portal_won_90_days'>>`
    select (select count(*) from people where partner_id = ${partnerId} and is_active)::int as portal_people,
           (select to_char(max(last_seen_at) at time zone ${timezone}, 'YYYY-MM-DD') from people
             where partner_id = ${partnerId}) as portal_last_seen,
           (select count(*) from leads
             where partner_id = ${partnerId} and archived_at is null and created_at > ${since})::int as portal_leads_90_days,
           ((select count(*) from leads where partner_id = ${partnerId} and crm <> 'synced' and archived_at is null)
            + (select count(*) from deals where partner_id = ${partnerId} and crm <> 'synced' and archived_at is null)
            + (select count(*) from notes where partner_id = ${partnerId} and crm <> 'synced'))::int as portal_waiting`.execute(
    db,
  )
  const [facts] = rows
  if (!facts) throw new Error('a query without rows')
  const { rows: entered } = await sql<{ stage: string; deals: number }>`
    select stage, count(distinct deals.loid)::int as deals
      from history_entries entry
      join deals on deals.partner_id = entry.partner_id and deals.loid = entry.loid and deals.stage = entry.value
     where entry.partner_id = ${partnerId} and entry.kind = 'deal-stage' and entry.changed_time > ${since}
       and deals.archived_at is null
     group by stage`.execute(db)
  const won = entered.filter(({ stage }) => meaningOf('deal-stage', stage).outcome === 'funded')
  return { ...facts, portal_won_90_days: won.reduce((sum, { deals }) => sum + deals, 0) }
}

export async function keepToldFacts(
  db: Db,
  { id, zoho_id }: Pick<DueForFacts, 'id' | 'zoho_id'>,
  facts: PartnerFacts,
  at: string,
): Promise<void> {
  await sql`
    insert into told_facts (partner_id, zoho_id, facts, facts_at)
    values (${id}, ${zoho_id}, ${JSON.stringify(facts)}, ${at})
        on conflict (partner_id) do update
       set zoho_id = excluded.zoho_id, facts = excluded.facts, facts_at = excluded.facts_at`.execute(db)
}

export interface Trouble extends Pick<PartnerRow, 'crm' | 'held_for' | 'crm_problem' | 'zoho_id' | 'link_candidates'> {
  id: string
  /** How many leads, deals and notes were given up. */
  failed: number
  told: string | null
  told_records: string[]
}

/** Finds the partners with trouble that the lender's team should know of, and those that it was told of. */
export async function findTroubleOfAllPartners(db: Db): Promise<Trouble[]> {
  const { rows } = await sql<Trouble>`
    with failed as (
      select partner_id, count(*)::int as count
        from (select partner_id from leads where crm = 'failed' and archived_at is null
              union all select partner_id from deals where crm = 'failed' and archived_at is null
              union all select partner_id from notes where crm = 'failed') given_up
       group by partner_id
    )
    select partners.id, crm, held_for, crm_problem, partners.zoho_id, link_candidates, coalesce(failed.count, 0) as failed,
           told.problem as told, coalesce(told.problem_records, '{}') as told_records
      from partners
      left join failed on failed.partner_id = partners.id
      left join told_facts told on told.partner_id = partners.id
     where closed_at is null and (failed.count > 0 or told.problem is not null or crm = 'failed'
                                  or (crm = 'held' and held_for in ('several', 'people')))
     order by partners.id`.execute(db)
  return rows
}

export async function keepToldProblem(
  db: Db,
  partnerId: string,
  { problem, records }: { problem: string | null; records: readonly string[] },
): Promise<void> {
  await sql`
    insert into told_facts (partner_id, problem, problem_records) values (${partnerId}, ${problem}, ${records}::text[])
        on conflict (partner_id) do update
       set problem = excluded.problem, problem_records = excluded.problem_records`.execute(db)
}
