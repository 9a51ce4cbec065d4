import type { SignedInPartner, SignUp } from '@portal/contract/accounts.ts'
import pg from 'pg'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { Conflict } from '../../errors.ts'
import { findTaken, insertPartner } from './accounts.queries.ts'
import { mailWelcome } from './mail-welcome.job.ts'
import { pushPartner } from './push-partner.job.ts'

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
  const taken = await findTaken(tx, form.email, form.businessName)
  if (taken) throw alreadyThere(taken)

  const now = clock.now()
  const partnerId = newId(now)
  try {
    await insertPartner(tx, {
      id: partnerId,
      email: form.email,
      business_name: form.businessName,
      first_name: form.firstName,
      last_name: form.lastName,
      password_hash: passwordHash,
      created_at: now.toISOString(),
      modified_time: now.toISOString(),
    })
  } catch (error) {
    // Another signup took the name between the look and the insert.
    if (error instanceof pg.DatabaseError && error.code === '23505') {
      throw alreadyThere(error.constraint === 'partners_email_key' ? 'email' : 'business_name')
    }
    throw error
  }
  await jobs.enqueue(tx, pushPartner, { partnerId })
  await jobs.enqueue(tx, mailWelcome, { partnerId })
  return { partnerId, businessName: form.businessName, partnerEmail: form.email }
}

/** The client finds its message by the words 'email' or 'business' with 'exists' (D11). */
export function alreadyThere(taken: 'email' | 'business_name'): Conflict {
  return taken === 'email'
    ? new Conflict('EMAIL_EXISTS', 'An account with this email exists')
    : new Conflict('BUSINESS_EXISTS', 'A business with this name exists')
}
