import { FOLLOW_ACCESS_QUEUE } from '../crm/queues.ts'
import { lockPeople } from '../features/accounts/people.queries.ts'
import { removeSessionsOfSuspended } from '../features/accounts/sessions.queries.ts'
import { createSecurityStore } from '../features/security-log/store-security.ts'
import { noteSecurity } from '../platform/http/security-events.ts'
import { defineJob } from '../platform/jobs/define-job.ts'

/**
 * Ends the sessions of a partner that the lender has suspended, so that they stay ended if the suspension ends (D116).
 * Until then no session is accepted anyway. Notes in the security log that a suspension began or ended.
 */
export const followAccess = defineJob({
  ...FOLLOW_ACCESS_QUEUE,
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 7 },
  async run(deps, { partnerId, isSuspended, at }) {
    await deps.db.transaction().execute(async (tx) => {
      await lockPeople(tx, partnerId)
      if (isSuspended) await removeSessionsOfSuspended(tx, partnerId, at)
      const event = isSuspended ? 'partner-suspended' : 'partner-resumed'
      await noteSecurity({ log: deps.log, store: createSecurityStore(deps) }, tx, event, { partner: partnerId })
    })
  },
})
