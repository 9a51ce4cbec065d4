import * as z from 'zod/mini'
import type { Deps } from '../../../deps.ts'
import { CrmUnavailable } from '../../../platform/errors.ts'
import { defineJob } from '../../../platform/jobs/define-job.ts'
import { findDueOfAllPartners } from '../../../records/kinds/crm-rows.queries.ts'
import { findSyncingPartners } from '../run/sync-runs.queries.ts'
import { pullDetails } from './pull-details.ts'

/** Fifty records usually cost fifty to a hundred calls. */
const RECORDS_AT_ONCE = 50
/** The queue fails the job after a quarter of an hour. A run ends well before that. */
const RUN_MS_MAX = 5 * 60_000

/**
 * Reads the details that are due: histories of new records, and notes that could not be listed or that other reads left
 * for later (D56). A run ends when nothing is due, when its time or half of the day's credits is used up, or when the
 * CRM is unavailable. The next run continues a minute later.
 */
export const pullDueDetails = defineJob({
  name: 'pull-details',
  payload: z.object({}),
  schedule: '* * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 30, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, _, signal) {
    const end = performance.now() + RUN_MS_MAX
    try {
      for (const module of ['Leads', 'Deals'] as const) {
        // If the CRM does not give a record's details, the record waits for the next run, so that it does not delay
        // other records.
        const untold: string[] = []
        while (performance.now() < end && (await hasCreditsToSpare(deps))) {
          signal.throwIfAborted()
          // Leaves out partners with a sync under way. The sync needs the CRM and the database, and somebody is waiting
          // for it.
          const partnerIds = await findSyncingPartners(deps.db)
          const due = await findDueOfAllPartners(deps.db, module, { zohoIds: untold, partnerIds }, RECORDS_AT_ONCE)
          if (due.length === 0) break
          for (const { zoho_id } of await pullDetails({ deps, signal }, module, due)) untold.push(zoho_id)
        }
      }
    } catch (error) {
      if (!(error instanceof CrmUnavailable)) throw error
      deps.log.info({ err: error }, 'reading details in the background stopped; it continues in a minute')
    }
  },
})

/** Work that can wait leaves half of the day's credits for partners' own requests (D57). */
async function hasCreditsToSpare({ crm }: Pick<Deps, 'crm'>): Promise<boolean> {
  const { credits, creditsLeft, creditsPerDay } = await crm.usage()
  return (creditsLeft ?? creditsPerDay - credits) > creditsPerDay / 2
}
