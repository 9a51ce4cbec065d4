import * as z from 'zod/mini'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { fillComparedName, findWithoutComparedNameOfAllPartners } from '../../records/partners/partners.queries.ts'

/**
 * Fills in the compared names of partners that another version has written, the oldest first. A partner whose name
 * looks like an older partner's gets none.
 */
export const fillComparedNames = defineJob({
  name: 'fill-compared-names',
  payload: z.object({}),
  schedule: '7 * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 60, delaySecondsMax: 600, giveUpAfterDays: 1 },
  async run({ db }, _, signal) {
    for (const partner of await findWithoutComparedNameOfAllPartners(db)) {
      signal.throwIfAborted()
      await fillComparedName(db, partner)
    }
  },
})
