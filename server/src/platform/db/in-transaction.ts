import type { Db, Tx } from './database.ts'

const ATTEMPTS_MAX = 5

/** Thrown by a transaction's work to start the transaction over. */
export class StartOver extends Error {}

/**
 * Runs `work` in a transaction. The transaction starts over if PostgreSQL has ended it because of a deadlock or a
 * serialisation failure. So `work` can run several times, and must change nothing but the database.
 */
export async function inTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !(error instanceof StartOver || isConflict(error))) throw error
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
}
