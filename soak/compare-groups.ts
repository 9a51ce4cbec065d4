import type { Difference } from './compare.ts'
import type { CrmRow } from './crm.ts'
import type { Partner } from './partners.ts'
import type { World } from './world.ts'

/** The portal's name of each value of a lead and of a payment, with the CRM's. */
const VERDICT = {
  partner_verdict: 'Partner_Verdict',
  verdict_reason: 'Verdict_Reason',
  protected_until: 'Protected_Until',
}
const PAYMENT = {
  amount: 'Partner_Commission',
  status: 'Commission_Status',
  paid_on: 'Commission_Paid_On',
  note: 'Commission_Note',
}
const MANAGER = { name: 'Partner_Manager_Name', phone: 'Partner_Manager_Phone', email: 'Partner_Manager_Email' }
const TAX = { abn: 'ABN', gst_registered: 'GST_Registered' }

/**
 * Returns the differences in the optional groups of fields between the portal and the CRM, both at rest (D110–D114). Rows that
 * only one of the two has are left to `compare`.
 */
export async function compareGroups({ crm }: World, partners: readonly Partner[]): Promise<Difference[]> {
  const differences: Difference[] = []
  const differ = (what: string) => differences.push({ what, log: [] })
  const [crmPartners, crmLeads, crmDeals] = await Promise.all([
    crm.list('Partners', ['Email', ...Object.values(MANAGER), ...Object.values(TAX)]),
    crm.list('Leads', ['LOID', 'Converted__s', ...Object.values(VERDICT)]),
    crm.list('Deals', ['LOID', ...Object.values(PAYMENT)]),
  ])
  const openLeads = crmLeads.filter((row) => row['Converted__s'] !== true)
  const [leadOf, dealOf] = [openLeads, crmDeals].map((rows) => new Map(rows.map((row) => [row['LOID'], row])))

  function compareValues(title: string, portal: object, row: CrmRow | undefined, names: Record<string, string>) {
    const values = new Map(Object.entries(portal))
    for (const [name, inCrm] of Object.entries(names)) {
      const [shown, entered] = [values.get(name) ?? null, row?.[inCrm] ?? null]
      if (shown !== entered) differ(`${title} ${name}: portal ${JSON.stringify(shown)}, CRM ${JSON.stringify(entered)}`)
    }
  }

  for (const partner of partners) {
    const record = crmPartners.find((one) => one['Email'] === partner.email)
    const { tax } = (await partner.get('/profile')).body.data
    const { manager } = (await partner.verify()).body.data
    compareValues(`tax details of partner ${partner.number}`, tax ?? {}, record, TAX)
    compareValues(`manager of partner ${partner.number}`, manager ?? {}, record, MANAGER)
    for (const { leads } of await readPages(partner, '/dashboard/leads')) {
      for (const lead of leads)
        if (leadOf?.has(lead.loid)) compareValues(lead.loid, lead, leadOf.get(lead.loid), VERDICT)
    }
    const pages = await readPages(partner, '/payments')
    const rows: { loid: string; amount: number | null }[] = pages.flatMap((page) => page.payments)
    const payments = new Map(rows.map((one) => [one.loid, one]))
    for (const { deals } of await readPages(partner, '/dashboard/deals')) {
      for (const { loid } of deals)
        if (dealOf?.has(loid)) compareValues(loid, payments.get(loid) ?? {}, dealOf.get(loid), PAYMENT)
    }
    const rowsCents = centsOf(rows.map(({ amount }) => amount))
    const sumsCents = centsOf(pages.at(-1)?.sums.by_status.map(({ sum }: { sum: number }) => sum) ?? [])
    if (rowsCents !== sumsCents)
      differ(`payments of partner ${partner.number}: rows ${rowsCents} cents, sums ${sumsCents}`)
  }
  return differences
}

// oxlint-disable-next-line typescript/no-explicit-any -- as in partners.ts
async function readPages(partner: Partner, path: string): Promise<any[]> {
  const pages = []
  for (let page = 1; ; page++) {
    const { body } = await partner.get(`${path}?limit=100&page=${page}`)
    pages.push(body.data)
    if (!body.pagination.has_more) return pages
  }
}

function centsOf(amounts: readonly (number | null)[]): number {
  return amounts.reduce<number>((sum, amount) => sum + Math.round((amount ?? 0) * 100), 0)
}
