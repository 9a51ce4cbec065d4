import type { Deps } from '../deps.ts'
import { CrmPartnerGone } from '../zoho/errors.ts'
import { givingUpWhenRefused } from './giving-up-when-refused.ts'
import { waitForEmail } from './partner-held.ts'
import { findPartnerToPush } from './partners-in-crm.queries.ts'
import { pushPartnerNow } from './push-partner.job.ts'

/**
 * Pushes what names its partner in the CRM by an id. A partner who is not there yet gets a record first, and one whose
 * record was deleted gets another. Undefined when the partner is gone, or has to confirm its address first (D52).
 */
export async function pushForPartner<Result>(
  deps: Pick<Deps, 'db' | 'crm' | 'clock'>,
  partnerId: string,
  push: (partnerZohoId: string) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  const partner = await findPartnerToPush(deps.db, partnerId)
  const zohoId = partner && (partner.zoho_id ?? (await recordInsteadOf(null)))
  if (zohoId === undefined) return undefined
  const pushed = push(zohoId).catch(async (error: unknown) => {
    if (!(error instanceof CrmPartnerGone)) throw error
    const other = await recordInsteadOf(zohoId)
    return other === undefined ? undefined : push(other)
  })
  return givingUpWhenRefused(pushed)

  function recordInsteadOf(useless: string | null) {
    return givingUpWhenRefused(pushPartnerNow(deps, partnerId, { signal, useless })).catch(waitForEmail)
  }
}
