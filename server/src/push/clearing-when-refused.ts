import { CrmPartnerGone, CrmRefused } from '../zoho/errors.ts'

/** What the CRM refuses is not there: `clear` takes back the mark that it was sent, and no deletion is taken for its own. */
export async function clearingWhenRefused<Result>(push: Promise<Result>, clear: () => Promise<void>): Promise<Result> {
  try {
    return await push
  } catch (error) {
    if (error instanceof CrmRefused || error instanceof CrmPartnerGone) await clear()
    throw error
  }
}
