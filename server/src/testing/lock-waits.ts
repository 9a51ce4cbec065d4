import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/**
 * How many connections of this database wait for a lock. Locks of other tests' databases on the same server do not
 * count. Nor does the writing of last-seen times, which any call may have started in the background.
 */
export async function countLockWaits(db: Db): Promise<number> {
  const statement = sql<{ count: number }>`
    select count(distinct waiting.pid)::integer as count
      from pg_locks waiting join pg_locks held using (pid)
      join pg_stat_activity using (pid)
     where not waiting.granted and held.database = (select oid from pg_database where datname = current_database())
       and query not like '%set "last_seen_at"%'`
  const { rows } = await statement.execute(db)
  return rows[0]?.count ?? 0
}
