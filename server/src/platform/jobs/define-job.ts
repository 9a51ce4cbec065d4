import type { Deps } from '../../deps.ts'
import type { QueuedJob } from './enqueue-job.ts'

export interface Retry {
  /** The delay before the first retry. It doubles after every failure, with jitter, up to `delaySecondsMax`. */
  firstDelaySeconds: number
  delaySecondsMax: number
  giveUpAfterDays: number
}

export interface Job<Payload extends object = object> extends QueuedJob<Payload> {
  retry: Retry
  /**
   * How many of these jobs can run at the same time in one process. At most one of them runs for each `partnerId`, so
   * that one partner's jobs do not hold up other partners' jobs.
   */
  concurrency: number
  /**
   * A cron expression in UTC. At these times the clock enqueues a job with an empty payload. Across all processes,
   * at most one such job runs at a time.
   */
  schedule?: string
  /** Whether the job also runs once after a process has started, without waiting for its scheduled time. */
  runsAtStart?: boolean
  /**
   * Runs the job. A job can run twice and can run late, so it reads its rows again, and a second run must change
   * nothing. Every run from the queue gets the same `id`.
   */
  run(deps: Deps, payload: Payload, signal: AbortSignal, id?: string): Promise<void>
  /** Runs after the last retry has failed, or as soon as `run` throws `GiveUp`. Like `run`, it can run twice. */
  giveUp?(deps: Deps, payload: Payload): Promise<void>
}

/** Thrown by `run` when another try cannot help. */
export class GiveUp extends Error {}

/** Thrown by `run` if something else has to happen first. The job is tried again like a failed job, but did not fail. */
export class NotYet extends Error {}

/** Defines one background job: its name, its payload, how it retries and what it does. */
export function defineJob<Payload extends object>(
  job: Omit<Job<Payload>, 'concurrency'> & { concurrency?: number },
): Job<Payload> {
  return { concurrency: 4, ...job }
}
