import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface Lease {
  name: string
  /** After this time the work is told to stop, because another caller can then begin the same work. */
  leaseMs: number
  /** How long to wait for other callers. */
  waitMs: number
  signal?: AbortSignal | undefined
}

const LOOK_EVERY_MS = 200

/**
 * Runs `work` for one caller at a time among all processes, without holding a connection. If another caller has already
 * done the work, `look` returns the result; otherwise `work` runs under the lease. Returns undefined if other callers
 * take longer than `waitMs`.
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
    // The timeout begins before the lease is taken, so that it also ends before the lease does.
    const end = AbortSignal.timeout(leaseMs)
    if ((await take(db, [name], holder, leaseMs)).size > 0) return doUnderLease(end)
    if (performance.now() > giveUpAt) return undefined
    await sleep(LOOK_EVERY_MS, undefined, { signal })
  }

  async function doUnderLease(end: AbortSignal): Promise<Result> {
    try {
      return (await look()) ?? (await work(signal ? AbortSignal.any([signal, end]) : end))
    } finally {
      await release(db, [name], holder)
    }
  }
}

/** Runs `work` for the names whose leases are free, and does not wait for the other names. */
export async function underFreeLeases(
  db: Db,
  { names, leaseMs, signal }: { names: readonly string[]; leaseMs: number; signal: AbortSignal },
  work: (held: ReadonlySet<string>, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const holder = randomUUID()
  // The timeout begins before the leases are taken, so that it also ends before they do.
  const end = AbortSignal.timeout(leaseMs)
  const held = await take(db, names, holder, leaseMs)
  if (held.size === 0) return
  try {
    await work(held, AbortSignal.any([signal, end]))
  } finally {
    await release(db, [...held], holder)
  }
}

/**
 * Takes the leases that are free by the database's clock, which all processes share. All processes take names in the
 * same order, to avoid deadlocks.
 */
async function take(db: Db, names: readonly string[], holder: string, leaseMs: number): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const { rows } = await sql<{ name: string }>`
    insert into leases (name, holder, until)
    select name, ${holder}::uuid, clock_timestamp() + ${leaseMs} * interval '1 millisecond'
      from unnest(${names}::text[]) as wanted (name) order by name
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
     where leases.until < clock_timestamp()
    returning name`.execute(db)
  return new Set(rows.map((row) => row.name))
}

async function release(db: Db, names: readonly string[], holder: string): Promise<void> {
  await sql`
    delete from leases where name in (
      select name from leases where name = any(${names}) and holder = ${holder} order by name for update)`.execute(db)
}
