import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { CrmPartnerGone } from '../../zoho/errors.ts'
import { findPartner, markPartnerGone, markPartnerPushed, markPartnerPushFailed } from './accounts.queries.ts'
import { givingUpWhenRefused } from './refused.ts'

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

/**
 * Pushes what names its partner in the CRM by an id. A partner who is not there yet gets a record first, and one whose
 * record was deleted gets another. Undefined when the partner is gone.
 */
export async function pushForPartner<Result>(
  deps: Pick<Deps, 'db' | 'crm' | 'jobs'>,
  partnerId: string,
  push: (partnerZohoId: string) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  const partner = await findPartner(deps.db, partnerId)
  const zohoId = partner?.zoho_id ?? (await givingUpWhenRefused(pushPartnerNow(deps, partnerId, signal)))
  if (zohoId === undefined) return undefined
  const pushed = push(zohoId).catch(async (error: unknown) => {
    if (!(error instanceof CrmPartnerGone)) throw error
    return push(await renewPartnerRecord(deps, partnerId, zohoId))
  })
  return givingUpWhenRefused(pushed)
}

const RENEWAL_MS_MAX = 5_000
const LOOK_EVERY_MS = 100

/**
 * The id of the record that takes the place of a deleted one. One job makes it, however many pushes found the old one gone.
 * When that takes long, they are tried again by their own retry.
 */
async function renewPartnerRecord(
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
