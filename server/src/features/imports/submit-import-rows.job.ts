import * as z from 'zod/mini'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { finishImport, refuseWaitingRows } from './submission.queries.ts'
import { submitNextRows } from './submit-next-rows.ts'

/**
 * Submits the chosen rows of an import. A row's outcome and its lead are stored in one transaction, so a second run
 * continues where a killed one stopped (D83).
 */
export const submitImportRows = defineJob({
  name: 'submit-import-rows',
  payload: z.object({ partnerId: z.string(), importId: z.string() }),
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, { partnerId, importId }, signal) {
    while (await submitNextRows(deps, partnerId, importId)) signal.throwIfAborted()
    await finishImport(deps.db, partnerId, importId, deps.clock.now().toISOString())
  },
  async giveUp({ db, clock }, { partnerId, importId }) {
    await refuseWaitingRows(db, partnerId, importId, 'The portal could not submit this row.')
    await finishImport(db, partnerId, importId, clock.now().toISOString())
  },
})
