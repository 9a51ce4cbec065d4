import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { isDatabaseAway } from '../../platform/db/database.ts'
import { type AttemptOutcome, recordAttemptsOfPartners } from './deliveries.queries.ts'
import { type DisabledReason, disableEndpoint } from './disable-endpoint.ts'
import { oneAtATime } from './one-at-a-time.ts'

const AGAIN_AFTER_MS = 500

interface Waiting {
  outcome: AttemptOutcome
  /** Why the attempt disables its endpoint, or undefined if it does not. */
  disable: DisabledReason | undefined
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Returns a function that writes the outcome of an attempt. Outcomes that arrive during a write are written together
 * afterwards, so a hundred attempts at once need one connection and few commits. An outcome that disables its endpoint
 * is written alone. If the database is unavailable, the function tries again until `signal` aborts.
 */
export function openAttemptRecorder(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  signal: AbortSignal,
): (outcome: AttemptOutcome, disable: DisabledReason | undefined) => Promise<void> {
  const { db, log } = deps
  let waiting: Waiting[] = []

  const writing = oneAtATime(
    async () => {
      const batch = waiting
      waiting = []
      await write(batch.filter((one) => !one.disable))
      for (const one of batch) if (one.disable) await write([one])
    },
    (error) => log.error({ err: error }, 'delivery attempts could not be recorded'),
  )

  async function write(batch: Waiting[]): Promise<void> {
    if (batch.length === 0) return
    try {
      await save(batch)
      for (const one of batch) one.resolve()
    } catch (error) {
      if (error instanceof Error && isDatabaseAway(error) && !signal.aborted) {
        log.warn({ err: error, attempts: batch.length }, 'delivery attempts are waiting for the database')
        await sleep(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined)
        waiting.unshift(...batch)
        writing.ask()
      } else if (batch.length > 1) {
        // Each outcome is now written alone, so that a faulty outcome does not stop the other outcomes.
        for (const one of batch) await write([one])
      } else {
        for (const one of batch) one.reject(error)
      }
    }
  }

  async function save(batch: Waiting[]): Promise<void> {
    const outcomes = batch.map((one) => one.outcome)
    const [first] = batch
    if (!first?.disable) return recordAttemptsOfPartners(db, outcomes)
    const { outcome, disable } = first
    await db.transaction().execute(async (tx) => {
      await recordAttemptsOfPartners(tx, outcomes)
      await disableEndpoint(tx, deps, outcome.partner_id, { url: outcome.endpoint, reason: disable })
    })
  }

  return (outcome, disable) =>
    new Promise((resolve, reject) => {
      waiting.push({ outcome, disable, resolve, reject })
      writing.ask()
    })
}
