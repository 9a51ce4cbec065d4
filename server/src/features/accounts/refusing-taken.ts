import pg from 'pg'
import type { Tx } from '../../platform/db/database.ts'
import { Conflict } from '../../platform/errors.ts'
import { isEmailHeldOfAnyPartner } from './email-changes.queries.ts'
import { findPersonByEmail } from './people.queries.ts'

const UNIQUE_VIOLATION = '23505'

/**
 * Throws a conflict if the database refuses an email address or business name that somebody else has. The client
 * recognises the conflict by its text, which contains 'exists' and either 'email' or 'business' (D11).
 */
export async function refusingTaken<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) throw error
    if (error.constraint === 'people_email_key') throw emailExists()
    if (error.constraint === 'partners_business_name' || error.constraint === 'partners_compared_name') {
      throw new Conflict('BUSINESS_EXISTS', 'A business with this name exists')
    }
    throw error
  }
}

/**
 * Refuses an email address that already has an account. Call this before the business name is written: if both are
 * taken, the error must name the email.
 */
export async function refuseKnownEmail(tx: Tx, email: string): Promise<void> {
  if (await findPersonByEmail(tx, email)) throw emailExists()
}

/**
 * Refuses another person's former address while that person's change can be undone (D67). A transaction that gives
 * somebody the address calls this after it has written the address: any simultaneous change from or to this address is
 * then visible or waits for this transaction.
 */
export async function refuseHeldEmail(tx: Tx, email: string, personId: string, now: Date): Promise<void> {
  if (await isEmailHeldOfAnyPartner(tx, email, { exceptFor: personId, now: now.toISOString() })) throw emailExists()
}

function emailExists(): Conflict {
  return new Conflict('EMAIL_EXISTS', 'An account with this email exists')
}
