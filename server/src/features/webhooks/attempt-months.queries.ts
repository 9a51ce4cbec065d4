import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { firstIdAt } from '../../platform/db/ids.ts'

/**
 * Partitions are made this many months ahead, so that no partition is missing even if the clean-up job has not run for
 * weeks.
 */
const MONTHS_AHEAD = 2
/** This time is short, because every other statement on the table queues behind a statement that waits for the lock. */
const LOCK_WAIT_MAX = '200ms'

/**
 * Makes the missing partitions of this month and the next `MONTHS_AHEAD` months. A month that already has attempts in
 * the default partition gets no partition. Throws if other transactions lock the table for too long.
 */
export async function makeAttemptMonths(db: Db, now: Date): Promise<void> {
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead))
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1))
    await db.transaction().execute((tx) => makeMonth(tx, from, to))
  }
}

async function makeMonth(tx: Tx, from: Date, to: Date): Promise<void> {
  const name = `webhook_attempts_${from.toISOString().slice(0, 7).replace('-', '_')}`
  const [first, end] = [firstIdAt(from), firstIdAt(to)]
  await limitWaiting(tx)
  // The lock lets only one process at a time make partitions. Reads and writes continue until a partition is made.
  await sql`lock table webhook_attempts in share update exclusive mode`.execute(tx)
  if ((await findMonths(tx)).some((month) => month.end >= end)) return
  const { rows } = await sql`
    select from webhook_attempts_default where log_id >= ${first} and log_id < ${end} limit 1`.execute(tx)
  if (rows.length > 0) return
  await sql`create table ${sql.table(name)} partition of webhook_attempts
              for values from (${sql.lit(first)}) to (${sql.lit(end)})`.execute(tx)
}

/**
 * Drops the partitions of months that ended before this time. Returns how many. Throws if other transactions lock the
 * table for too long.
 */
export async function dropAttemptMonthsOfAllPartners(db: Db, before: string): Promise<number> {
  const over = (await findMonths(db)).filter(({ end }) => end <= firstIdAt(new Date(before)))
  for (const { name } of over) {
    await db.transaction().execute(async (tx) => {
      await limitWaiting(tx)
      await sql`drop table if exists ${sql.table(name)}`.execute(tx)
    })
  }
  return over.length
}

async function limitWaiting(tx: Tx): Promise<void> {
  await sql`select set_config('lock_timeout', ${LOCK_WAIT_MAX}, true)`.execute(tx)
}

/** Every partition except the default partition. `end` is the lowest id after the partition. */
async function findMonths(db: Db | Tx): Promise<{ name: string; end: string }[]> {
  const { rows } = await sql<{ name: string; end: string }>`
    select relname as name, substring(pg_get_expr(relpartbound, oid) from 'TO [(]''([0-9a-f-]+)') as end
      from pg_class join pg_inherits on inhrelid = oid
     where inhparent = 'webhook_attempts'::regclass and relname <> 'webhook_attempts_default'
     order by relname`.execute(db)
  return rows
}

/**
 * Removes the attempts at deliveries that are older than this time. The oldest deliveries come first. Returns how many
 * attempts it removed. Used for rows outside the monthly partitions: rows in the default partition, and rows in the
 * first partition, which has all rows from before the table was partitioned.
 */
export async function removeAttemptsOfAllPartners(db: Db, before: string, rowsMax: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_attempts where (log_id, number) in (
      select log_id, number from webhook_attempts where log_id < ${firstIdAt(new Date(before))}
       order by log_id, number limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows)
}
