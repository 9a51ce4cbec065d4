import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { CrmPartnerGone } from '../../zoho/errors.ts'
import { findPartner, markPartnerGone, markPartnerPushed, markPartnerPushFailed } from './accounts.queries.ts'

/** How everything that waits for the CRM is retried (D23). */
export const PUSH_RETRY = { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 7 }

export const pushPartner = defineJob({
  name: 'push-partner',
  payload: z.object({ partnerId: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId }, signal) {
    await pushPartnerNow(deps, partnerId, signal)
  },
  giveUp: ({ db }, { partnerId }) => markPartnerPushFailed(db, partnerId),
})

/** The partner's CRM id, after its record there was made or brought up to date. Undefined when the partner is gone. */
export async function pushPartnerNow(
  { db, crm }: Pick<Deps, 'db' | 'crm'>,
  partnerId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const partner = await findPartner(db, partnerId)
  if (!partner) return undefined
  const zohoId = await crm.upsertPartner(partner, signal)
  await markPartnerPushed(db, partnerId, zohoId, partner.modified_time)
  return zohoId
}

const RENEWAL_MS_MAX = 5_000
const LOOK_EVERY_MS = 100

/**
 * For a push that met `CrmPartnerGone`: whoever deleted the record in the CRM, the partner gets one again, and this is its
 * id. One job makes it, however many pushes found it gone. When that takes long, they are tried again by their own retry.
 */
export async function renewPartnerRecord(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  partnerId: string,
  goneZohoId: string,
): Promise<string> {
  await db.transaction().execute(async (tx) => {
    if (await markPartnerGone(tx, partnerId, goneZohoId)) await jobs.enqueue(tx, pushPartner, { partnerId })
  })
  const deadline = performance.now() + RENEWAL_MS_MAX
  while (performance.now() < deadline) {
    const zohoId = (await findPartner(db, partnerId))?.zoho_id
    if (zohoId && zohoId !== goneZohoId) return zohoId
    await sleep(LOOK_EVERY_MS)
  }
  throw new CrmPartnerGone('The partner’s record in the CRM was deleted and is being made again.')
}
