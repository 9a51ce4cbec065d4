import { HOLDS } from '@portal/contract/holds.ts'
import { WAITING_RECORDS_MAX } from '@portal/contract/limits.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { writeTogether } from '../../platform/db/write-together.ts'
import { Conflict } from '../../platform/errors.ts'
import type { Creation } from '../../platform/http/idempotency.ts'
import type { Limit } from '../../platform/http/rate-limit.ts'
import { countWaitingRecords, findWait, lockHold } from '../../records/partners/partners-in-crm.queries.ts'
import { requireAgreement } from './agreement/require-agreement.ts'
import { limitPartner } from './limit-partner.ts'

interface SubmitCall<Answer> {
  once: (work: (tx: Tx) => Promise<Answer>) => Promise<Answer>
  create: (creation: Creation<Answer>) => Promise<Answer>
  limit: Limit
  partner: { id: string }
}

/**
 * Stores the new lead or deal that `prepare` returns. Refuses it if the partner is over its limits, which the form and the
 * API key share; if an owner must accept the lender's agreement first (D113); or if too many of the partner's records
 * wait for a verified address (D122) or for the lender's word (D116).
 */
export async function admitRecord<Answer>(
  deps: Pick<Deps, 'db' | 'reads' | 'config' | 'clock' | 'agreement'>,
  call: SubmitCall<Answer>,
  prepare: () => Promise<Creation<Answer>>,
): Promise<Answer> {
  const { db, reads, config } = deps
  const partnerId = call.partner.id
  const preparing = Promise.all([prepare(), findWait(reads, partnerId, config), requireAgreement(db, deps, partnerId)])
  preparing.catch(() => undefined)
  await limitPartner(deps, call, 'records')
  const [creation, wait] = await preparing
  if (wait === null) return call.create(creation)
  return call.once(async (tx) => {
    await admitNow(tx, deps, partnerId)
    await writeTogether(tx, creation.writes)
    return creation.answer
  })
}

/**
 * Throws `Conflict` if the lender's agreement is missing, or if as many of the partner's records wait for a verified
 * address or the lender's word as may.
 */
export async function admitNow(
  tx: Tx,
  deps: Pick<Deps, 'config' | 'clock' | 'agreement'>,
  partnerId: string,
): Promise<void> {
  await requireAgreement(tx, deps, partnerId)
  await refuseBeyondHeld(tx, deps, partnerId)
}

async function refuseBeyondHeld(tx: Tx, { config }: Pick<Deps, 'config'>, partnerId: string): Promise<void> {
  if ((await findWait(tx, partnerId, config)) === null) return
  // Two records at once must not both be the tenth.
  await lockHold(tx, partnerId)
  const wait = await findWait(tx, partnerId, config)
  if (wait === null || (await countWaitingRecords(tx, partnerId)) < WAITING_RECORDS_MAX) return
  throw wait === 'unverified'
    ? new Conflict(
        'CONFIRM_EMAIL',
        `Confirm your email address first: ${WAITING_RECORDS_MAX} referrals already wait for it.`,
      )
    : new Conflict('ACCOUNT_PENDING', `${HOLDS.pending.text}. ${WAITING_RECORDS_MAX} referrals already wait for that.`)
}
