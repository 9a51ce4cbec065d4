import { defineJob } from '../../../platform/jobs/define-job.ts'
import { PULL_QUEUE } from '../../queues.ts'
import { asNotified } from '../../zoho/call-order.ts'
import { pullForAll } from '../pull-for-all.ts'
import { applyListedNotes } from '../pull-notes.ts'
import { pullPartners } from '../pull-partners.ts'
import { pullRecords } from '../pull-records.ts'
import { pullTasks } from '../pull-tasks.ts'

/**
 * Pulls records that a push has met, and notes, tasks and partners that a notification has named. Each note costs a
 * call.
 */
export const pullNotified = defineJob({
  ...PULL_QUEUE,
  // If this job gives up, the sweep finds the changes.
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 1 },
  run: (deps, { module, zohoIds }, signal) =>
    asNotified(async () => {
      if (module === 'Tasks') {
        await pullTasks(deps, zohoIds, signal)
        return
      }
      if (module === 'Partners') {
        await pullPartners(deps, zohoIds, signal)
        return
      }
      if (module !== 'Notes') {
        await pullRecords(pullForAll(deps, module === 'Leads' ? 'leads' : 'deals', signal), module, zohoIds)
        return
      }
      for (const zohoId of zohoIds) {
        const note = await deps.crm.findNote(zohoId, signal)
        if (note) await applyListedNotes({ deps, signal }, [note], () => true)
      }
    }),
})
