import * as z from 'zod/mini'
import type { DealRow } from '../../db/tables.ts'
import { defineJob } from '../../jobs/define-job.ts'
import { pushForPartner } from '../../push/push-for-partner.ts'
import { PUSHED_TOGETHER_MAX, pushOthersToo } from '../../push/push-others-too.ts'
import { NOT_REACHED, PUSH_RETRY } from '../../push/push-retry.ts'
import { findDealRow, findWaitingDeals, markDealPushed, markDealPushFailed } from './deals.queries.ts'

/** Found by its LOID, so that a repeat makes no second record in the CRM and changes nothing of the first (D23). */
export const pushDeal = defineJob({
  name: 'push-deal',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId, loid }, signal) {
    const { db, crm } = deps
    const deal = await findDealRow(db, partnerId, loid)
    if (!deal || deal.archived_at || deal.crm === 'synced') return
    const markPushed = (pushedLoid: string, zohoId: string) => markDealPushed(db, partnerId, pushedLoid, zohoId)
    const partnerZohoId = await pushForPartner(deps, partnerId, {
      async push(id) {
        const { zoho_id } = await crm.pushDeal({ ...deal, partner_zoho_id: id }, signal)
        await markPushed(loid, zoho_id)
        return id
      },
      markFailed: (problem) => markDealPushFailed(db, partnerId, loid, problem),
      signal,
    })
    if (partnerZohoId === undefined) return
    const waiting = await findWaitingDeals(db, partnerId, PUSHED_TOGETHER_MAX)
    const push = (deals: readonly DealRow[]) =>
      crm.pushDeals(
        deals.map((one) => ({ ...one, partner_zoho_id: partnerZohoId })),
        signal,
      )
    await pushOthersToo(deps, waiting, push, markPushed)
  },
  giveUp: ({ db }, { partnerId, loid }) => markDealPushFailed(db, partnerId, loid, NOT_REACHED),
})
