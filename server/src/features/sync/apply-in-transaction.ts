import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'

/**
 * One transaction a CRM record, or a lead with its deal: rows, history and events together or not at all. Button, sweep and
 * notification may pull the same record at once; the lock lets one apply it after the other.
 */
export function applyInTransaction<Result>(
  { db }: Pick<Deps, 'db'>,
  zohoIds: string | readonly string[],
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    // In one order everywhere, so that no two wait for each other.
    for (const zohoId of [zohoIds].flat().sort()) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${zohoId}, 1))`.execute(tx)
    }
    return work(tx)
  })
}
