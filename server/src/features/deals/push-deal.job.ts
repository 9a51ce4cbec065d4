import * as z from 'zod/mini'
import { defineJob } from '../../jobs/define-job.ts'
import { findPartner } from '../accounts/accounts.queries.ts'
import { PUSH_RETRY, pushPartnerNow } from '../accounts/push-partner.job.ts'
import { givingUpWhenRefused } from '../accounts/refused.ts'
import { findDealRow, markDealPushed, markDealPushFailed } from './deals.queries.ts'

/** An upsert by LOID: a repeat makes no second record in the CRM (D23). */
export const pushDeal = defineJob({
  name: 'push-deal',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run({ db, crm }, { partnerId, loid }, signal) {
    const deal = await findDealRow(db, partnerId, loid)
    if (!deal || deal.archived_at || deal.crm === 'synced') return
    const partner = await findPartner(db, partnerId)
    const partnerZohoId =
      partner?.zoho_id ?? (await givingUpWhenRefused(pushPartnerNow({ db, crm }, partnerId, signal)))
    if (partnerZohoId === undefined) return
    const push = crm.upsertDeal({ ...deal, partner_zoho_id: partnerZohoId }, signal)
    const { zoho_id } = await givingUpWhenRefused(push)
    await markDealPushed(db, partnerId, loid, zoho_id)
  },
  giveUp: ({ db }, { partnerId, loid }) => markDealPushFailed(db, partnerId, loid),
})
