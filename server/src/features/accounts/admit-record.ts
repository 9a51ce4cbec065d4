import { UNVERIFIED_RECORDS_MAX } from '@portal/contract/limits.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { Conflict } from '../../platform/errors.ts'
import type { Limit } from '../../platform/http/rate-limit.ts'
import { countWaitingRecords, isUnverified, lockHold } from '../../records/partners/partners-in-crm.queries.ts'
import { requireAgreement } from './agreement/require-agreement.ts'
import { limitPartner } from './limit-partner.ts'

interface SubmitCall<Answer> {
  once: (work: (tx: Tx) => Promise<Answer>) => Promise<Answer>
  limit: Limit
  partner: { id: string }
}

/**
 * Stores a new lead or deal with `work`, unless the partner is over its limits (which the form and the API key share),
 * an owner must accept the
 * lender's agreement first (D113), or as many of its records wait for a verified address as may (D122).
 */
export async function admitRecord<Answer>(
  deps: Pick<Deps, 'config' | 'clock' | 'agreement'>,
  call: SubmitCall<Answer>,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  await limitPartner(deps, call, 'records')
  return call.once(async (tx) => {
    await requireAgreement(tx, deps, call.partner.id)
    if (deps.config.holdUnverified) await refuseBeyondHeld(tx, call.partner.id)
    return work(tx)
  })
}

async function refuseBeyondHeld(tx: Tx, partnerId: string): Promise<void> {
  if (!(await isUnverified(tx, partnerId))) return
  // Two records at once must not both be the tenth.
  await lockHold(tx, partnerId)
  if ((await isUnverified(tx, partnerId)) && (await countWaitingRecords(tx, partnerId)) >= UNVERIFIED_RECORDS_MAX) {
    throw new Conflict(
      'CONFIRM_EMAIL',
      `Confirm your email address first: ${UNVERIFIED_RECORDS_MAX} referrals already wait for it.`,
    )
  }
}
