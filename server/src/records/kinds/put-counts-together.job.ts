import * as z from 'zod/mini'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { putCountsTogetherOfAllPartners } from './record-counts.queries.ts'

/** Keeps the rows few from which the totals of lists and the dashboard come. */
export const putCountsTogether = defineJob({
  name: 'put-counts-together',
  payload: z.object({}),
  schedule: '*/5 * * * *',
  retry: { firstDelaySeconds: 60, delaySecondsMax: 600, giveUpAfterDays: 1 },
  run: ({ db }, _, signal) => putCountsTogetherOfAllPartners(db, signal),
})
