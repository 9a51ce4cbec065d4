import type pg from 'pg'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'

export interface DatabaseClock extends Clock {
  stop(): void
}

const MEASURE_EVERY_MS = 5_000
/** A measurement moves the clock only if it differs by more than this from what is known, beside its own inaccuracy. */
const ROUNDING_MS = 5
/** A measurement whose answer takes longer says too little. */
const ANSWER_MS_MAX = 1_000
const TOLD_MS = 2_000

/**
 * The clock of the database, which all processes share, so that no time is compared with a time of another clock. Goes on
 * by the processor's clock between two measurements, so that this machine's own clock does not matter, even if it jumps.
 */
export async function openDatabaseClock(pool: pg.Pool, log: Logger): Promise<DatabaseClock> {
  /** The database's time when `performance.now()` was 0. */
  let zeroMs = Number.NaN

  async function measure(): Promise<void> {
    const askedAt = performance.now()
    const { rows } = await pool.query<{ ms: number }>('select extract(epoch from clock_timestamp()) * 1000 as ms')
    const takenMs = performance.now() - askedAt
    const [{ ms } = { ms: Number.NaN }] = rows
    const foundMs = ms - (askedAt + takenMs / 2)
    const isKnown = Math.abs(foundMs - zeroMs) <= takenMs / 2 + ROUNDING_MS
    if (Number.isNaN(zeroMs) || (!isKnown && takenMs < ANSWER_MS_MAX)) zeroMs = foundMs
  }

  const now = () => new Date(zeroMs + performance.now())
  await measure()
  const aheadMs = Date.now() - now().getTime()
  if (Math.abs(aheadMs) > TOLD_MS) {
    log.warn(
      { aheadMs: Math.round(aheadMs) },
      'the clock of this machine differs from the clock of the database, which counts',
    )
  }
  // While the database is away, the last measurement counts.
  const measuring = setInterval(() => void measure().catch(() => undefined), MEASURE_EVERY_MS)
  measuring.unref()
  return { now, stop: () => clearInterval(measuring) }
}
