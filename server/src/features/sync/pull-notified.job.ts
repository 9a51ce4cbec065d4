import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { defineJob } from '../../jobs/define-job.ts'
import { applyListedNotes, pullRecords } from './pull-records.ts'

/** What one notification names, pulled in one call: a change of many records in bulk costs Zoho no call a record. */
export const pullNotified = defineJob({
  name: 'pull-notified',
  payload: z.object({ module: z.enum(['Leads', 'Deals', 'Notes']), zohoIds: z.array(z.string()) }),
  // The sweep finds what this gives up.
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 1 },
  key: ({ module, zohoIds }) =>
    createHash('sha256')
      .update([module, ...zohoIds.toSorted()].join(' '))
      .digest('hex'),
  async run(deps, { module, zohoIds }, signal) {
    if (module !== 'Notes') return pullRecords(deps, module, zohoIds, signal)
    for (const zohoId of zohoIds) {
      const note = await deps.crm.findNote(zohoId, signal)
      if (note) await applyListedNotes(deps, [note], signal)
    }
  },
})
