import type * as z from 'zod/mini'
import type { Db, Tx } from '../db/database.ts'
import type { Write } from '../db/write-together.ts'

/** The parts of a job that enqueueing needs. Only the worker knows how the job runs. */
export interface QueuedJob<Payload extends object = object> {
  name: string
  payload: z.ZodMiniType<Payload>
  /**
   * At most one job per key is queued. A later job with the same key is not added, because the queued job also does the
   * work of the later job. Jobs that run or wait for a retry do not count.
   */
  key?(payload: Payload): string
}

export interface JobQueue {
  /**
   * Enqueues a job in the caller's transaction: the job exists if and only if the caller's changes do (D23). The job
   * runs at once, or after `afterSeconds`.
   */
  enqueue<Payload extends object>(
    tx: Tx | Db,
    job: QueuedJob<Payload>,
    payload: Payload,
    afterSeconds?: number,
  ): Promise<void>
  /** The statement that enqueues a job which runs at once. */
  insertOf<Payload extends object>(job: QueuedJob<Payload>, payload: Payload): Promise<Write>
  /** Removes the partner's jobs that are queued for these records, because another job has done their work. */
  removeDone(
    db: Db,
    job: QueuedJob<{ partnerId: string; loid: string }>,
    partnerId: string,
    loids: readonly string[],
  ): Promise<void>
  /** Lets the waiting jobs about these records run now: leads and deals by their LOIDs, notes and documents by their ids. */
  hasten(db: Db, records: readonly string[]): Promise<void>
}
