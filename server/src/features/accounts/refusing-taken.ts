import pg from 'pg'
import { Conflict } from '../../errors.ts'

const UNIQUE_VIOLATION = '23505'

/**
 * What the database refuses because another partner has it becomes the conflict that the client finds by the words
 * 'email' or 'business' with 'exists' (D11). Where both are taken, PostgreSQL names the email.
 */
export async function refusingTaken<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) throw error
    if (error.constraint === 'partners_email_key') {
      throw new Conflict('EMAIL_EXISTS', 'An account with this email exists')
    }
    if (error.constraint === 'partners_business_name') {
      throw new Conflict('BUSINESS_EXISTS', 'A business with this name exists')
    }
    throw error
  }
}
