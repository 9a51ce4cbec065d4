import type { Deps } from '../deps.ts'
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
   * How many of these jobs run at the same time in one process. Among jobs with the same `partnerId`, one process runs
   * only one at a time, so that one partner's work never delays another's.
   */
  concurrency: number
  /**
   * A cron expression in UTC. At these times the clock enqueues a job with an empty payload, at most one at a time
   * among all processes.
   */
  schedule?: string
  /** Whether the job also runs once after a process has started, without waiting for its scheduled time. */
  runsAtStart?: boolean
  /**
   * Runs the job. A job can run twice and can run late, so it reads its rows again, and a second run must change
   * nothing.
   */
  run(deps: Deps, payload: Payload, signal: AbortSignal): Promise<void>
  /** Runs once after the last retry has failed, or as soon as `run` throws `GiveUp`. */
  giveUp?(deps: Deps, payload: Payload): Promise<void>
}

/** Thrown by `run` when another try cannot help. */
export class GiveUp extends Error {}

/** Defines one background job: its name, its payload, how it retries and what it does. */
export function defineJob<Payload extends object>(
  job: Omit<Job<Payload>, 'concurrency'> & { concurrency?: number },
): Job<Payload> {
  return { concurrency: 4, ...job }
}
