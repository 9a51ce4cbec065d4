import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { Job } from '../../platform/jobs/define-job.ts'

/**
 * Handles the Retry button (D23). `revive` marks given-up records as pending again and returns a payload for each.
 * Their jobs are enqueued in the same transaction. Returns false if no record was given up: the push is then done,
 * running or waiting.
 */
export function retryPush<Payload extends object>(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  push: Job<Payload>,
  revive: (tx: Tx) => Promise<Payload[]>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const revived = await revive(tx)
    for (const payload of revived) await jobs.enqueue(tx, push, payload)
    return revived.length > 0
  })
}
