import { afterAll, expect, test } from 'vitest'
import { createDatabase } from '../testing/databases.ts'
import { openDatabase } from './database.ts'
import { underLease } from './lease.ts'

const { db, close } = openDatabase((await createDatabase()).url, () => undefined)
afterAll(close)

const nothing = async () => undefined

test('only one holder of a lease works at a time, and the next holder finds the result', async () => {
  let atOnce = 0
  let works = 0
  let done: { by: number } | undefined
  const callers = Array.from({ length: 5 }, () =>
    underLease(
      db,
      { name: 'one', leaseMs: 10_000, waitMs: 10_000 },
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

test('the lease of a dead process expires, and work that outlasts its lease is told to stop', async () => {
  const lease = { name: 'dead', leaseMs: 2_000, waitMs: 20_000 }
  const begun = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<string>()
  void underLease(db, lease, nothing, (signal) => {
    signal.addEventListener('abort', () => stopped.resolve('stopped'))
    begun.resolve()
    return new Promise(() => undefined)
  })
  await begun.promise
  expect(await underLease(db, { ...lease, waitMs: 0 }, nothing, async () => ({ by: 'the impatient' }))).toBeUndefined()
  expect(await underLease(db, lease, nothing, async () => ({ by: 'the next' }))).toEqual({ by: 'the next' })
  expect(await stopped.promise).toBe('stopped')
})
