import { DEAL_STAGES } from '@portal/contract/choices.ts'
import {
  exportDeals,
  listDeals,
  listStages,
  readDeal,
  readStageHistory,
  retryDealPush,
} from '@portal/contract/deals.ts'
import { MINE } from '@portal/contract/submitted-by.ts'
import { pullDetailsOf } from '../../crm/pull/details/pull-details.ts'
import { pushDeal } from '../../crm/push/push-deal.job.ts'
import { pushNote } from '../../crm/push/push-note.job.ts'
import { retryPush } from '../../crm/push/retry-push.ts'
import { crmChoices } from '../../crm/zoho/choices.ts'
import type { Deps } from '../../deps.ts'
import { isPlainFirstPage } from '../../platform/db/find-page.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { findDeals, findNewestDeals } from '../../records/deals/deal-list.queries.ts'
import { getDeal, getDealLoid } from '../../records/deals/deals.queries.ts'
import { findHistory } from '../../records/histories/history.queries.ts'
import { dealWithSide } from '../../records/histories/with-side.ts'
import { reviveFailed } from '../../records/kinds/pushed.queries.ts'
import { countByValue } from '../../records/kinds/record-counts.queries.ts'
import { findLead, findLeadKeys } from '../../records/leads/leads.queries.ts'
import { findNotes, reviveFailedNotes } from '../../records/notes/notes.queries.ts'
import { findRequests } from '../../records/requests/requests.queries.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { dealFile } from './deal-file.ts'
import { withReferral } from './with-referral.ts'

export function dealRoutes(mount: Mount, deps: Deps): void {
  const { db, reads, clock, config } = deps
  const notPartnersTurn = deps.statusMeanings.notPartnersTurn['deal-stage']

  mount(listDeals, async ({ partner, query: asked, fromReplica }) => {
    const query = { ...asked, person: asked.person === MINE ? partner.personId : asked.person }
    const page = await fromReplica((from) =>
      isPlainFirstPage(query)
        ? findNewestDeals(from.reads, partner.id, query.limit, notPartnersTurn)
        : findDeals(from, partner.id, query, config.timezone, deps.statusMeanings),
    )
    return { data: { deals: page.rows.map((deal) => dealWithSide(deps, deal)) }, pagination: page.pagination }
  })
  mount(exportDeals, (call) => dealFile(deps, call))
  mount(readDeal, async ({ partner, params }) => {
    const deal = await getDeal(reads, partner.id, params.id)
    if (deal.is_due) await pullDetailsOf(deps, 'Deals', partner.id, deal.loid)
    const [notes, requests, leads] = await Promise.all([
      findNotes(reads, partner.id, deal.loid),
      findRequests(reads, partner.id, deal.loid),
      findLeadKeys(reads, partner.id, deal.loid),
    ])
    const found = await Promise.all(leads.map(({ loid }) => findLead(reads, partner, loid)))
    const shown = withReferral(
      deal,
      found.flatMap((lead) => lead ?? []),
    )
    return { deal: dealWithSide(deps, shown), notes, requests, converted_from_lead: leads.length > 0 }
  })
  mount(readStageHistory, async ({ partner, params }) => {
    const loid = await getDealLoid(db, partner.id, params.id)
    await pullDetailsOf(deps, 'Deals', partner.id, loid)
    const entries = await findHistory(reads, 'deal-stage', partner.id, [{ loid, ended_at: null }], clock.now())
    return entries.map(({ value, ...entry }) => ({ ...entry, stage: value }))
  })
  mount(retryDealPush, async (call) => {
    const { partner, params } = call
    await limitPartner(deps, call, 'retries')
    const { loid, crm } = await getDeal(reads, partner.id, params.id)
    const isRevived = await retryPush(deps, pushDeal, (tx) => reviveFailed(tx, 'deals', partner.id, loid))
    await retryPush(deps, pushNote, (tx) => reviveFailedNotes(tx, partner.id, { loid }))
    return { loid, crm: isRevived ? 'pending' : crm }
  })
  mount(listStages, async ({ partner }) => {
    const [stages, counts] = await Promise.all([
      crmChoices(deps, 'deal-stage', DEAL_STAGES),
      countByValue(deps.reads, partner.id, 'deal'),
    ])
    return { stages: [...stages], counts }
  })
}
