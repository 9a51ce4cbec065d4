import { CONFIRM_EMAIL } from '@portal/contract/accounts.ts'
import { Conflict } from '../errors.ts'

/** The CRM has a record with this partner's name and email. It is linked only once the address is verified (D52). */
export class PartnerHeld extends Conflict {
  constructor() {
    super('CONFIRM_EMAIL', CONFIRM_EMAIL)
  }
}

/** For a job: the job is done for now, and confirming the address enqueues another. */
export function waitForEmail(error: unknown): undefined {
  if (error instanceof PartnerHeld) return undefined
  throw error
}
