import * as z from 'zod/mini'
import type { DealRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { clearingWhenRefused } from '../../push/clearing-when-refused.ts'
import { givePushUp } from '../../push/give-up-push.ts'
import { nameDeleted } from '../../push/name-deleted.ts'
import { letNotesFollow } from '../../push/notes-follow.ts'
import { pushForPartner } from '../../push/push-for-partner.ts'
import { PUSHED_TOGETHER_MAX, pushOthersToo } from '../../push/push-others-too.ts'
import { NOT_REACHED, PUSH_RETRY } from '../../push/push-retry.ts'
import { DEAL_TABLE } from './deal-table.ts'
import {
  clearDealSent,
  findDealRow,
  findWaitingDeals,
  markDealPushed,
  markDealPushFailed,
  markDealsSent,
} from './deals.queries.ts'

/** Found by its LOID, so that a repeat makes no second record in the CRM and changes nothing of the first (D23). */
export const pushDeal = defineJob({
  name: 'push-deal',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId, loid }, signal) {
    const { db, crm } = deps
    const deal = await findDealRow(db, partnerId, loid)
    if (!deal || deal.archived_at || deal.crm === 'synced' || deal.erased_at) return
    const markPushed = async (pushedLoid: string, zohoId: string) => {
      await markDealPushed(db, partnerId, pushedLoid, zohoId)
      await letNotesFollow(deps, partnerId, pushedLoid)
    }
    const partnerZohoId = await pushForPartner(deps, partnerId, {
      async push(id) {
        const [toSend] = await dealsToSend([deal])
        if (!toSend) return id
        const pushed = crm.pushDeal({ ...toSend, partner_zoho_id: id }, signal)
        const { zoho_id } = await clearingWhenRefused(pushed, () => clearDealSent(db, partnerId, loid))
        await markPushed(loid, zoho_id)
        return id
      },
      markFailed: (problem) => giveUp(deps, { partnerId, loid }, problem),
      signal,
    })
    if (partnerZohoId === undefined) return
    const waiting = await findWaitingDeals(db, partnerId, PUSHED_TOGETHER_MAX)
    const push = async (deals: readonly DealRow[]) =>
      crm.pushDeals(
        (await dealsToSend(deals)).map((one) => ({ ...one, partner_zoho_id: partnerZohoId })),
        signal,
      )
    await pushOthersToo(deps, waiting, push, markPushed)

    /** Those that staff did not delete after an earlier push, each with a mark that it is sent. */
    async function dealsToSend(deals: readonly DealRow[]): Promise<DealRow[]> {
      const sent = deals.flatMap((one) => (one.crm_sent_at === null ? [] : { ...one, sent_at: one.crm_sent_at }))
      const deleted = await nameDeleted(deps, DEAL_TABLE, await crm.findDeletedDeals(sent, signal))
      const remaining = deals.filter((one) => !deleted.has(one.loid))
      const loids = remaining.map((one) => one.loid)
      await markDealsSent(db, partnerId, loids, crm.now().toISOString())
      return remaining
    }
  },
  giveUp: (deps, payload) => giveUp(deps, payload, NOT_REACHED),
})

function giveUp(deps: Deps, { partnerId, loid }: { partnerId: string; loid: string }, problem: string): Promise<void> {
  return givePushUp(deps, partnerId, 'deal', (tx) => markDealPushFailed(tx, partnerId, loid, problem))
}
