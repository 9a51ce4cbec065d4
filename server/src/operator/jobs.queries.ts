import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'

export interface ListedJob {
  id: string
  queue: string
  state: 'created' | 'retry' | 'active' | 'failed'
  created_at: string
  /** The time from which the job can run. */
  due_at: string
  tries: number
  /** The job's payload. It is mostly ids and LOIDs, but a mail's job may have an email or IP address. */
  payload: Record<string, unknown> | null
  problem: string | null
}

export async function findQueues(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from jobs.queue order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Finds jobs that wait, run or were given up, the oldest first, from all queues or from one queue. */
export async function findJobs(db: Db, queue: string | undefined, limit: number): Promise<ListedJob[]> {
  const { rows } = await sql<ListedJob>`
    select id, name as queue, state, created_on::timestamptz(3) as created_at, start_after::timestamptz(3) as due_at,
           retry_count as tries, data - 'traceparent' as payload, output ->> 'message' as problem
      from jobs.job
     where state in ('created', 'retry', 'active', 'failed') and (${queue ?? null}::text is null or name = ${queue ?? null})
     order by created_on, id limit ${limit}`.execute(db)
  return rows
}

/**
 * Retries the job with this id, or the jobs of this queue. Returns how many jobs will run as soon as a worker is free.
 * A job that was given up gets one more try. If a queue lets only one job wait for a retry, at most one given-up job is
 * retried, and only if no job is waiting for a retry already: the job with this id, or the newest.
 */
export async function retryJobs(db: Db, idOrQueue: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update jobs.job
       set state = case state when 'failed' then 'retry' else state end, completed_on = null, start_after = now(),
           retry_limit = greatest(retry_limit, retry_count + 1), keep_until = greatest(keep_until, now() + interval '1 day')
     where state in ('created', 'retry', 'failed') and ${isMeant(idOrQueue)}
       and id in (select distinct on (case when policy = 'stately' and state <> 'created' then name else id::text end) id
                    from jobs.job where state in ('created', 'retry', 'failed')
                   order by case when policy = 'stately' and state <> 'created' then name else id::text end,
                            state = 'retry' desc, ${isMeant(idOrQueue)} desc, created_on desc)`.execute(db)
  return Number(numAffectedRows)
}

/**
 * Finds the job that blocks the retry of this given-up job. The blocking job is itself waiting for a retry, and the
 * queue lets only one job wait for a retry.
 */
export async function findWaitingInstead(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select waiting.id from jobs.job given_up join jobs.job waiting using (name)
     where given_up.id::text = ${id} and given_up.state = 'failed' and given_up.policy = 'stately'
       and waiting.state = 'retry'`.execute(db)
  return rows[0]?.id
}

/** Removes the job with this id, or the jobs of this queue, except running jobs. Returns how many it removed. */
export async function dropJobs(db: Db, idOrQueue: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from jobs.job where state in ('created', 'retry', 'failed') and ${isMeant(idOrQueue)}`.execute(db)
  return Number(numAffectedRows)
}

function isMeant(idOrQueue: string) {
  return sql`(id::text = ${idOrQueue} or name = ${idOrQueue})`
}
