import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { PortalError } from '../errors.ts'
import type { PoolLimits } from './connection.ts'
import { UTC } from './connection.ts'
import { type Db, openDatabase } from './database.ts'
import { openHotReads, type Reads } from './hot-reads.ts'
import { type Hearer, ID_LENGTH, LIVE } from './listen.ts'
import type { Sender } from './send-named.ts'

/** The connections for a read, to the primary or to its replica. */
export interface ReadSource extends Sender {
  reads: Reads
}

export interface Replica extends Hearer {
  /**
   * Runs the work on the replica if the replica has every change to the partner's data that this process was notified
   * of, and otherwise on the primary. If the replica fails or takes too long, the work runs again on the primary, so
   * the work must only read.
   */
  read<T>(partnerId: string, work: (from: ReadSource) => Promise<T>): Promise<T>
  /** How many reads each server has answered. */
  answered: Readonly<Record<'replica' | 'primary', number>>
  /**
   * The longest time for which a write on the primary may have been missing from the replica. Grows while the replica
   * is away.
   */
  lagMs(): number
  pool: Sender['pool']
  close(): Promise<void>
}

interface ReplicaSettings {
  primary: ReadSource
  /** The settings of the primary's pool. Statements on the replica get at most a second. */
  limits: PoolLimits
  log: Logger
}

const BEAT_EVERY_MS = 500
/** Reads show a change within this time, even if this process was not notified of the change. */
const BEHIND_MS_MAX = 5_000
const BEHIND =
  'DATABASE_READ_URL shows nothing of the last five seconds: it is behind, or not a replica of DATABASE_URL'
/** The longest that a caller waits for the replica. */
const ANSWER_MS_MAX = 1_000

/**
 * Each process writes a numbered row, its beat, to the primary and looks for it on the replica. A replica that shows a
 * beat has everything that was committed before it. Only a replica of the primary can show the beat. Notifications tell
 * every process which partners' data changed since the beat. All times are by this process's own clock.
 */
export function openReplica(url: string, { primary, limits, log }: ReplicaSettings): Replica {
  const msMax = Math.min(ANSWER_MS_MAX, limits.statementMsMax)
  const database = openDatabase(url, ignore, { ...limits, statementMsMax: msMax, onSilence: dropIdle })
  const reads = openHotReads(url, ignore, msMax, limits.way)
  const source: ReadSource = { db: database.db, pool: database.pool, reads }
  const answered = { replica: 0, primary: 0 }
  const openedAt = performance.now()
  /** The replica has everything that was committed before this time. */
  let hasUntil = Number.NEGATIVE_INFINITY
  const process = randomUUID()
  let lastBeat = 0
  /** Beats that the replica may not show yet, oldest first. */
  let beats: { number: number; at: number }[] = []
  /** When this process was notified of each partner's last change. */
  const toldAt = new Map<string, number>()
  /** Notifications from before this time may be missing. */
  let listensSince = Number.POSITIVE_INFINITY
  let hearAll = async () => false
  /** Undefined until the replica first shows a beat or fails to show one. */
  let isTrusted: boolean | undefined
  let isClosed = false
  let pause: NodeJS.Timeout | undefined

  function dropIdle(): void {
    database.dropIdle().catch(ignore)
  }

  function trust(is: boolean, err?: unknown): void {
    if (is === isTrusted) return
    if (is) log.info('the replica answers reads')
    else log.warn({ err }, 'the primary answers all reads until the replica has caught up')
    isTrusted = is
  }

  const lagMs = () => performance.now() - Math.max(hasUntil, openedAt)

  const isCurrent = () => performance.now() - hasUntil < BEHIND_MS_MAX

  async function beat(): Promise<void> {
    const at = performance.now()
    const number = ++lastBeat
    await primary.pool.query(
      // A statement that timed out here may still run later, with an older beat.
      `insert into process_beats (process, beat) values ($1, $2)
       on conflict (process) do update set beat = greatest(process_beats.beat, excluded.beat), at = now()`,
      [process, number],
    )
    beats.push({ number, at })
    const shown = await database.pool.query<{ beat: number; zone: string }>(
      "select beat, current_setting('TimeZone') as zone from process_beats where process = $1",
      [process],
    )
    for (const { beat: reached, zone } of shown.rows) {
      if (!UTC.test(zone)) throw new Error(`DATABASE_READ_URL is in the time zone ${zone}, but must be in UTC`)
      hasUntil = beats.findLast((one) => one.number <= reached)?.at ?? hasUntil
    }
    if (isCurrent()) trust(true)
    else if (isTrusted || lagMs() > BEHIND_MS_MAX) trust(false, new Error(BEHIND))
  }

  async function beatOn(): Promise<void> {
    try {
      await beat()
    } catch (error) {
      if (isClosed) return
      trust(false, error)
    }
    const sinceMs = Math.max(hasUntil, performance.now() - BEHIND_MS_MAX)
    beats = beats.filter(({ at }) => at >= sinceMs)
    for (const [partnerId, at] of toldAt) if (at < sinceMs) toldAt.delete(partnerId)
    if (!isClosed) pause = setTimeout(() => void beatOn(), BEAT_EVERY_MS)
  }

  /** Reads from the replica. Returns undefined if the primary has to answer. */
  async function ask<T>(partnerId: string, work: (from: ReadSource) => Promise<T>): Promise<{ answer: T } | undefined> {
    // All notifications are received first, because another process may have just written, or a page may ask because
    // of a new event.
    if (!(await hearAll())) return undefined
    const isShown = Math.max(listensSince, toldAt.get(partnerId) ?? 0) < hasUntil
    return isShown ? { answer: await work(source) } : undefined
  }

  void beatOn()
  return {
    channels: { [LIVE]: (payload) => toldAt.set(payload.slice(0, ID_LENGTH), performance.now()) },
    onConnect(hearing) {
      hearAll = hearing
      listensSince = performance.now()
    },
    async read(partnerId, work) {
      if (isTrusted && isCurrent()) {
        try {
          const found = await inTime(ask(partnerId, work), msMax)
          if (found) {
            answered.replica += 1
            return found.answer
          }
        } catch (error) {
          if (error instanceof PortalError) throw error
          trust(false, error)
        }
      }
      answered.primary += 1
      return work(primary)
    },
    answered,
    lagMs,
    pool: database.pool,
    async close() {
      isClosed = true
      clearTimeout(pause)
      await reads.close()
      await database.close()
    },
  }
}

/** Ignores a connection's error, because the statement on the connection also fails. */
function ignore(): void {}

function inTime<T>(work: Promise<T>, msMax: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The replica does not answer in time')), msMax)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Removes the beats of processes that have not written a beat since `before`. */
export async function removeBeats(db: Db, before: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from process_beats where at < ${before}`.execute(db)
  return Number(numAffectedRows)
}
