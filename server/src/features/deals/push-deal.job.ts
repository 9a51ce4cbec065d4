import * as z from 'zod/mini'
import { defineJob } from '../../jobs/define-job.ts'
import { pushForPartner } from '../../push/push-for-partner.ts'
import { PUSH_RETRY } from '../../push/push-retry.ts'
import { findDealRow, markDealPushed, markDealPushFailed } from './deals.queries.ts'

/** An upsert by LOID: a repeat makes no second record in the CRM (D23). */
export const pushDeal = defineJob({
  name: 'push-deal',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId, loid }, signal) {
    const { db, crm } = deps
    const deal = await findDealRow(db, partnerId, loid)
    if (!deal || deal.archived_at || deal.crm === 'synced') return
    const push = (partnerZohoId: string) => crm.upsertDeal({ ...deal, partner_zoho_id: partnerZohoId }, signal)
    const pushed = await pushForPartner(deps, partnerId, push, signal)
    if (pushed) await markDealPushed(db, partnerId, loid, pushed.zoho_id)
  },
  giveUp: ({ db }, { partnerId, loid }) => markDealPushFailed(db, partnerId, loid),
})
