import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'

/**
 * One transaction a CRM record: its row, history, notes and events together or not at all. Button, sweep and
 * notification may pull the same record at once; the lock lets one apply it after the other.
 */
export function applyInTransaction<Result>(
  { db }: Pick<Deps, 'db'>,
  zohoId: string,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${zohoId}, 1))`.execute(tx)
    return work(tx)
  })
}
