import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import {
  findDueForUsualTimesOfAllPartners,
  markUsualTimesDue,
  replaceUsualTimes,
  replaceUsualTimesOfEverybody,
} from './usual-times.queries.ts'

const PARTNERS_AT_ONCE = 100
/** The queue fails a job that runs for a quarter of an hour, so a run must end earlier. */
const RUN_MS_MAX = 5 * 60_000
const MINUTE_MS = 60_000
const AGAIN_MINUTES = { min: 10, max: 24 * 60 }

/**
 * Computes the usual times in statuses and stages, in one transaction for each partner that is due, and then the usual
 * times of all partners together. If the run's time is used up, the next run computes the remaining partners' times.
 */
export const computeUsualTimes = defineJob({
  name: 'compute-usual-times',
  payload: z.object({}),
  schedule: '*/10 * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 60, delaySecondsMax: 600, giveUpAfterDays: 1 },
  async run(deps, _, signal) {
    const { db, clock } = deps
    const end = performance.now() + RUN_MS_MAX
    while (performance.now() < end) {
      const partnerIds = await findDueForUsualTimesOfAllPartners(db, clock.now(), PARTNERS_AT_ONCE)
      for (const partnerId of partnerIds) {
        signal.throwIfAborted()
        await computeUsualTimesOf(deps, partnerId)
      }
      if (partnerIds.length < PARTNERS_AT_ONCE) break
    }
    await db.transaction().execute(replaceUsualTimesOfEverybody)
  },
})

/**
 * Computes the partner's usual times now, so that what needs attention is known at once after a first sync (D127). The
 * clock computes them again later.
 */
export async function computeUsualTimesOf({ db, clock }: Pick<Deps, 'db' | 'clock'>, partnerId: string): Promise<void> {
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    const entries = await replaceUsualTimes(tx, partnerId, now)
    await markUsualTimesDue(tx, partnerId, new Date(now.getTime() + minutesUntilNext(entries) * MINUTE_MS))
  })
}

/** With more entries, a new entry changes the result less and reading all entries costs more, so the wait is longer. */
function minutesUntilNext(entries: number): number {
  return Math.min(Math.max(entries, AGAIN_MINUTES.min), AGAIN_MINUTES.max)
}
