import pg from 'pg'
import type { Tx } from '../../db/database.ts'
import { Conflict } from '../../errors.ts'
import { isEmailHeldOfAnyPartner } from './email-changes.queries.ts'
import { findPersonByEmail } from './people.queries.ts'

const UNIQUE_VIOLATION = '23505'

/**
 * If the database refuses a value that another partner has, throws the conflict that the client recognises by 'email'
 * or 'business' with 'exists' (D11).
 */
export async function refusingTaken<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) throw error
    if (error.constraint === 'people_email_key') throw emailExists()
    if (error.constraint === 'partners_business_name') {
      throw new Conflict('BUSINESS_EXISTS', 'A business with this name exists')
    }
    throw error
  }
}

/** Ask this first. If both are taken, the error names the email. */
export async function refuseKnownEmail(tx: Tx, email: string): Promise<void> {
  if (await findPersonByEmail(tx, email)) throw emailExists()
}

/**
 * A former address stays reserved while its change can be undone (D67). Ask this after the new address is written: then
 * a change at the same moment is either visible or waits for this one.
 */
export async function refuseHeldEmail(tx: Tx, email: string, personId: string, now: Date): Promise<void> {
  if (await isEmailHeldOfAnyPartner(tx, email, { exceptFor: personId, now: now.toISOString() })) throw emailExists()
}

function emailExists(): Conflict {
  return new Conflict('EMAIL_EXISTS', 'An account with this email exists')
}
