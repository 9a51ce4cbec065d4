import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { defineJob } from '../../../platform/jobs/define-job.ts'
import { asNotified } from '../../zoho/call-order.ts'
import { pullForAll } from '../pull-for-all.ts'
import { pullRecords } from '../pull-records.ts'
import { findNotedRecords, forgetAllNoted, forgetNoted } from './noted-records.queries.ts'

/** Notifications are gathered for this long, so that a burst of them costs few calls (D126). */
const GATHER_MS = 1_000
/** One call reads at most this many records. */
const RECORDS_AT_ONCE = 100

/**
 * Pulls the records that notifications have named: at once, and then each second as long as more are named. A run that
 * is ended loses none of them.
 */
export const pullNoted = defineJob({
  name: 'pull-noted',
  payload: z.object({}),
  key: () => 'all',
  concurrency: 1,
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 1 },
  run: (deps, _, signal) =>
    asNotified(async () => {
      for (;;) {
        let read = 0
        for (const module of ['Leads', 'Deals'] as const) {
          const pull = pullForAll(deps, module === 'Leads' ? 'leads' : 'deals', signal)
          for (;;) {
            signal.throwIfAborted()
            const noted = await findNotedRecords(deps.db, module, RECORDS_AT_ONCE)
            if (noted.length === 0) break
            await pullRecords(
              pull,
              module,
              noted.map((record) => record.zoho_id),
            )
            await forgetNoted(deps.db, module, noted)
            read += noted.length
            // The rest arrived meanwhile, and is gathered.
            if (noted.length < RECORDS_AT_ONCE) break
          }
        }
        if (read === 0) return
        await sleep(GATHER_MS, undefined, { signal })
      }
    }),
  giveUp: ({ db }) => forgetAllNoted(db),
})
