import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { inTransaction, StartOver } from '../../platform/db/in-transaction.ts'

/**
 * Runs one transaction for a page of these partners' records. A sync, the sweep and a notification may pull the same
 * records at once, so each page locks its partners, and other pages of the same partners wait. No call to another
 * machine is made while these locks are held. `work` starts the transaction over if another page has since added one of
 * this page's rows.
 */
export function inPageTransaction<Result>(
  db: Db,
  partnerIds: readonly string[],
  work: (tx: Tx, startOver: () => never) => Promise<Result>,
): Promise<Result> {
  const startOver = () => {
    throw new StartOver('another page keeps adding rows of this page')
  }
  return inTransaction(db, async (tx) => {
    // The locks are taken in the same order everywhere, so that no two transactions wait for each other.
    await sql`
      select pg_advisory_xact_lock(hashtextextended(id, 1))
        from (select distinct id from unnest(${[...partnerIds]}::text[]) as id order by id) as sorted`.execute(tx)
    return work(tx, startOver)
  })
}
