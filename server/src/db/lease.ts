import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface Lease {
  name: string
  /** The work is told to stop when the time is over, for another process may then begin the same. */
  leaseMs: number
  /** How long to wait for others. */
  waitMs: number
  signal?: AbortSignal | undefined
}

const LOOK_EVERY_MS = 200

/**
 * Runs `work` in one process at a time without holding a connection. `look` returns the result if another process has done
 * the work already; otherwise `work` runs under the lease. Returns undefined if others take longer than `waitMs`.
 */
export async function underLease<Result extends object>(
  db: Db,
  { name, leaseMs, waitMs, signal }: Lease,
  look: () => Promise<Result | undefined>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const holder = randomUUID()
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    const found = await look()
    if (found) return found
    // Begins before the lease does, so that it ends before.
    const end = AbortSignal.timeout(leaseMs)
    if (await take(db, name, holder, leaseMs)) return doUnderLease(end)
    if (performance.now() > giveUpAt) return undefined
    await sleep(LOOK_EVERY_MS, undefined, { signal })
  }

  async function doUnderLease(end: AbortSignal): Promise<Result> {
    try {
      return (await look()) ?? (await work(signal ? AbortSignal.any([signal, end]) : end))
    } finally {
      await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
    }
  }
}

/** By the database's clock, which all processes share. */
async function take(db: Db, name: string, holder: string, leaseMs: number): Promise<boolean> {
  const until = sql<string>`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`
  const taken = await db
    .insertInto('leases')
    .values({ name, holder, until })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ holder, until }).where('leases.until', '<', sql<string>`clock_timestamp()`),
    )
    .executeTakeFirst()
  return taken.numInsertedOrUpdatedRows === 1n
}
