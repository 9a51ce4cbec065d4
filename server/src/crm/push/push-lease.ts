import type { Db } from '../../platform/db/database.ts'
import { underFreeLeases, underLease } from '../../platform/db/lease.ts'
import { CrmUnavailable } from '../../platform/errors.ts'

/**
 * A push looks for the record in the CRM and then creates it, which takes several calls. So only one push of a record
 * runs at a time, across all processes. A push that takes longer than `workMsMax` is stopped and tried again later. A
 * second push of the same record waits at most `waitMs`, because the first push usually takes one second. If a
 * process dies during a push, its job is repeated, and its lease ends before the repeated push gives up waiting.
 */
export const PUSH_LEASE = { leaseMs: 15_000, workMsMax: 60_000, waitMs: 5_000 }

/**
 * Waits until no other push of the record runs, and then pushes the record if `find` returns it. Throws
 * `CrmUnavailable` if the wait takes too long. The unique LOID in the CRM is not enough: if staff delete the record
 * that one push has created, a second push could create it again.
 */
export async function pushAlone<Row extends object>(
  db: Db,
  { loid, signal }: { loid: string; signal: AbortSignal },
  find: () => Promise<Row | undefined>,
  push: (row: Row, untilLeaseEnds: AbortSignal) => Promise<void>,
): Promise<void> {
  let row: Row | undefined
  const pushed = await underLease(
    db,
    { name: nameOf(loid), ...PUSH_LEASE, signal },
    async () => {
      row = await find()
      return row ? undefined : {}
    },
    async (untilLeaseEnds) => {
      if (row) await push(row, untilLeaseEnds)
      return {}
    },
  )
  if (!pushed) throw new CrmUnavailable('Another push of the record is under way.')
}

/**
 * Pushes many records together. Leaves out records whose lease another push holds, and records that `find` no longer
 * returns.
 */
export async function pushTogether<Row extends { loid: string }>(
  db: Db,
  signal: AbortSignal,
  find: () => Promise<Row[]>,
  push: (rows: readonly Row[], untilLeaseEnds: AbortSignal) => Promise<void>,
): Promise<void> {
  const names = (await find()).map((row) => nameOf(row.loid))
  const { leaseMs, workMsMax } = PUSH_LEASE
  await underFreeLeases(db, { names, leaseMs, workMsMax, signal }, async (held, untilLeaseEnds) => {
    const rows = (await find()).filter((row) => held.has(nameOf(row.loid)))
    if (rows.length > 0) await push(rows, untilLeaseEnds)
  })
}

function nameOf(loid: string): string {
  return `push ${loid}`
}
