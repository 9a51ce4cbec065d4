import * as z from 'zod/mini'
import type { Deps } from '../../../deps.ts'
import { CrmUnavailable } from '../../../platform/errors.ts'
import { defineJob } from '../../../platform/jobs/define-job.ts'
import type { CrmModule } from '../../../records/crm-records.ts'
import { findDueOfAllPartners } from '../../../records/kinds/crm-rows.queries.ts'
import { asBackground } from '../../zoho/call-order.ts'
import { countLater, findLater } from '../../zoho/shared-limits.ts'
import { findSyncingPartners } from '../run/sync-runs.queries.ts'
import { pullDetails } from './pull-details.ts'

/** Fifty records usually cost fifty to a hundred calls. */
const RECORDS_AT_ONCE = 50
/** The queue fails the job after a quarter of an hour. A run ends well before that. */
const RUN_MS_MAX = 5 * 60_000
const MODULES = ['Leads', 'Deals'] as const

/** The part of a day's credits that histories may cost whose records changed in another field than the status (D126). */
const LATER_SHARE = 1 / 10

/**
 * Reads the details that are due: histories of new records, and notes that could not be listed or that other reads left
 * for later (D56). Then reads histories again whose records have changed in other fields, within their own share. A run
 * ends when nothing is due, when its time or half of the day's credits is used up, or when the CRM is unavailable. The
 * next run continues a minute later.
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
      await asBackground(async () => {
        for (const module of MODULES) await pullDue(module, false)
        for (const module of MODULES) await pullDue(module, true)
      })
    } catch (error) {
      if (!(error instanceof CrmUnavailable)) throw error
      deps.log.info({ err: error }, 'reading details in the background stopped; it continues in a minute')
    }

    async function pullDue(module: CrmModule, later: boolean): Promise<void> {
      // If the CRM does not give a record's details, the record waits for the next run, so that it does not delay other
      // records.
      const untold: string[] = []
      while (performance.now() < end) {
        signal.throwIfAborted()
        const limit = Math.floor(Math.min(RECORDS_AT_ONCE, await creditsToSpare(deps, later)))
        if (limit <= 0) return
        // Leaves out partners with a sync under way. The sync needs the CRM and the database, and somebody is waiting for
        // it.
        const partnerIds = await findSyncingPartners(deps.db)
        const due = await findDueOfAllPartners(deps.db, module, { zohoIds: untold, partnerIds }, { later, limit })
        if (due.length === 0) return
        if (later) await countLater(deps.db, deps.clock.now(), due.length)
        const left = new Set((await pullDetails({ deps, signal }, module, due)).map(({ zoho_id }) => zoho_id))
        // The CRM gives no details at the moment.
        if (left.size === due.length) return
        untold.push(...left)
      }
    }
  },
})

/**
 * How many credits may be spent now. Work that can wait leaves half of the day's credits for partners' own requests (D57),
 * and what is read `later` stays within its own share.
 */
async function creditsToSpare({ crm, db, clock }: Pick<Deps, 'crm' | 'db' | 'clock'>, later: boolean): Promise<number> {
  const { credits, creditsLeft, creditsPerDay } = await crm.usage()
  const spare = (creditsLeft ?? creditsPerDay - credits) - creditsPerDay / 2
  return later ? Math.min(spare, creditsPerDay * LATER_SHARE - (await findLater(db, clock.now()))) : spare
}
