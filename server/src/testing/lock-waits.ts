import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'

/**
 * How many connections wait, directly or behind other waiting connections, for a lock that this transaction holds.
 * Other waits are not counted, because jobs and growing tables can wait for short locks at any time.
 */
export async function countLockWaits(holder: Db): Promise<number> {
  const statement = sql<{ count: number }>`
    with recursive waiting (pid) as (
      select pg_backend_pid()
       union
      select pg_locks.pid from pg_locks join waiting on waiting.pid = any(pg_blocking_pids(pg_locks.pid))
       where not pg_locks.granted
    )
    select count(*)::integer - 1 as count from waiting`
  const { rows } = await statement.execute(holder)
  return rows[0]?.count ?? 0
}
