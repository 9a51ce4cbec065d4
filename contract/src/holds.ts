import * as z from 'zod/mini'
import type { ErrorCode } from './error-codes.ts'

/**
 * Why the portal exchanges no records of a partner with the CRM: the address is not verified (D122); or it is not, and
 * the CRM has a record with this address; or several people would see the existing records, and the person whose
 * address it is has not agreed; or the CRM has several records with this address; or it has removed the partner's
 * record (D121); or the lender has yet to let the partner in (D116).
 */
export const Hold = z.enum(['unverified', 'existing', 'people', 'several', 'deleted', 'pending'])
export type Hold = z.infer<typeof Hold>

/** How a call that needs the CRM is refused meanwhile. The app's notice begins with the text. */
export const HOLDS: Record<Hold, { code: ErrorCode; text: string }> = {
  unverified: { code: 'CONFIRM_EMAIL', text: 'Confirm your email address to send your referrals to the lender' },
  existing: { code: 'CONFIRM_EMAIL', text: 'Confirm your email address to connect to your existing records' },
  people: { code: 'CONFIRM_LINK', text: 'Confirm who will see your existing records' },
  several: { code: 'ASK_LENDER', text: 'Ask your lender which of its records with your email address is yours' },
  deleted: { code: 'ASK_LENDER', text: 'Ask your lender to connect your business again: it removed the old record' },
  pending: { code: 'ACCOUNT_PENDING', text: 'Your lender will confirm your account' },
}
