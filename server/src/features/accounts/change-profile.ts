import type { Profile, ProfileChange } from '@portal/contract/accounts.ts'
import { readPhone } from '@portal/contract/phone.ts'
import type { Deps } from '../../deps.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { getPartner, updateProfile } from './accounts.queries.ts'
import { refusingTaken } from './already-there.ts'
import type { ConnectRecords } from './confirm-email.ts'

/** A phone number that can be read is stored as a lead's is (D19); any other is kept as it was typed. */
export async function changePartnerProfile(
  { db, clock, jobs }: Deps,
  partnerId: string,
  change: ProfileChange,
  connectRecords: ConnectRecords,
): Promise<Profile> {
  return db.transaction().execute(async (tx) => {
    const phone = change.phone && (readPhone(change.phone)?.e164 ?? change.phone)
    const at = clock.now().toISOString()
    const { crm } = await getPartner(tx, partnerId)
    const profile = await refusingTaken(updateProfile(tx, partnerId, { ...change, phone }, at))
    // Under another name there may be nothing in the CRM any more that its records wait for.
    if (crm === 'held') await connectRecords(tx, partnerId)
    else await jobs.enqueue(tx, pushPartner, { partnerId })
    return profile
  })
}
