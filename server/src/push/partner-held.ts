import { CONFIRM_EMAIL } from '@portal/contract/accounts.ts'
import { Conflict } from '../errors.ts'

/**
 * The CRM has a record with this partner's name and email. The record is linked only after the address is confirmed
 * (D52).
 */
export class PartnerHeld extends Conflict {
  constructor() {
    super('CONFIRM_EMAIL', CONFIRM_EMAIL)
  }
}

/** Ends a job without a failure while its partner is held. Confirming the address enqueues another job. */
export function waitForEmail(error: unknown): undefined {
  if (error instanceof PartnerHeld) return undefined
  throw error
}
