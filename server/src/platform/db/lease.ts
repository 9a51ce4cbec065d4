import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface Lease extends Terms {
  name: string
  /** How long to wait for other callers. */
  waitMs: number
  signal?: AbortSignal | undefined
}

interface Terms {
  /** Another caller can take the lease this long after its holder last renewed it, because the holder may have died. */
  leaseMs: number
  /** The work is signalled to stop after this time, or earlier if the lease cannot be renewed. */
  workMsMax: number
}

const LOOK_EVERY_MS = 200
/** The fraction of a lease after which its holder renews it. Renewals repeat at this interval. */
const RENEWED_AFTER = 1 / 3
/** The fraction of a lease after which the work is signalled to stop if the lease has not been renewed. */
const LOST_AFTER = 0.9

/**
 * Runs `work` for one caller at a time among all processes, without holding a connection. If another caller has already
 * done the work, `look` returns the result; otherwise `work` runs under the lease, right after a look. Returns undefined
 * if other callers take longer than `waitMs`.
 */
export async function underLease<Result extends object>(
  db: Db,
  { name, waitMs, signal, ...terms }: Lease,
  look: () => Promise<Result | undefined>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const holder = randomUUID()
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    const askedAt = performance.now()
    const { size } = await take(db, [name], holder, terms.leaseMs)
    if (size > 0) {
      const held = { ...terms, names: [name], holder, heldSince: askedAt, signal }
      return whileHeld(db, held, async (end) => (await look()) ?? (await work(end)))
    }
    const found = await look()
    if (found || performance.now() > giveUpAt) return found
    await sleep(LOOK_EVERY_MS, undefined, { signal })
  }
}

/** Runs `work` for the names whose leases are free, and does not wait for the other names. */
export async function underFreeLeases(
  db: Db,
  { names, signal, ...terms }: Terms & { names: readonly string[]; signal: AbortSignal },
  work: (held: ReadonlySet<string>, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const holder = randomUUID()
  const askedAt = performance.now()
  const taken = await take(db, names, holder, terms.leaseMs)
  if (taken.size === 0) return
  const held = { ...terms, names: [...taken], holder, heldSince: askedAt, signal }
  await whileHeld(db, held, (end) => work(taken, end))
}

interface Held extends Terms {
  names: readonly string[]
  holder: string
  /** The time of `performance.now()` just before the leases were taken. */
  heldSince: number
  signal: AbortSignal | undefined
}

/** Runs `work`, renews the leases while it runs, and then releases them. */
async function whileHeld<Result>(db: Db, held: Held, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const lost = new AbortController()
  const ends = [AbortSignal.timeout(held.workMsMax), lost.signal]
  const end = AbortSignal.any(held.signal ? [held.signal, ...ends] : ends)
  // To the work, a lost lease looks like a timeout.
  const lose = () => lost.abort(new DOMException('The lease could not be renewed', 'TimeoutError'))
  const stopRenewing = keepRenewing(db, held, lose)
  // Work that ignores the signal to stop must not keep other callers out.
  end.addEventListener('abort', stopRenewing)
  try {
    return await work(end)
  } finally {
    stopRenewing()
    await release(db, held)
  }
}

/**
 * Renews the leases until the returned function is called. Calls `lose` if the leases are about to end, or as soon as
 * another holder has one of them.
 */
function keepRenewing(db: Db, held: Held, lose: () => void): () => void {
  let hasStopped = false
  let renewedAt = held.heldSince
  let losing = loseLater()
  // A renewal does not wait for the one before it, which may be waiting for a connection.
  const renewing = setInterval(() => void renewOnce(), RENEWED_AFTER * held.leaseMs)

  return () => {
    hasStopped = true
    clearInterval(renewing)
    clearTimeout(losing)
  }

  async function renewOnce(): Promise<void> {
    const askedAt = performance.now()
    const isHeld = await renew(db, held).catch(() => undefined)
    if (isHeld === false) lose()
    if (!isHeld || hasStopped || askedAt < renewedAt) return
    renewedAt = askedAt
    clearTimeout(losing)
    losing = loseLater()
  }

  function loseLater() {
    return setTimeout(lose, renewedAt + LOST_AFTER * held.leaseMs - performance.now())
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

/** Returns false if another holder has taken one of the leases in the meantime. */
async function renew(db: Db, { names, holder, leaseMs }: Held): Promise<boolean> {
  const { rows } = await sql`
    update leases set until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
     where name in (${inOrder(names, holder)}) returning name`.execute(db)
  return rows.length === names.length
}

async function release(db: Db, { names, holder }: Held): Promise<void> {
  await sql`delete from leases where name in (${inOrder(names, holder)})`.execute(db)
}

/** Selects the holder's leases, and locks them in the order in which all processes lock them. */
function inOrder(names: readonly string[], holder: string) {
  return sql`select name from leases where name = any(${names}) and holder = ${holder} order by name for update`
}
