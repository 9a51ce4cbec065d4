import * as z from 'zod/mini'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { removeRestingPartsOfAllPartners, restingBefore } from '../../records/documents/uploads.queries.ts'

const UPLOADS_AT_ONCE = 20

/** Gives back the room of uploads that nobody continues. Such an upload begins again from its first part. */
export const endRestingUploads = defineJob({
  name: 'end-resting-uploads',
  payload: z.object({}),
  schedule: '*/10 * * * *',
  retry: { firstDelaySeconds: 60, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run({ db, clock }, _, signal) {
    for (;;) {
      signal.throwIfAborted()
      const ended = await removeRestingPartsOfAllPartners(db, restingBefore(clock.now()), UPLOADS_AT_ONCE)
      if (ended < UPLOADS_AT_ONCE) return
    }
  },
})
