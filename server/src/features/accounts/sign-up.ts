import type { SignUp } from '@portal/contract/account-forms.ts'
import type { SignedInPartner } from '@portal/contract/accounts.ts'
import { pushPartner } from '../../crm/push/push-partner.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { insertPartner } from '../../records/partners/partners.queries.ts'
import { mailVerification } from './mail-verification.job.ts'
import { hashNewPassword } from './passwords.ts'
import { insertPerson } from './people.queries.ts'
import { refuseHeldEmail, refuseKnownEmail, refusingTaken } from './refusing-taken.ts'

/**
 * Hashes the password of a sign-up. Call this before the transaction, because the hash takes longer than the whole
 * transaction. Throws WEAK_PASSWORD if the password is weak.
 */
export function hashSignUpPassword(form: SignUp): Promise<string> {
  const { email, businessName: business_name, firstName: first_name, lastName: last_name } = form
  return hashNewPassword(form.password, 'password', { email, business_name, first_name, last_name })
}

/**
 * Stores the partner, its owner and the jobs for the CRM record and the welcome mail, all in one transaction (D23, D27,
 * D60).
 */
export async function signUpPartner(
  tx: Tx,
  { clock, jobs, config }: Pick<Deps, 'clock' | 'jobs' | 'config'>,
  form: Omit<SignUp, 'password'>,
  passwordHash: string,
): Promise<SignedInPartner & { personId: string }> {
  await refuseKnownEmail(tx, form.email)
  const now = clock.now()
  const partnerId = newId(now)
  const personId = newId(now)
  const times = { created_at: now.toISOString(), modified_time: now.toISOString() }
  await refusingTaken(
    insertPartner(tx, { id: partnerId, business_name: form.businessName, sign_up: config.signUp, ...times }),
  )
  await refusingTaken(
    insertPerson(tx, {
      id: personId,
      partner_id: partnerId,
      email: form.email,
      first_name: form.firstName,
      last_name: form.lastName,
      password_hash: passwordHash,
      role: 'owner',
      ...times,
    }),
  )
  await refuseHeldEmail(tx, form.email, personId, now)
  await jobs.enqueue(tx, pushPartner, { partnerId })
  await jobs.enqueue(tx, mailVerification, { personId, isWelcome: true })
  return { partnerId, personId, businessName: form.businessName, partnerEmail: form.email }
}
