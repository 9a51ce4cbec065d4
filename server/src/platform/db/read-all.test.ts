import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { createDatabase } from '../../testing/databases.ts'
import { openDatabase } from './database.ts'
import { readAll } from './read-all.ts'

afterEach(() => void vi.useRealTimers())

test('a read of all rows ends after a minute, and its connection is free again', async () => {
  const { db, pool, close } = openDatabase((await createDatabase()).url, () => undefined)
  vi.useFakeTimers({ toFake: ['performance'] })
  let taken = 0
  const reading = readAll(db, sql<{ n: number }>`select generate_series(1, 1000) as n`, async (rows) => {
    taken += rows.length
    vi.advanceTimersByTime(25_000)
  })
  await expect(reading).rejects.toThrow('longer than a minute')
  expect([taken, pool.totalCount, pool.idleCount]).toEqual([300, 1, 1])
  await close()
})
