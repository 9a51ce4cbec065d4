import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import type { Clock } from '../deps.ts'

export interface CallCount {
  add(): void
  /** Of this process since its start. */
  ofThisProcess(): number
  /** Of all processes in the last 24 hours, which is the time that Zoho's limit knows (D34). */
  ofLastDay(): Promise<number>
  close(): Promise<void>
}

const WRITE_EVERY_MS = 5_000
const HOUR_MS = 3_600_000

/** Counts in memory and adds it to what all processes share every few seconds; a killed process loses no more. */
export function openCallCount({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): CallCount {
  let total = 0
  let unwritten = 0
  let timer: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const calls = unwritten
    if (calls === 0) return
    unwritten = 0
    try {
      const hour = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS).toISOString()
      await db
        .insertInto('crm_calls')
        .values({ hour, calls })
        .onConflict((conflict) => conflict.column('hour').doUpdateSet({ calls: sql`crm_calls.calls + ${calls}` }))
        .execute()
    } catch (error) {
      // Written with the next ones.
      unwritten += calls
      log.warn({ err: error }, 'the count of calls to the CRM could not be written')
    }
  }

  return {
    add() {
      total++
      unwritten++
      timer ??= setTimeout(() => void write(), WRITE_EVERY_MS).unref()
    },
    ofThisProcess: () => total,
    async ofLastDay() {
      await write()
      const since = new Date(clock.now().getTime() - 24 * HOUR_MS).toISOString()
      const { calls } = await db
        .selectFrom('crm_calls')
        .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('calls'), eb.val(0)).as('calls'))
        .where('hour', '>', since)
        .executeTakeFirstOrThrow()
      return calls
    },
    close: write,
  }
}

/** Hours that no question reaches back to. How many they were. */
export async function removeCallCounts(db: Db, before: string): Promise<number> {
  const removal = await db.deleteFrom('crm_calls').where('hour', '<', before).executeTakeFirst()
  return Number(removal.numDeletedRows)
}
