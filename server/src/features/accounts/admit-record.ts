import { UNVERIFIED_RECORDS_MAX } from '@portal/contract/limits.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { Conflict } from '../../platform/errors.ts'
import type { Limit } from '../../platform/http/rate-limit.ts'
import { countWaitingRecords, isUnverified, lockHold } from '../../records/partners/partners-in-crm.queries.ts'

interface SubmitCall<Answer> {
  once: (work: (tx: Tx) => Promise<Answer>) => Promise<Answer>
  limit: Limit
  partner: { id: string }
}

/**
 * Stores a new lead or deal with `work`, unless the partner is over its limits (which the form and the API key share),
 * or as many of its records wait for a verified address as may (D122).
 */
export async function admitRecord<Answer>(
  { config }: Pick<Deps, 'config'>,
  { once, limit, partner }: SubmitCall<Answer>,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  await limit(perPeriod('records-day', config.recordsPerDay, 86_400, 'a day'), partner.id)
  await limit(perPeriod('records-minute', config.recordsPerMinute, 60, 'a minute'), partner.id)
  return once(async (tx) => {
    if (config.holdUnverified) await refuseBeyondHeld(tx, partner.id)
    return work(tx)
  })
}

function perPeriod(name: string, points: number, seconds: number, period: string) {
  return { name, points, seconds, text: `Too many new records: at most ${points} ${period}.` }
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
