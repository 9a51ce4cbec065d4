import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import type { DealRow } from '../../platform/db/tables.ts'
import { defineJob, type Job } from '../../platform/jobs/define-job.ts'
import type { ArrivedRecord } from '../../records/crm-records.ts'
import { DEAL_TABLE } from '../../records/deals/deal-table.ts'
import {
  clearDealSent,
  findDealToPush,
  findWaitingDeals,
  markDealPushFailed,
  markDealsSent,
} from '../../records/deals/deals.queries.ts'
import { markPushed } from '../../records/kinds/crm-rows.queries.ts'
import { isNotTaken, markNotTaken } from '../../records/kinds/not-taken.queries.ts'
import { clearingWhenRefused } from './clearing-when-refused.ts'
import { givePushUp } from './give-up-push.ts'
import { nameDeleted } from './name-deleted.ts'
import { letNotesFollow } from './notes-follow.ts'
import { PULL_QUEUE } from './pull-queue.ts'
import { pushForPartner } from './push-for-partner.ts'
import { pushAlone } from './push-lease.ts'
import { PUSHED_TOGETHER_MAX, pushOthersToo } from './push-others-too.ts'
import { NOT_REACHED, PUSH_RETRY } from './push-retry.ts'

/**
 * Pushes a deal to the CRM, and then other waiting deals of its partner. The job looks for the LOID in the CRM first,
 * so that a repeated push neither creates a second record nor changes the existing record (D23).
 */
export const pushDeal: Job<{ partnerId: string; loid: string }> = defineJob({
  name: 'push-deal',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  retry: PUSH_RETRY,
  async run(deps, { partnerId, loid }, signal) {
    const { db, crm } = deps
    const find = () => findDealToPush(db, partnerId, loid)
    if (!(await find())) return
    const partnerZohoId = await pushForPartner(deps, partnerId, {
      async push(id) {
        await pushAlone(db, { loid, signal }, find, async (deal, untilLeaseEnds) => {
          const [toSend] = await dealsToSend([deal], untilLeaseEnds)
          if (!toSend) return
          const pushed = crm.pushDeal({ ...toSend, partner_zoho_id: id }, untilLeaseEnds, markSent)
          const arrived = await clearingWhenRefused(pushed, () => clearDealSent(db, partnerId, loid))
          await settle(new Map([[loid, arrived]]))
        })
        return id
      },
      markFailed: (problem) => giveUp(deps, { partnerId, loid }, problem),
      markNotTaken: () => markNotTaken(db, { on: 'deals', partnerId, loid }),
      signal,
    })
    if (partnerZohoId === undefined) return
    const findWaiting = () => findWaitingDeals(db, partnerId, PUSHED_TOGETHER_MAX)
    await pushOthersToo(deps, signal, findWaiting, async (waiting, untilLeaseEnds) => {
      const toSend = await dealsToSend(waiting, untilLeaseEnds)
      const pushed = await crm.pushDeals(
        toSend.map((one) => ({ ...one, partner_zoho_id: partnerZohoId })),
        untilLeaseEnds,
        markSent,
      )
      await settle(pushed)
      await deps.jobs.removeDone(db, pushDeal, partnerId, [...pushed.keys()])
      // The CRM refused the other deals.
      for (const one of toSend) if (!pushed.has(one.loid)) await clearDealSent(db, partnerId, one.loid)
    })

    async function settle(pushed: ReadonlyMap<string, ArrivedRecord>): Promise<void> {
      // The first pull takes what the CRM has filled in, so the deal counts as unread until then.
      const unread = Array.from(pushed, ([one, { zoho_id }]) => [one, { zoho_id, modified_time: null }] as const)
      await markPushed(db, 'deals', partnerId, new Map(unread))
      await letNotesFollow(deps, partnerId, [...pushed.keys()])
    }

    /**
     * Marks deals as pushed if an earlier push sent them without getting an answer. Has them pulled, because staff may
     * have given them to other partners in the meantime.
     */
    async function markArrived(there: ReadonlyMap<string, string>): Promise<void> {
      if (there.size === 0) return
      await db.transaction().execute(async (tx) => {
        const arrived = Array.from(there, ([loid, zoho_id]) => [loid, { zoho_id, modified_time: null }] as const)
        await markPushed(tx, 'deals', partnerId, new Map(arrived))
        await deps.jobs.enqueue(tx, PULL_QUEUE, { module: 'Deals', zohoIds: [...there.values()] })
      })
      await letNotesFollow(deps, partnerId, [...there.keys()])
    }

    function markSent(loids: readonly string[]): Promise<void> {
      return markDealsSent(db, partnerId, loids, crm.now().toISOString())
    }

    /** Finds the deals that no earlier push has brought to the CRM. */
    async function dealsToSend(deals: readonly DealRow[], untilLeaseEnds: AbortSignal): Promise<DealRow[]> {
      const sent = deals.flatMap((one) => (one.crm_sent_at === null ? [] : { ...one, sent_at: one.crm_sent_at }))
      const { there, deleted } = await crm.findSentDeals(sent, untilLeaseEnds)
      await markArrived(there)
      const gone = await nameDeleted(deps, DEAL_TABLE, deleted)
      return deals.filter((one) => !there.has(one.loid) && !gone.has(one.loid))
    }
  },
  async giveUp(deps, payload) {
    if (await isNotTaken(deps.db, { on: 'deals', ...payload })) await deps.jobs.enqueue(deps.db, pushDeal, payload)
    else await giveUp(deps, payload, NOT_REACHED)
  },
})

function giveUp(deps: Deps, { partnerId, loid }: { partnerId: string; loid: string }, problem: string): Promise<void> {
  return givePushUp(deps, partnerId, 'deal', (tx) => markDealPushFailed(tx, partnerId, loid, problem))
}
