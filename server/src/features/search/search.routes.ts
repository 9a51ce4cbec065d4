import { search } from '@portal/contract/search.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../http/mount.ts'
import { searchDeals, searchLeads } from './search.queries.ts'

const NOTHING = { rows: [], total: 0 }

export function searchRoutes(mount: Mount, deps: Deps): void {
  mount(search, async ({ partner, query: { q, type, ...paging } }) => {
    const [leads, deals] = await Promise.all([
      type === 'deals' || type === 'deal' ? NOTHING : searchLeads(deps, partner, q, paging),
      type === 'leads' || type === 'lead' ? NOTHING : searchDeals(deps, partner.id, q, paging),
    ])
    return { leads: leads.rows, deals: deals.rows, total_leads: leads.total, total_deals: deals.total }
  })
}
