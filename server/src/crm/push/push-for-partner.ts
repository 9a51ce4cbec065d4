import type { Deps } from '../../deps.ts'
import { awaitsLender } from '../../records/partners/hold-of.ts'
import { findPartnerToPush } from '../../records/partners/partners-in-crm.queries.ts'
import { CrmPartnerGone } from '../zoho/errors.ts'
import { givingUpWhenRefused } from './giving-up-when-refused.ts'
import { waitWhileHeld } from './partner-held.ts'
import { pushPartnerNow } from './push-partner.job.ts'
import { waitForOthers } from './wait-for-others.ts'

interface PushOfRecord<Result> {
  push(partnerZohoId: string): Promise<Result>
  /** Called with the reason in words when the CRM refuses a field of the record or of the partner's own record. */
  markFailed(problem: string): Promise<void>
  /** Called when the CRM refuses the record for a reason of its own (D125). */
  markNotTaken(cause: string): Promise<void>
  signal?: AbortSignal
}

/**
 * Pushes a record that names its partner by the partner's CRM id. A partner without a CRM record gets one first. Returns
 * undefined when the partner is gone or is held, for example because its own record was deleted (D121, D123) or the
 * lender has yet to let it in (D116). Throws
 * `GiveUp` when the CRM refuses a field, `CrmNotTaking` when it refuses for a reason of its own, and `NotYet` when other
 * partners come first (D122).
 */
export function pushForPartner<Result>(
  deps: Pick<Deps, 'db' | 'crm' | 'jobs' | 'config'>,
  partnerId: string,
  { push, markFailed, markNotTaken, signal }: PushOfRecord<Result>,
): Promise<Result | undefined> {
  return givingUpWhenRefused(pushed(), { markFailed, markNotTaken })

  async function pushed(): Promise<Result | undefined> {
    await waitForOthers(deps, partnerId)
    const partner = await findPartnerToPush(deps.db, partnerId)
    // The lender's word enqueues another job.
    if (partner && awaitsLender(partner)) return undefined
    const zohoId = partner && (partner.zoho_id ?? (await recordInsteadOf(null)))
    if (zohoId === undefined) return undefined
    try {
      return await push(zohoId)
    } catch (error) {
      if (!(error instanceof CrmPartnerGone)) throw error
      const other = await recordInsteadOf(zohoId)
      return other === undefined ? undefined : push(other)
    }
  }

  function recordInsteadOf(useless: string | null) {
    return pushPartnerNow(deps, partnerId, { signal, useless }).catch(waitWhileHeld)
  }
}
