import type { Db } from '../db/database.ts'
import { underFreeLeases, underLease } from '../db/lease.ts'
import { CrmUnavailable } from '../errors.ts'

/**
 * A push looks for the record in the CRM and then creates it, which takes several calls. So only one push of a record
 * runs at a time, in all processes. A push that outlasts its lease is stopped and tried again later. A second push of
 * the same record waits a while, because the first usually takes a second.
 */
export const PUSH_LEASE = { leaseMs: 60_000, waitMs: 5_000 }

/**
 * Pushes the record if `find` returns it, once no other push of it is under way. The unique LOID in the CRM is not
 * enough: staff may delete the record that one push made before another push, which does not know of it, sends its own.
 */
export async function pushAlone<Row extends object>(
  db: Db,
  { loid, signal }: { loid: string; signal: AbortSignal },
  find: () => Promise<Row | undefined>,
  push: (row: Row, untilLeaseEnds: AbortSignal) => Promise<void>,
): Promise<void> {
  const pushed = await underLease(
    db,
    { name: nameOf(loid), ...PUSH_LEASE, signal },
    async () => ((await find()) ? undefined : {}),
    async (untilLeaseEnds) => {
      const row = await find()
      if (row) await push(row, untilLeaseEnds)
      return {}
    },
  )
  if (!pushed) throw new CrmUnavailable('Another push of the record is under way.')
}

/** The same for many records together. Leaves out records under another push, or that `find` no longer returns. */
export async function pushTogether<Row extends { loid: string }>(
  db: Db,
  signal: AbortSignal,
  find: () => Promise<Row[]>,
  push: (rows: readonly Row[], untilLeaseEnds: AbortSignal) => Promise<void>,
): Promise<void> {
  const names = (await find()).map((row) => nameOf(row.loid))
  await underFreeLeases(db, { names, leaseMs: PUSH_LEASE.leaseMs, signal }, async (held, untilLeaseEnds) => {
    const rows = (await find()).filter((row) => held.has(nameOf(row.loid)))
    if (rows.length > 0) await push(rows, untilLeaseEnds)
  })
}

function nameOf(loid: string): string {
  return `push ${loid}`
}
