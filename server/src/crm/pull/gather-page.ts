import type { CrmBatch, CrmDeal, CrmHistoryEntry, CrmLead, CrmModule } from '../../records/crm-records.ts'
import { DEAL_TABLE, type NamedCrmDeal, type StoredDeal } from '../../records/deals/deal-table.ts'
import { findRowsOfAllPartners } from '../../records/kinds/crm-rows.queries.ts'
import type { RecordRow } from '../../records/kinds/crm-table.ts'
import { LEAD_TABLE, type NamedCrmLead, type StoredLead } from '../../records/leads/lead-table.ts'
import { findLeadsWithoutDealOfAllPartners } from '../../records/leads/matching.queries.ts'
import { chooseLoids, findChosenLoids } from '../../records/loids/loids.queries.ts'
import { applyPage, type Page, type Unit } from '../apply/apply-page.ts'
import { isOutdated, isSameVersion } from '../zoho/applied-time.ts'
import type { Applied, PageTally, Pull, PulledPartner } from './pull.ts'
import { readDealHistories, readEach } from './read-each.ts'

/**
 * This many histories are read at once. Zoho permits ten calls at once, so two remain for pushes while only one process
 * calls the CRM.
 */
const HISTORIES_AT_ONCE = 8

type Owners = ReadonlyMap<string, PulledPartner>
type Gathered = Pick<Page, 'units' | 'told'>

/** Gathers what is needed to apply these leads or deals, and applies them together. */
export async function gatherAndApply(
  pull: Pull,
  owners: Owners,
  records: readonly (CrmLead | CrmDeal)[],
  { tally, ...read }: Pick<Page, 'readAt' | 'notesDue'> & { tally: PageTally | undefined },
): Promise<Applied> {
  const gathered = await gatherPage(pull, owners, records)
  const isNews = await pull.newsOf(gathered.units.map((unit) => unit.partnerId))
  return applyPage(pull.deps, { ...gathered, ...read, isNews }, tally)
}

/**
 * Reads everything from the CRM that is needed to apply these leads or deals: the deals of converted leads, the leads
 * that were converted into deals, and the histories of changed records. Gives LOIDs to records that lack them. Leaves
 * out records that have not changed.
 */
async function gatherPage(pull: Pull, owners: Owners, records: readonly (CrmLead | CrmDeal)[]): Promise<Gathered> {
  const deals = await nameDeals(
    pull,
    owners,
    records.flatMap((record) => (isLead(record) ? [] : record)),
  )
  const converted = await leadsOf(pull, owners, deals)
  const leads = await nameLeads(pull, owners, [...records.filter(isLead), ...converted])
  return gather(pull, owners, { leads: leads.leads, leadRows: leads.rows, deals: deals.deals, dealRows: deals.rows })
}

/**
 * Reads the leads of deals that are new to their partner. If such a deal has the LOID of a lead that has no deal yet,
 * and the CRM says that the lead is converted, the deal belongs to that lead. Such leads must be read here, because a
 * sweep does not look for the deals of converted leads, and a sync does so for 60 days only.
 */
async function leadsOf(
  { deps, signal }: Pull,
  owners: Owners,
  { deals, rows }: { deals: readonly NamedCrmDeal[]; rows: readonly StoredDeal[] },
): Promise<CrmLead[]> {
  const had = new Map(rows.map((row) => [row.zoho_id, row.partner_id]))
  const met = deals.filter((deal) => had.get(deal.zoho_id) !== owners.get(deal.partner_zoho_id ?? '')?.id)
  const zohoIds = await findLeadsWithoutDealOfAllPartners(
    deps.db,
    met.map((deal) => deal.loid),
  )
  const { records } = await deps.crm.getLeads(zohoIds, signal)
  return records.filter((lead) => lead.is_converted)
}

/** The status or the stage. */
function valueOf(record: { lead_status: string | null } | { stage: string | null }): string | null {
  return 'lead_status' in record ? record.lead_status : record.stage
}

function isLead(record: CrmLead | CrmDeal): record is CrmLead {
  return 'lead_status' in record
}

interface Named {
  leads: readonly NamedCrmLead[]
  leadRows: readonly StoredLead[]
  deals: readonly NamedCrmDeal[]
  dealRows: readonly StoredDeal[]
}

async function gather(pull: Pull, owners: Owners, named: Named): Promise<Gathered> {
  const { leads, leadRows } = named
  const more = await dealsOf(pull, owners, leads, named.deals)
  const dealRows = [...named.dealRows, ...more.rows]
  const deals = new Map([...named.deals, ...more.deals].map((deal) => [deal.zoho_id, deal]))
  const told = new Map([
    ...(await readHistories(pull, leads, leadRows)),
    ...(await readHistories(pull, [...deals.values()], dealRows)),
  ])
  // Staff may convert a lead without a deal, and give a later deal the lead's LOID.
  const sameLoid = new Map([...deals.values()].map((deal) => [deal.loid, deal.zoho_id]))
  const units: Unit[] = []
  for (const lead of leads) {
    const partnerId = owners.get(lead.partner_zoho_id ?? '')?.id
    if (partnerId === undefined) continue
    const dealZohoId = lead.converted_deal_zoho_id ?? sameLoid.get(lead.loid) ?? ''
    const found = lead.is_converted ? deals.get(dealZohoId) : undefined
    const deal = found?.partner_zoho_id === lead.partner_zoho_id ? found : undefined
    if (deal) deals.delete(deal.zoho_id)
    units.push({ partnerId, lead, deal: deal ?? null })
  }
  for (const deal of deals.values()) {
    const partnerId = owners.get(deal.partner_zoho_id ?? '')?.id
    if (partnerId !== undefined) units.push({ partnerId, lead: null, deal })
  }
  return { units, told }
}

async function nameLeads(pull: Pull, owners: Owners, records: readonly CrmLead[]) {
  const { deps, signal } = pull
  const rows = await findRowsOfAllPartners(deps.db, LEAD_TABLE, idsOf(records))
  const changed = differing(pull, records, rows, owners)
  const leads = await nameRecords<CrmLead>(pull, 'Leads', changed, {
    rows,
    readAgain: (zohoIds) => deps.crm.getLeads(zohoIds, signal),
  })
  return { leads, rows }
}

/** `leads` maps the id of a deal to the converted lead that became the deal. */
async function nameDeals(
  pull: Pull,
  owners: Owners,
  records: readonly CrmDeal[],
  leads: ReadonlyMap<string, NamedCrmLead> = new Map(),
) {
  const { deps, signal } = pull
  const rows = await findRowsOfAllPartners(deps.db, DEAL_TABLE, idsOf(records))
  // If the lender's conversion copies neither LOID nor partner, the deal gets both from its lead, or from its row if they
  // could not be written before.
  const unmapped = records.filter((deal) => deal.partner_zoho_id === null && deal.loid === null)
  const partnerOf = new Map(rows.map((row) => [row.zoho_id, row.partner_id]))
  const partners = new Map(Array.from(owners.values(), (partner) => [partner.id, partner.zoho_id]))
  const partnersToSet = new Map(
    unmapped.flatMap(({ zoho_id }) => {
      const partnerZohoId = leads.get(zoho_id)?.partner_zoho_id ?? partners.get(partnerOf.get(zoho_id) ?? '')
      return partnerZohoId ? [[zoho_id, partnerZohoId] as const] : []
    }),
  )
  const owned = records.map((deal) => {
    return { ...deal, partner_zoho_id: deal.partner_zoho_id ?? partnersToSet.get(deal.zoho_id) ?? null }
  })
  // A converted lead's deal is included even if the deal is unchanged, because the lead must be linked to it.
  const isWanted = ({ zoho_id }: CrmDeal) => leads.has(zoho_id) || partnersToSet.has(zoho_id)
  const unchanged = owned.filter((deal) => isWanted(deal) && owners.has(deal.partner_zoho_id ?? ''))
  const wanted = new Set([...unchanged, ...differing(pull, owned, rows, owners)])
  const deals = await nameRecords<CrmDeal>(pull, 'Deals', [...wanted], {
    rows,
    // A deal has the LOID of its lead (D17).
    leadLoids: new Map([...leads].map(([zohoId, lead]) => [zohoId, lead.loid])),
    partnersToSet,
    readAgain: (zohoIds) => deps.crm.getDeals(zohoIds, signal),
  })
  return { deals, rows }
}

interface Nameable {
  zoho_id: string
  loid: string | null
  partner_zoho_id: string | null
  is_converted?: boolean
  converted_deal_zoho_id?: string | null
}

/**
 * Gives every record its LOID: the LOID in the portal, the LOID in the CRM, the LOID of its lead or deal, or a new LOID
 * (D17). LOIDs that the CRM lacks are written to the CRM, and their records are read again. So each record has the
 * Modified_Time of this write, and a second sync finds nothing to do. The CRM refuses to change a converted lead, so
 * only the portal has its LOID.
 */
export async function nameRecords<Item extends Nameable>(
  { deps: { db, reads, crm }, signal }: Pick<Pull, 'deps' | 'signal'>,
  module: CrmModule,
  records: readonly Item[],
  options: {
    /** The records' rows. */
    rows: readonly RecordRow[]
    /** For deals: the LOIDs of their leads, by the CRM's ids of the deals. */
    leadLoids?: ReadonlyMap<string, string>
    /** For records that name no partner: the CRM's ids of the partners that are written with the LOID. */
    partnersToSet?: ReadonlyMap<string, string>
    readAgain: (zohoIds: string[]) => Promise<CrmBatch<Item>>
  },
): Promise<(Item & { loid: string })[]> {
  const { rows, leadLoids, partnersToSet, readAgain } = options
  const knownLoids = new Map(rows.map((row) => [row.zoho_id, row.loid]))
  const nameless = records.filter((record) => record.loid === null)
  const unknown = nameless.filter((record) => !knownLoids.has(record.zoho_id))
  // A lead that was converted before it had a LOID gets its deal's LOID, whether the lead or the deal is pulled first
  // (D17).
  const dealLoids = await findChosenLoids(
    db,
    unknown.flatMap((record) => record.converted_deal_zoho_id ?? []),
  )
  const suggested = new Map(
    unknown.flatMap(({ zoho_id, converted_deal_zoho_id }) => {
      const loid = leadLoids?.get(zoho_id) ?? dealLoids.get(converted_deal_zoho_id ?? '')
      return loid === undefined ? [] : [[zoho_id, loid] as const]
    }),
  )
  const ids = unknown.map((record) => record.zoho_id)
  const fresh = await chooseLoids({ db, reads }, ids, suggested)
  const chosen = new Map(nameless.map(({ zoho_id }) => [zoho_id, knownLoids.get(zoho_id) ?? fresh.get(zoho_id) ?? '']))
  const writable = records.filter((record) => chosen.has(record.zoho_id) && !record.is_converted)
  let written: readonly Item[] = []
  if (writable.length > 0) {
    const loids = writable.map(({ zoho_id }) => {
      const partner = partnersToSet?.get(zoho_id)
      return { zoho_id, loid: chosen.get(zoho_id) ?? '', ...(partner && { partner_zoho_id: partner }) }
    })
    await crm.setLoids(module, loids, signal)
    written = (await readAgain(writable.map((record) => record.zoho_id))).records
  }
  const newest = new Map(written.map((record) => [record.zoho_id, record]))
  return records.map((before) => {
    const record = newest.get(before.zoho_id) ?? before
    const partner_zoho_id = record.partner_zoho_id ?? partnersToSet?.get(record.zoho_id) ?? null
    return {
      ...record,
      partner_zoho_id,
      loid: knownLoids.get(record.zoho_id) ?? record.loid ?? chosen.get(record.zoho_id) ?? '',
    }
  })
}

/** Reads the deals of converted leads, except deals that are already on this page. */
async function dealsOf(pull: Pull, owners: Owners, leads: readonly NamedCrmLead[], inHand: readonly NamedCrmDeal[]) {
  const known = new Set(idsOf(inHand))
  const leadOf = new Map(
    leads.flatMap((lead) => {
      const zohoId = lead.is_converted ? lead.converted_deal_zoho_id : null
      return zohoId === null || known.has(zohoId) ? [] : [[zohoId, lead] as const]
    }),
  )
  if (leadOf.size === 0) return { deals: [], rows: [] }
  const { deps, signal } = pull
  const { records } = await deps.crm.getDeals([...leadOf.keys()], signal)
  // Staff gave these deals to another partner before the deals had a LOID. The deals get their leads' LOIDs, unless a
  // pull of the other partner has chosen others, and are pulled with the other partner's records.
  const others = records.filter((deal) => {
    return deal.loid === null && deal.partner_zoho_id !== null && !owners.has(deal.partner_zoho_id)
  })
  const leadLoids = new Map(Array.from(leadOf, ([zohoId, lead]) => [zohoId, lead.loid]))
  const chosen = await chooseLoids(deps, idsOf(others), leadLoids)
  const loids = Array.from(chosen, ([zoho_id, loid]) => ({ zoho_id, loid }))
  if (loids.length > 0) await deps.crm.setLoids('Deals', loids, signal)
  return nameDeals(pull, owners, records, leadOf)
}

/**
 * Reads the histories of known records whose status or stage has changed. If other fields have changed, the history is
 * left due and read later (D126): only it has the values that a record had between two pulls.
 */
async function readHistories(
  pull: Pull,
  items: readonly (CrmLead | CrmDeal)[],
  rows: readonly (StoredLead | StoredDeal)[],
): Promise<Map<string, CrmHistoryEntry[]>> {
  const byId = new Map(rows.map((row) => [row.zoho_id, row]))
  const changed = items.filter((item) => {
    const row = byId.get(item.zoho_id)
    if (row === undefined || isOutdated(item, row)) return false
    return row.archived_reason !== null || (valueOf(item) !== valueOf(row) && !isSameVersion(item, row))
  })
  const { deps, signal } = pull
  const leads = await readEach(changed.filter(isLead), HISTORIES_AT_ONCE, (lead) =>
    deps.crm.leadStatusHistory(lead, signal),
  )
  const deals = changed.flatMap((item) => (isLead(item) ? [] : item))
  return new Map([...leads, ...(await readDealHistories(pull, deals, HISTORIES_AT_ONCE))])
}

/** Returns the records that belong to the portal's partners and differ from their rows. */
function differing<Item extends CrmLead | CrmDeal>(
  { readsAgain = false }: Pull,
  records: readonly Item[],
  rows: readonly RecordRow[],
  owners: Owners,
): Item[] {
  const byId = new Map(rows.map((row) => [row.zoho_id, row]))
  return records.filter((record) => {
    const owner = owners.get(record.partner_zoho_id ?? '')
    const row = byId.get(record.zoho_id)
    return owner !== undefined && (readsAgain || row?.partner_id !== owner.id || hasChanged(record, row))
  })
}

/**
 * Compares a record from the CRM with its row, like the SQL of `differs` in crm-rows.queries.ts. That SQL chooses which
 * records are read, and stops looking for a missing deal after 60 days. This function has no such limit, so a lead that
 * was read always gets its deal.
 */
function hasChanged(
  record: CrmLead | CrmDeal,
  row: RecordRow & Partial<Pick<StoredLead, 'converted_at' | 'matched_at' | 'deal_loid'>>,
): boolean {
  return (
    row.crm_modified_time !== record.modified_time ||
    row.archived_reason !== null ||
    // A conversion may leave Modified_Time unchanged, and the deal may be created later.
    (isLead(record) &&
      record.is_converted &&
      (row.converted_at === null || row.matched_at !== null || row.deal_loid === null))
  )
}

function idsOf(records: readonly { zoho_id: string }[]): string[] {
  return records.map((record) => record.zoho_id)
}
