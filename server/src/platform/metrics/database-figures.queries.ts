import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export interface JobFigures {
  queue: string
  state: 'created' | 'retry' | 'active' | 'failed'
  jobs: number
  /** How long ago the oldest waiting job became due. Null if no waiting job is due. */
  oldest_seconds: number | null
}

/** Counts the jobs that wait, run or were given up. Ages are measured by the database's clock. */
export async function countJobs(db: Db): Promise<JobFigures[]> {
  const { rows } = await sql<JobFigures>`
    select name as queue, state::text as state, count(*)::integer as jobs,
           extract(epoch from now() - min(start_after) filter (where start_after <= now() and state < 'active'))::float as oldest_seconds
      from jobs.job
     where state in ('created', 'retry', 'active', 'failed')
     group by name, state`.execute(db)
  return rows
}

/**
 * Seconds since a sweep last read all of the CRM's changes, or since the database was made if no sweep has done so yet.
 */
export async function findSweepAge(db: Db): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from now() - coalesce((select min(swept_at) from sweep_cursors),
                                               (select min(timestamp)::timestamptz from kysely_migration)))::float as seconds`.execute(
    db,
  )
  return rows[0]?.seconds ?? null
}

export async function countDeliveriesOfAllPartners(db: Db) {
  const { rows } = await sql<{ waiting: number; due: number; oldest_seconds: number }>`
    select count(*)::integer as waiting,
           (count(*) filter (where next_attempt_at <= now()))::integer as due,
           coalesce(greatest(extract(epoch from now() - min(next_attempt_at)), 0), 0)::float as oldest_seconds
      from webhook_logs where next_attempt_at is not null`.execute(db)
  return rows[0] ?? { waiting: 0, due: 0, oldest_seconds: 0 }
}

/**
 * The calls and credits of all processes in the last 24 hours, and the remaining credits if Zoho has reported them in
 * the last ten minutes.
 */
export async function findCrmUse(db: Db) {
  const { rows } = await sql<{ calls: number; credits: number; credits_left: number | null }>`
    select coalesce(sum(calls), 0)::integer as calls, coalesce(sum(credits), 0)::integer as credits,
           (select credits from crm_credits_left where told_at > now() - interval '10 minutes') as credits_left
      from crm_calls where hour > now() - interval '24 hours'`.execute(db)
  return rows[0] ?? { calls: 0, credits: 0, credits_left: null }
}

/** How many partners' calls have cost more than a fifth of a day's credits in 24 hours (D122). */
export async function countPartnersOverShare(db: Db, creditsPerDay: number): Promise<number> {
  const { rows } = await sql`
    select from crm_partner_credits where hour > now() - interval '24 hours'
     group by partner_id having sum(credits) > ${creditsPerDay / 5}`.execute(db)
  return rows.length
}

/** Counts the records that the CRM does not show and that the portal keeps (D123). */
export async function countHiddenRecords(db: Db): Promise<number> {
  const row = await db
    .selectFrom('hidden_records')
    .select(({ fn }) => fn.countAll<number>().as('records'))
    .executeTakeFirst()
  return Number(row?.records ?? 0)
}
