import { search } from '@portal/contract/search.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { dealsWithSide, leadsWithSide } from '../../records/histories/with-side.ts'
import { searchDeals, searchLeads } from './search.queries.ts'

const NOTHING = { rows: [], total: 0 }

export function searchRoutes(mount: Mount, deps: Pick<Deps, 'reads' | 'statusMeanings'>): void {
  mount(search, async ({ partner, query: { q, type, ...paging }, fromReplica }) => {
    const [leads, deals] = await fromReplica((from) =>
      Promise.all([
        type === 'deals' || type === 'deal' ? NOTHING : searchLeads(from, partner, q, paging),
        type === 'leads' || type === 'lead' ? NOTHING : searchDeals(from, partner.id, q, paging),
      ]),
    )
    return {
      leads: await leadsWithSide(deps, partner.id, leads.rows),
      deals: await dealsWithSide(deps, partner.id, deals.rows),
      total_leads: leads.total,
      total_deals: deals.total,
    }
  })
}
