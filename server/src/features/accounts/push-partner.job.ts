import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { findPartner, markPartnerPushed, markPartnerPushFailed } from './accounts.queries.ts'

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
