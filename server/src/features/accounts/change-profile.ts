import type { Profile, ProfileChange } from '@portal/contract/accounts.ts'
import { readPhone } from '@portal/contract/phone.ts'
import type { Deps } from '../../deps.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { updateProfile } from './accounts.queries.ts'
import { refusingTaken } from './already-there.ts'

/** A phone number that can be read is stored as a lead's is (D19); any other is kept as it was typed. */
export async function changePartnerProfile(
  { db, clock, jobs }: Deps,
  partnerId: string,
  change: ProfileChange,
): Promise<Profile> {
  return db.transaction().execute(async (tx) => {
    const phone = change.phone && (readPhone(change.phone)?.e164 ?? change.phone)
    const at = clock.now().toISOString()
    const profile = await refusingTaken(updateProfile(tx, partnerId, { ...change, phone }, at))
    await jobs.enqueue(tx, pushPartner, { partnerId })
    return profile
  })
}
