import { LINKED_QUEUE } from '../crm/queues.ts'
import { createSecurityStore } from '../features/security-log/store-security.ts'
import { noteSecurity } from '../platform/http/security-events.ts'
import { defineJob } from '../platform/jobs/define-job.ts'

/** Tells the partner's owners and the operator, in the security log, that the portal has followed a merge (D123). */
export const noteLinked = defineJob({
  ...LINKED_QUEUE,
  retry: { firstDelaySeconds: 5, delaySecondsMax: 300, giveUpAfterDays: 7 },
  run: (deps, { partnerId }) =>
    deps.db
      .transaction()
      .execute((tx) =>
        noteSecurity({ log: deps.log, store: createSecurityStore(deps) }, tx, 'record-linked', { partner: partnerId }),
      ),
})
