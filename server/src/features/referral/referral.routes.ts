import { readDealTimeline, readLeadTimeline } from '@portal/contract/timeline.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { getDeal } from '../../records/deals/deals.queries.ts'
import { getLead } from '../../records/leads/leads.queries.ts'
import { readTimeline } from './read-timeline.ts'

export function referralRoutes(mount: Mount, deps: Deps): void {
  mount(readLeadTimeline, async ({ partner, params, query }) => {
    const lead = await getLead(deps.reads, partner, params.id)
    return readTimeline(deps, partner, lead.converted_to_deal?.loid ?? lead.loid, query.before)
  })
  mount(readDealTimeline, async ({ partner, params, query }) => {
    const { loid } = await getDeal(deps.reads, partner.id, params.id)
    return readTimeline(deps, partner, loid, query.before)
  })
}
