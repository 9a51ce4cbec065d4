import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { underLease } from '../../platform/db/lease.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import {
  findPartnerToPush,
  markPartnerPushed,
  markPartnerPushFailed,
} from '../../records/partners/partners-in-crm.queries.ts'
import { CONNECT_QUEUE } from '../queues.ts'
import { givingUpWhenRefused } from './giving-up-when-refused.ts'
import { linkOrHold } from './link-or-hold.ts'
import { waitWhileHeld } from './partner-held.ts'
import { PUSH_LEASE } from './push-lease.ts'
import { NOT_REACHED, PUSH_RETRY } from './push-retry.ts'

export const pushPartner = defineJob({
  name: 'push-partner',
  payload: z.object({ partnerId: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId }, signal) {
    const pushed = pushPartnerNow(deps, partnerId, { signal }).catch(waitWhileHeld)
    await givingUpWhenRefused(pushed, {
      markFailed: (problem) => markPartnerPushFailed(deps.db, partnerId, problem),
    })
  },
  giveUp: ({ db }, { partnerId }) => markPartnerPushFailed(db, partnerId, NOT_REACHED),
})

/**
 * Creates or updates the partner's CRM record and returns the record's id, or undefined if the partner is gone.
 * `useless` is an id that the CRM did not accept, or null if the caller had no id. If the partner already has a
 * different id, this function returns that id without a push. If `useless` is absent and the record is up to date, this
 * function returns the partner's id without a push.
 *
 * Only one push of a partner runs at a time, across all processes, because two simultaneous pushes would both find no
 * record in the CRM and create two records. A caller that waits too long for another push gets `CrmUnavailable`.
 * Waiting holds no database connection.
 *
 * Throws `PartnerHeld` while the partner is held (D121, D122).
 */
export async function pushPartnerNow(
  { db, crm, jobs, config }: Pick<Deps, 'db' | 'crm' | 'jobs' | 'config'>,
  partnerId: string,
  {
    signal,
    useless,
    waitMs = PUSH_LEASE.waitMs,
  }: { signal?: AbortSignal | undefined; useless?: string | null; waitMs?: number },
): Promise<string | undefined> {
  const lease = { name: `push-partner ${partnerId}`, ...PUSH_LEASE, waitMs, signal }
  const pushed = await underLease(db, lease, look, push)
  if (!pushed)
    throw new CrmUnavailable('The CRM does not answer at the moment.', new Error('another push is under way'))
  return pushed.zohoId

  async function look(): Promise<{ zohoId: string | undefined } | undefined> {
    const partner = await findPartnerToPush(db, partnerId)
    if (!partner) return { zohoId: undefined }
    const isDone = useless === undefined ? partner.crm === 'synced' : partner.zoho_id !== useless
    return isDone && partner.zoho_id !== null ? { zohoId: partner.zoho_id } : undefined
  }

  async function push(untilLeaseEnds: AbortSignal): Promise<{ zohoId: string | undefined }> {
    const partner = await findPartnerToPush(db, partnerId)
    if (!partner) return { zohoId: undefined }
    const pushed = await linkOrHold({ db, crm, config }, partner, untilLeaseEnds)
    await db.transaction().execute(async (tx) => {
      const { isConnected } = await markPartnerPushed(tx, partnerId, pushed, partner)
      if (isConnected) await jobs.enqueue(tx, CONNECT_QUEUE, { partnerId })
    })
    return { zohoId: pushed.zoho_id }
  }
}
