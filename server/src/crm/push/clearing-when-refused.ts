import { CrmPartnerGone, CrmRefused } from '../zoho/errors.ts'

/**
 * If the CRM refuses a record, or no longer has the partner that the record names, `clear` removes the mark which says
 * that the record was sent. Then the record's absence from the CRM is not treated as a deletion.
 */
export async function clearingWhenRefused<Result>(push: Promise<Result>, clear: () => Promise<void>): Promise<Result> {
  try {
    return await push
  } catch (error) {
    if (error instanceof CrmRefused || error instanceof CrmPartnerGone) await clear()
    throw error
  }
}
