import { Forbidden } from '../../platform/errors.ts'

/** The refusal of a partner that the lender has suspended, in the lender's own words if it gave a reason (D116). */
export function accountSuspended({ portal_access_reason }: { portal_access_reason: string | null }): Forbidden {
  return new Forbidden('ACCOUNT_SUSPENDED', portal_access_reason ?? 'Your lender has suspended this account.')
}
