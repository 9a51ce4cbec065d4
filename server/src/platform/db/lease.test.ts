import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { createDatabase } from '../../testing/databases.ts'
import { type Db, openDatabase } from './database.ts'
import { type Lease, underLease } from './lease.ts'

const database = await createDatabase()
const { db, close } = openDatabase(database.url, () => undefined)
afterAll(close)

const nothing = async () => undefined

test('only one holder of a lease works at a time, and the next holder finds the result', async () => {
  let atOnce = 0
  let works = 0
  let done: { by: number } | undefined
  const callers = Array.from({ length: 5 }, () =>
    underLease(
      db,
      { name: 'one', leaseMs: 10_000, workMsMax: 10_000, waitMs: 10_000 },
      async () => done,
      async () => {
        atOnce += 1
        works += 1
        expect(atOnce).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 50))
        atOnce -= 1
        done = { by: works }
        return done
      },
    ),
  )
  expect(await Promise.all(callers)).toEqual(callers.map(() => ({ by: 1 })))
  expect(await db.selectFrom('leases').selectAll().execute()).toEqual([])
})

test('if a process can no longer renew its lease, its work is signalled to stop and the lease ends', async () => {
  const lease = { name: 'dead', leaseMs: 1_000, workMsMax: 60_000, waitMs: 20_000 }
  const dying = openDatabase(database.url, () => undefined)
  const { stopped } = await hang(dying.db, lease)
  await dying.close()
  expect(await underLease(db, { ...lease, waitMs: 0 }, nothing, async () => ({ by: 'the impatient' }))).toBeUndefined()
  expect(await underLease(db, lease, nothing, async () => ({ by: 'the next' }))).toEqual({ by: 'the next' })
  expect(stopped()).toBe(true)
})

test('a lease is renewed while its holder works, and work that takes too long is signalled to stop', async () => {
  const lease = { name: 'slow', leaseMs: 500, workMsMax: 1_500, waitMs: 0 }
  const { stopped } = await hang(db, lease)
  while (!stopped()) {
    const other = await underLease(db, lease, nothing, async () => ({ by: 'another' }))
    expect(stopped() || other === undefined).toBe(true)
  }
})

/** Begins work that ends only when it is signalled to stop. */
async function hang(own: Db, lease: Lease) {
  const begun = Promise.withResolvers<void>()
  let isStopped = false
  const working = underLease(own, lease, nothing, async (signal) => {
    begun.resolve()
    await once(signal, 'abort')
    isStopped = true
    return {}
  })
  working.catch(() => undefined) // its database may be closed by then
  await begun.promise
  return { stopped: () => isStopped }
}
