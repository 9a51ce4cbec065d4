import { CrmPartnerGone, CrmRefused } from '../zoho/errors.ts'

/**
 * A record that the CRM refused is not there. `clear` takes back the mark that it was sent, so that its absence is not
 * taken for a deletion.
 */
export async function clearingWhenRefused<Result>(push: Promise<Result>, clear: () => Promise<void>): Promise<Result> {
  try {
    return await push
  } catch (error) {
    if (error instanceof CrmRefused || error instanceof CrmPartnerGone) await clear()
    throw error
  }
}
