import * as z from 'zod/mini'
import { dayWriter } from '../../platform/csv.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { recordEvents } from '../../records/events/events.ts'
import { lockDueOfAllPartners } from './payments.queries.ts'

const DAY_MS = 24 * 3_600_000
const DEALS_A_RUN = 500

/**
 * Tells of commissions whose day of payment has come, in the lender's time zone. The day comes without a change in the
 * CRM, so no pull tells of it. Yesterday's are told too if the portal was not running.
 */
export const tellDuePayments = defineJob({
  name: 'tell-due-payments',
  payload: z.object({}),
  schedule: '*/10 * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 30, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run({ db, clock, config }) {
    const now = clock.now()
    const at = now.toISOString()
    const dayOf = dayWriter(config.timezone)
    const days = { from: dayOf(new Date(now.getTime() - DAY_MS).toISOString()), to: dayOf(at) }
    for (;;) {
      const told = await db.transaction().execute(async (tx) => {
        const due = await lockDueOfAllPartners(tx, days, DEALS_A_RUN)
        await recordEvents(
          tx,
          due.map(({ partner_id: partnerId, loid, ...data }) => ({ partnerId, loid, type: 'deal.paid', data, at })),
        )
        return due.length
      })
      if (told < DEALS_A_RUN) return
    }
  },
})
