import { DEFAULT_FIELD_MAP } from '../server/src/crm/zoho/field-map.ts'
import type { CrmRow } from './crm.ts'
import type { Differ, Ledger } from './ledger.ts'
import type { Partner } from './partners.ts'
import { hasLostPartner, lookupId, type Picture } from './picture.ts'
import type { World } from './world.ts'

/** Fields that the portal's API shows under these names and does not compute from other values. */
const LEAD_FIELDS = [
  'business_name',
  'first_name',
  'last_name',
  'email',
  'phone',
  'loan_amount',
  'loan_type',
  'loan_term',
  'lead_status',
  'description',
] as const
const DEAL_FIELDS = [
  'deal_name',
  'email',
  'phone',
  'amount',
  'loan_type',
  'stage',
  'closing_date',
  'description',
] as const

interface PortalRecord {
  loid: string
  [field: string]: unknown
}

type Records = ReadonlyMap<string, PortalRecord>

interface Look {
  world: World
  picture: Picture
  ledger: Ledger
  partner: Partner
  /** The partner's own record in the CRM. */
  zohoId: string | undefined
  differ: Differ
}

/** Compares what a partner sees with the partner's records in the CRM: which there are, their fields, histories and notes. */
export async function comparePartner(look: Omit<Look, 'zohoId'>): Promise<void> {
  const { picture, partner, differ } = look
  const same = picture.partners.filter((row) => row['Email'] === partner.email)
  if (same.length !== 1) differ(`partner ${partner.number} is in the CRM ${same.length} times`)
  const leads = new Map((await readAll(partner, 'leads')).map((lead) => [lead.loid, lead]))
  const deals = new Map((await readAll(partner, 'deals')).map((deal) => [deal.loid, deal]))
  await compareLeads({ ...look, zohoId: same[0]?.id }, leads, deals)
  await compareDeals({ ...look, zohoId: same[0]?.id }, deals)
}

async function compareLeads(look: Look, all: Records, deals: Records): Promise<void> {
  const { world, picture, partner, zohoId, differ } = look
  const leads = new Map(all)
  const hidden = await world.rows<{ zoho_id: string }>('select zoho_id from hidden_records')
  const held = new Set(hidden.map((row) => row.zoho_id))
  for (const row of picture.leads) {
    const record = picture.trackedOf('Leads', row)
    const loid = String(row['LOID'])
    const isWaitingOrHeld = held.has(row.id) || (leads.get(loid)?.['awaits_deal_since'] ?? null) !== null
    if (hasLostPartner(row) && isWaitingOrHeld) leads.delete(loid)
    if (lookupId(row, 'Partner') !== zohoId) continue
    if (row['Converted__s'] === true) {
      const shown = leads.get(loid) ?? waitingLike(row, leads)
      // A lead waits for a deal of its partner's (D124).
      const isWaiting = shown !== undefined && shown['awaits_deal_since'] !== null && !deals.has(shown.loid)
      if (!isWaiting && shown) differ(`${loid} is converted in the CRM and still a lead in the portal`, record)
      if (!isWaiting && record?.isConverted && !record.deal)
        differ(`${row.id} was converted without a deal and is not in the list`, record)
      if (shown) leads.delete(shown.loid)
      continue
    }
    const lead = leads.get(loid)
    if (lead) await compareLead(look, lead, row)
    else differ(`lead ${loid} (${row.id}) of partner ${partner.number} is in the CRM and not in the portal`, record)
    leads.delete(loid)
  }
  for (const [loid] of leads)
    differ(
      `lead ${loid} of partner ${partner.number} is in the portal and not in the CRM`,
      picture.trackedByLoid('Leads', loid),
    )
}

/** The CRM takes no LOID for a lead that was converted before the portal saw it. */
function waitingLike(row: CrmRow, leads: Records): PortalRecord | undefined {
  if (row['LOID'] !== null) return undefined
  return [...leads.values()].find(
    (lead) => lead['awaits_deal_since'] !== null && lead['last_name'] === row['Last_Name'],
  )
}

async function compareLead(look: Look, lead: PortalRecord, row: CrmRow): Promise<void> {
  const { world, picture, partner } = look
  const { loid } = lead
  const differ = (what: string) => look.differ(what, picture.trackedOf('Leads', row))
  compareFields(lead, row, LEAD_FIELDS, DEFAULT_FIELD_MAP.leads.fields, differ)
  const history = await partner.get(`/crm/lead/${loid}/status-history`)
  const statuses = await world.crm.leadStatuses(row.id, row['Lead_Status'] === null ? null : String(row['Lead_Status']))
  compareLists(`${loid} statuses`, valuesOf(history.body, 'status'), withoutRepeats(statuses), differ)
  const { body } = await partner.get(`/crm/lead/${loid}`)
  compareLists(`${loid} notes`, contentsOf(body), picture.notesFor(partner, row.id), differ)
}

async function compareDeals(look: Look, all: Records): Promise<void> {
  const { picture, partner, zohoId, differ } = look
  const deals = new Map(all)
  for (const row of picture.deals) {
    const lead = picture.leadOfDeal.get(row.id)
    const owner = lookupId(row, 'Partner') ?? (lead && lookupId(lead, 'Partner'))
    if (owner !== zohoId) continue
    const loid = String(row['LOID'] ?? lead?.['LOID'])
    const deal = deals.get(loid)
    if (deal) await compareDeal(look, deal, row, lead)
    else
      differ(
        `deal ${loid} (${row.id}) of partner ${partner.number} is in the CRM and not in the portal`,
        picture.trackedOf('Deals', row),
      )
    deals.delete(loid)
  }
  for (const [loid] of deals)
    differ(
      `deal ${loid} of partner ${partner.number} is in the portal and not in the CRM`,
      picture.trackedByLoid('Deals', loid),
    )
}

async function compareDeal(look: Look, deal: PortalRecord, row: CrmRow, lead: CrmRow | undefined): Promise<void> {
  const { world, picture, partner } = look
  const { loid } = deal
  const differ = (what: string) => look.differ(what, picture.trackedOf('Deals', row))
  compareFields(deal, row, DEAL_FIELDS, DEFAULT_FIELD_MAP.deals.fields, differ)
  const history = await partner.get(`/crm/deal/${loid}/stage-history`)
  compareLists(`${loid} stages`, valuesOf(history.body, 'stage'), await world.crm.dealStages(row.id), differ)
  const { body } = await partner.get(`/crm/deal/${loid}`)
  const shown = contentsOf(body)
  const wanted = notesWithDeal(look, loid, row, lead, shown)
  compareLists(`${loid} notes`, shown, wanted.toSorted(), differ)
}

/** The notes of a deal's page, which are also those of the lead that it was. */
function notesWithDeal(
  { picture, ledger, partner, zohoId }: Look,
  loid: string,
  row: CrmRow,
  lead: CrmRow | undefined,
  shown: readonly string[],
): string[] {
  const own = picture.notesFor(partner, row.id)
  const ofLead = lead ? picture.notesFor(partner, lead.id) : []
  // Whether a lead without a partner tells the deal's partner of its notes, depends on what the portal saw before.
  if (lead && hasLostPartner(lead) && ofLead.length > 0)
    return [...own, ...ofLead.filter((content) => shown.includes(content) && !own.includes(content))]
  if (lead && lookupId(lead, 'Partner') === zohoId) return [...own, ...ofLead]
  // A partner that still has the deal, but no longer the lead, sees its own notes on the lead if the lead and the deal
  // have the same LOID.
  const partners = ledger.notes.filter(({ by }) => by === partner.number).map(({ content }) => content)
  return lead?.['LOID'] === loid ? [...own, ...ofLead.filter((content) => partners.includes(content))] : own
}

function compareFields(
  portal: PortalRecord,
  row: CrmRow,
  names: readonly string[],
  map: Record<string, string>,
  differ: (what: string) => void,
): void {
  for (const name of names) {
    const inCrm = row[map[name] ?? ''] ?? null
    const inPortal = portal[name] ?? null
    if (inCrm !== inPortal)
      differ(`${portal.loid} ${name}: portal ${JSON.stringify(inPortal)}, CRM ${JSON.stringify(inCrm)}`)
  }
}

function compareLists(
  title: string,
  portal: readonly string[],
  wanted: readonly string[],
  differ: (what: string) => void,
): void {
  if (portal.join(' → ') !== wanted.join(' → '))
    differ(`${title}: portal ${portal.join(' → ')}; CRM ${wanted.join(' → ')}`)
}

async function readAll(partner: Partner, list: 'leads' | 'deals'): Promise<PortalRecord[]> {
  const all: PortalRecord[] = []
  for (let page = 1; ; page++) {
    const { body } = await partner.get(`/dashboard/${list}?limit=100&page=${page}`)
    all.push(...body.data[list])
    if (!body.pagination.has_more) return all
  }
}

function valuesOf(body: { data: Record<string, string>[] }, name: string): string[] {
  return body.data.map((entry) => String(entry[name])).toReversed()
}

function contentsOf(body: { data: { notes: { content: string }[] } }): string[] {
  return body.data.notes.map((note) => note.content).toSorted()
}

function withoutRepeats(values: string[]): string[] {
  return values.filter((value, index) => value !== values[index - 1])
}
