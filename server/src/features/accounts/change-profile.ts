import { PASSWORDS_DIFFER, type PasswordChange, type Profile, type ProfileChange } from '@portal/contract/accounts.ts'
import { readPhone } from '@portal/contract/phone.ts'
import type { Deps } from '../../deps.ts'
import { Invalid } from '../../errors.ts'
import type { SessionCaller } from '../../http/authenticate.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { getPasswordHash, removeSessions, updatePassword, updateProfile } from './accounts.queries.ts'
import { refusingTaken } from './already-there.ts'
import { hashPassword, isPassword, refuseWeakPassword } from './passwords.ts'

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

/** The codes and texts of section 8. The partner's other sessions end (D12). */
export async function changePartnerPassword(
  { db, clock }: Deps,
  caller: SessionCaller,
  form: PasswordChange,
): Promise<void> {
  if (form.newPassword !== form.confirmPassword) {
    throw new Invalid('PASSWORD_MISMATCH', PASSWORDS_DIFFER, { confirmPassword: PASSWORDS_DIFFER })
  }
  await refuseWeakPassword(form.newPassword, 'newPassword')
  if (!(await isPassword(form.currentPassword, await getPasswordHash(db, caller.id)))) {
    const text = 'Current password is incorrect'
    throw new Invalid('INVALID_CURRENT_PASSWORD', text, { currentPassword: text })
  }
  if (form.newPassword === form.currentPassword) {
    const text = 'New password must be different from current password'
    throw new Invalid('SAME_PASSWORD', text, { newPassword: text })
  }
  const passwordHash = await hashPassword(form.newPassword)
  await db.transaction().execute(async (tx) => {
    await updatePassword(tx, caller.id, passwordHash, clock.now().toISOString())
    await removeSessions(tx, caller.id, caller.sessionHash)
  })
}
