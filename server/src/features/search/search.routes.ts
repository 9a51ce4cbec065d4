import { search } from '@portal/contract/search.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../http/mount.ts'
import { searchDeals, searchLeads } from './search.queries.ts'

const NOTHING = { rows: [], total: 0 }

export function searchRoutes(mount: Mount, { db }: Deps): void {
  mount(search, async ({ partner, query: { q, type } }) => {
    const [leads, deals] = await Promise.all([
      type === 'deals' ? NOTHING : searchLeads(db, partner, q),
      type === 'leads' ? NOTHING : searchDeals(db, partner.id, q),
    ])
    return { leads: leads.rows, deals: deals.rows, total_leads: leads.total, total_deals: deals.total }
  })
}
