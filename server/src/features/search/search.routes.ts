import { search } from '@portal/contract/search.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { dealWithSide, leadWithSide } from '../../records/histories/with-side.ts'
import { searchDeals, searchLeads } from './search.queries.ts'

const NOTHING = { rows: [], total: 0 }

export function searchRoutes(mount: Mount, deps: Pick<Deps, 'statusMeanings'>): void {
  const { notPartnersTurn } = deps.statusMeanings
  mount(search, async ({ partner, query: { q, type, ...paging }, fromReplica }) => {
    const [leads, deals] = await fromReplica((from) =>
      Promise.all([
        type === 'deals' || type === 'deal'
          ? NOTHING
          : searchLeads(from, partner, q, paging, notPartnersTurn['lead-status']),
        type === 'leads' || type === 'lead'
          ? NOTHING
          : searchDeals(from, partner.id, q, paging, notPartnersTurn['deal-stage']),
      ]),
    )
    return {
      leads: leads.rows.map((lead) => leadWithSide(deps, lead)),
      deals: deals.rows.map((deal) => ({ ...dealWithSide(deps, deal), contact_person: deal.contact_name })),
      total_leads: leads.total,
      total_deals: deals.total,
    }
  })
}
