import { type Crm, partnerOf } from './crm.ts'
import type { Ledger } from './ledger.ts'
import type { Partner } from './partners.ts'

/**
 * Returns a function that looks at what each partner sees. A partner that saw two records or more and sees none is a fault
 * if the CRM still has two of them, and not with another partner (D123).
 */
export function watchPortfolios(crm: Crm, partners: readonly Partner[], zohoIds: readonly string[], ledger: Ledger) {
  /** What each partner saw when it last saw two records or more. */
  const seen = new Map<number, ReadonlySet<string>>()
  return async () => {
    for (const partner of partners) {
      const before = seen.get(partner.number)
      const now = await shownTo(partner)
      if (now.size > 1) seen.set(partner.number, now)
      if (now.size > 0 || !before) continue
      seen.delete(partner.number)
      const others = new Set(zohoIds.filter((_, number) => number !== partner.number))
      const left = [...(await crm.list('Leads', FIELDS)), ...(await crm.list('Deals', FIELDS))].filter(
        (row) => before.has(String(row['LOID'])) && row['Converted__s'] !== true && !others.has(partnerOf(row)),
      )
      if (left.length > 1)
        ledger.faults.push(`partner ${partner.number} saw nothing of ${left.length} records of the CRM`)
    }
  }
}

const FIELDS = ['LOID', 'Partner', 'Converted__s']

/** The LOIDs of the partner's newest leads and deals. */
async function shownTo(partner: Partner): Promise<ReadonlySet<string>> {
  const loids = new Set<string>()
  for (const list of ['leads', 'deals']) {
    const { body } = await partner.get(`/dashboard/${list}?limit=100`)
    for (const { loid } of body.data[list]) loids.add(String(loid))
  }
  return loids
}
