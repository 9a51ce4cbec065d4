import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/**
 * How many connections of this database wait for a lock. Locks of other tests' databases on the same server do not
 * count.
 */
export async function countLockWaits(db: Db): Promise<number> {
  const statement = sql<{ count: number }>`
    select count(distinct waiting.pid)::integer as count
      from pg_locks waiting join pg_locks held using (pid)
     where not waiting.granted and held.database = (select oid from pg_database where datname = current_database())`
  const { rows } = await statement.execute(db)
  return rows[0]?.count ?? 0
}
