import { CONFIRM_EMAIL } from '@portal/contract/accounts.ts'
import { Conflict } from '../errors.ts'

/** The CRM has a record of this partner's name and email: linking to it waits for the verified address (D52). */
export class PartnerHeld extends Conflict {
  constructor() {
    super('CONFIRM_EMAIL', CONFIRM_EMAIL)
  }
}

/** For a job: it is done for now, and confirming the address asks for another. */
export function waitForEmail(error: unknown): undefined {
  if (error instanceof PartnerHeld) return undefined
  throw error
}
