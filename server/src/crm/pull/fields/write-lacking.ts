import type { Deps } from '../../../deps.ts'
import { findFieldGroups } from '../../../records/kinds/field-groups.queries.ts'
import { markLackingOfAllPartners } from '../../../records/partners/partners-in-crm.queries.ts'
import { pushPartner } from '../../push/push-partner.job.ts'

/** Queues the pushes of what the portal learned about partners before the organisation had the fields for it (D113). */
export async function writeLacking({ db, jobs, clock }: Pick<Deps, 'db' | 'jobs' | 'clock'>): Promise<void> {
  if (!(await findFieldGroups(db)).has('agreement')) return
  await db.transaction().execute(async (tx) => {
    for (const partnerId of await markLackingOfAllPartners(tx, clock.now().toISOString())) {
      await jobs.enqueue(tx, pushPartner, { partnerId })
    }
  })
}
