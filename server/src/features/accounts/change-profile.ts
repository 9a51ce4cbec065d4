import type { Profile, ProfileChange } from '@portal/contract/accounts.ts'
import { readPhone } from '@portal/contract/phone.ts'
import type { Deps } from '../../deps.ts'
import { Invalid } from '../../errors.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { getPartner, updateProfile } from './accounts.queries.ts'
import type { ConnectRecords } from './confirm-email.ts'
import { refusingTaken } from './refusing-taken.ts'

const EMAIL_IS_READ_ONLY = 'The email address cannot be changed here. Please contact support to change it.'

/** A phone number that can be read is stored as a lead's is (D19); any other is kept as it was typed. */
export async function changePartnerProfile(
  { db, clock, jobs }: Deps,
  partnerId: string,
  { email, ...change }: ProfileChange,
  connectRecords: ConnectRecords,
): Promise<Profile> {
  return db.transaction().execute(async (tx) => {
    const phone = change.phone && (readPhone(change.phone)?.e164 ?? change.phone)
    const at = clock.now().toISOString()
    const { crm, email: own } = await getPartner(tx, partnerId)
    if (email !== undefined && email !== own)
      throw new Invalid('VALIDATION', EMAIL_IS_READ_ONLY, { email: EMAIL_IS_READ_ONLY })
    const profile = await refusingTaken(updateProfile(tx, partnerId, { ...change, phone }, at))
    // Under another name there may be nothing in the CRM any more that its records wait for.
    if (crm === 'held') await connectRecords(tx, partnerId)
    else await jobs.enqueue(tx, pushPartner, { partnerId })
    return profile
  })
}
