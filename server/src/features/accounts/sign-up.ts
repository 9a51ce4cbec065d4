import type { SignedInPartner, SignUp } from '@portal/contract/accounts.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { pushPartner } from '../../push/push-partner.job.ts'
import { insertPartner } from './accounts.queries.ts'
import { refusingTaken } from './already-there.ts'
import { mailWelcome } from './mail-welcome.job.ts'

/**
 * The partner, the job that makes its CRM record and the welcome mail are one transaction (D23, D27). The password comes
 * hashed: hashing takes longer than the whole transaction.
 */
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
  await jobs.enqueue(tx, mailWelcome, { partnerId })
  return { partnerId, businessName: form.businessName, partnerEmail: form.email }
}
