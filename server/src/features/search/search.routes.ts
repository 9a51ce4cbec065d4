import { search } from '@portal/contract/search.ts'
import type { Mount } from '../../http/mount.ts'
import { searchDeals, searchLeads } from './search.queries.ts'

const NOTHING = { rows: [], total: 0 }

export function searchRoutes(mount: Mount): void {
  mount(search, async ({ partner, query: { q, type, ...paging }, fromReplica }) => {
    const [leads, deals] = await fromReplica((from) =>
      Promise.all([
        type === 'deals' || type === 'deal' ? NOTHING : searchLeads(from, partner, q, paging),
        type === 'leads' || type === 'lead' ? NOTHING : searchDeals(from, partner.id, q, paging),
      ]),
    )
    return { leads: leads.rows, deals: deals.rows, total_leads: leads.total, total_deals: deals.total }
  })
}
