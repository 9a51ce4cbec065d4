import type { Hold } from '@portal/contract/holds.ts'
import type { PartnerRow } from '../../platform/db/tables.ts'

/** Why the partner exchanges no records with the CRM; null if it does. */
export function holdOf({ crm, held_for, access }: Pick<PartnerRow, 'crm' | 'held_for' | 'access'>): Hold | null {
  if (crm === 'held') return held_for ?? 'existing'
  return access === 'pending' ? 'pending' : null
}

/** Whether the lender has yet to let the partner in (D116). A suspension before that changes nothing. */
export function awaitsLender({ access, sign_up, opened_at }: Pick<PartnerRow, 'access' | 'sign_up' | 'opened_at'>) {
  return access === 'pending' || (sign_up !== 'open' && opened_at === null)
}
