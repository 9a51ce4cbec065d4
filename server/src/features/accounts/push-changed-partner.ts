import { pushPartner } from '../../crm/push/push-partner.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { type BusinessChange, type Partner, updateForCrm } from '../../records/partners/partners.queries.ts'
import type { ConnectRecords } from './confirm-email.ts'
import { refusingTaken } from './refusing-taken.ts'

interface Changed extends BusinessChange {
  /** As it was locked. */
  partner: Pick<Partner, 'crm'> | undefined
  partnerId: string
  at: string
}

/** Pushes the partner's own record to the CRM after a change. The caller holds the partner's lock. */
export async function pushChangedPartner(
  tx: Tx,
  { jobs }: Pick<Deps, 'jobs'>,
  { partner, partnerId, at, ...change }: Changed,
  connectRecords: ConnectRecords,
): Promise<void> {
  await refusingTaken(updateForCrm(tx, partnerId, change, at))
  // The hold may no longer be needed, and then everything that waited is pushed too.
  if (partner?.crm === 'held') await connectRecords(tx, partnerId)
  else await jobs.enqueue(tx, pushPartner, { partnerId })
}
