import pg from 'pg'
import type { Tx } from '../../db/database.ts'
import { Conflict } from '../../errors.ts'
import { isEmailHeldOfAnyPartner } from './email-changes.queries.ts'
import { findPersonByEmail } from './people.queries.ts'

const UNIQUE_VIOLATION = '23505'

/**
 * What the database refuses because another partner has it becomes the conflict that the client finds by the words
 * 'email' or 'business' with 'exists' (D11).
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

/** To be asked first, because the email is what is named where the business's name is taken, too. */
export async function refuseKnownEmail(tx: Tx, email: string): Promise<void> {
  if (await findPersonByEmail(tx, email)) throw emailExists()
}

/**
 * An address that was changed is its owner's until it cannot be undone any more (D67). To be asked after the address was
 * written: a change at the same moment is then either seen or waits for this one.
 */
export async function refuseHeldEmail(tx: Tx, email: string, personId: string, now: Date): Promise<void> {
  if (await isEmailHeldOfAnyPartner(tx, email, { exceptFor: personId, now: now.toISOString() })) throw emailExists()
}

function emailExists(): Conflict {
  return new Conflict('EMAIL_EXISTS', 'An account with this email exists')
}
