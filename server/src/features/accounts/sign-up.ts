import type { SignedInPartner, SignUp } from '@portal/contract/accounts.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { insertPartner } from './accounts.queries.ts'
import { mailVerification } from './mail-verification.job.ts'
import { hashNewPassword } from './passwords.ts'
import { refusingTaken } from './refusing-taken.ts'

/** To be made before the transaction, for it takes longer than all of that. Throws WEAK_PASSWORD. */
export function hashSignUpPassword(form: SignUp): Promise<string> {
  const { email, businessName: business_name, firstName: first_name, lastName: last_name } = form
  return hashNewPassword(form.password, 'password', { email, business_name, first_name, last_name })
}

/** The partner, the job that makes its CRM record and the welcome mail are one transaction (D23, D27). */
export async function signUpPartner(
  tx: Tx,
  { clock, jobs }: Pick<Deps, 'clock' | 'jobs'>,
  form: Omit<SignUp, 'password'>,
  passwordHash: string,
): Promise<SignedInPartner> {
  const now = clock.now()
  const partnerId = newId(now)
  await refusingTaken(
    insertPartner(tx, {
      id: partnerId,
      email: form.email,
      business_name: form.businessName,
      first_name: form.firstName,
      last_name: form.lastName,
      password_hash: passwordHash,
      created_at: now.toISOString(),
      modified_time: now.toISOString(),
    }),
  )
  await jobs.enqueue(tx, pushPartner, { partnerId })
  await jobs.enqueue(tx, mailVerification, { partnerId, isWelcome: true })
  return { partnerId, businessName: form.businessName, partnerEmail: form.email }
}
