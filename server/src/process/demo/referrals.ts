import { DealFilters } from '@portal/contract/deals.ts'
import { LeadFilters } from '@portal/contract/leads.ts'
import { PAGE_SIZE_MAX } from '@portal/contract/limits.ts'
import type { Deps } from '../../deps.ts'
import { findPersonByEmail } from '../../features/accounts/people.queries.ts'
import { findDeals } from '../../records/deals/deal-list.queries.ts'
import { findLeads } from '../../records/leads/lead-list.queries.ts'
import { MIA } from './cast.ts'

export interface Referral {
  loid: string
  on: 'lead' | 'deal'
  amount: number | null
  loanType: string | null
}

/** The LOIDs of the demo's referrals, by business. */
export class Referrals extends Map<string, Referral> {
  async learn(deps: Deps): Promise<void> {
    const mia = await findPersonByEmail(deps.db, MIA.email)
    if (!mia) return
    const owner = { id: mia.partner_id, businessName: mia.business_name }
    const all = { limit: PAGE_SIZE_MAX }
    const { config, statusMeanings } = deps
    const leads = await findLeads(deps, owner, LeadFilters.parse(all), config.timezone, statusMeanings)
    const deals = await findDeals(deps, owner.id, DealFilters.parse(all), config.timezone, statusMeanings)
    for (const { business_name, loid, loan_amount: amount, loan_type: loanType } of leads.rows) {
      if (business_name) this.set(business_name, { loid, on: 'lead', amount, loanType })
    }
    for (const { business_name, loid, amount, loan_type: loanType } of deals.rows) {
      if (business_name) this.set(business_name, { loid, on: 'deal', amount, loanType })
    }
  }

  find(business: string): Referral {
    const found = this.get(business)
    if (!found) throw new Error(`the demo has no referral of ${business}`)
    return found
  }
}
