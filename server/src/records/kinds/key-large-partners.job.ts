import * as z from 'zod/mini'
import { fillKeysOfAllPartners } from '../../platform/db/search-columns.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'

/** Gives the rows of partners with many leads or deals the keys by which a search finds the older ones. */
export const keyLargePartners = defineJob({
  name: 'key-large-partners',
  payload: z.object({}),
  schedule: '*/5 * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 60, delaySecondsMax: 600, giveUpAfterDays: 1 },
  run: ({ db }, _, signal) => fillKeysOfAllPartners(db, signal),
})
